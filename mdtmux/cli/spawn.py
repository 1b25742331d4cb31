"""`mdtmux spawn`: add an agent that the office file does not name."""

from __future__ import annotations

import dataclasses

import click

from mdtmux.cli.amounts import duration
from mdtmux.cli.completing import complete_kind


@click.command("spawn")
@click.option("--name", required=True, help="The new agent's name.")
@click.option(
    "--kind",
    shell_complete=complete_kind,
    help="Its kind; default: custom with --command, else the boss's kind.",
)
@click.option(
    "--command", "line", metavar="LINE", help="Its command, split like a shell would."
)
@click.option("--role", default="worker", show_default=True, help="Its role.")
@click.option(
    "--base", metavar="REF", help="Where its branch starts; default: the office's."
)
@click.option("--prompt", metavar="TEXT", help="Its first prompt.")
@click.option(
    "--timeout", callback=duration, metavar="S", help="Seconds for it to get ready."
)
@click.option("--json", "as_json", is_flag=True, help="Print the verdict as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    name: str,
    kind: str | None,
    line: str | None,
    role: str,
    base: str | None,
    prompt: str | None,
    timeout: float | None,
    as_json: bool,
) -> None:
    """Add an agent with its own worktree to the office; `rm` takes it away."""
    from mdtmux.cli.beginning import begin
    from mdtmux.cli.context import current_office
    from mdtmux.cli.loading import load_office
    from mdtmux.cli.spawning import member
    from mdtmux.errors import MdtmuxError
    from mdtmux.running.members import drop_member, keep_member

    ref = current_office(ctx)
    office = load_office(ctx, str(ref.file))
    agent = member(office, name, kind, line)
    agent = dataclasses.replace(
        agent, role=role, base=base or agent.base, prompt=prompt
    )
    keep_member(ref.state, agent)
    try:
        begin(ctx, (name,), timeout=timeout, prompts=True, as_json=as_json)
    except MdtmuxError:
        drop_member(ref.state, name)
        raise
