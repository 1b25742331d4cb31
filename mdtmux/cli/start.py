"""`mdtmux start`: start agents."""

from __future__ import annotations

import click

from mdtmux.cli.amounts import duration
from mdtmux.cli.completing import complete_agent


@click.command("start")
@click.argument("agents", nargs=-1, required=True, shell_complete=complete_agent)
@click.option(
    "--timeout",
    callback=duration,
    metavar="S",
    help="Seconds for the agent to get ready.",
)
@click.option("--no-prompt", is_flag=True, help="Do not type the first prompt.")
@click.option("--json", "as_json", is_flag=True, help="Print the verdicts as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    agents: tuple[str, ...],
    timeout: float | None,
    no_prompt: bool,
    as_json: bool,
) -> None:
    """Start agents of the office with a fresh environment; one that runs is kept."""
    from mdtmux.cli.beginning import begin

    begin(ctx, agents, timeout=timeout, prompts=not no_prompt, as_json=as_json)
