"""`mdtmux up`: bring the office to what its file says."""

from __future__ import annotations

import sys

import click

from mdtmux.cli.amounts import duration
from mdtmux.cli.completing import complete_file_or_agent, complete_stand_in


@click.command("up")
@click.argument(
    "names",
    nargs=-1,
    metavar="[FILE] [AGENT]...",
    shell_complete=complete_file_or_agent,
)
@click.option("--attach", is_flag=True, help="Open tmux on the office afterwards.")
@click.option(
    "--dry-run", is_flag=True, help="Show what would be done; the same as `plan`."
)
@click.option(
    "--timeout",
    callback=duration,
    metavar="S",
    help="Seconds (or 2m) for each agent to get ready.",
)
@click.option("--no-prompt", is_flag=True, help="Do not type the first prompts.")
@click.option(
    "--as",
    "as_kind",
    metavar="KIND",
    shell_complete=complete_stand_in,
    help="Run every agent as this kind (clerk).",
)
@click.option("--json", "as_json", is_flag=True, help="Print the verdicts as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    names: tuple[str, ...],
    attach: bool,
    dry_run: bool,
    timeout: float | None,
    no_prompt: bool,
    as_kind: str | None,
    as_json: bool,
) -> None:
    """Bring the office to what its file says; safe to repeat.

    Makes the worktrees, starts what does not run, waits until each agent is ready by
    its own sign, types its first prompt once, and prints one verdict per agent. Exits
    with 1 when one is not up; the others stay up.
    """
    from mdtmux.cli import output
    from mdtmux.cli.arguments import split_file
    from mdtmux.cli.loading import load_office, voice
    from mdtmux.cli.plan import show_plan
    from mdtmux.cli.verdicts import show_verdicts
    from mdtmux.running.surveying import survey
    from mdtmux.running.up import bring_up
    from mdtmux.running.verdicts import UpOptions

    file, agents = split_file(ctx, names)
    office = load_office(ctx, file, as_kind)
    if dry_run:
        show_plan(survey(office, agents), as_json=as_json)
        return
    options = UpOptions(agents, timeout, prompts=not no_prompt, as_kind=as_kind)
    with output.patience("waiting until the agents are ready", 2.0):
        ref, verdicts = bring_up(office, options, voice(ctx))
    show_verdicts(ref, verdicts, as_json=as_json)
    if attach:
        from mdtmux.cli.attaching import attach_office

        attach_office(ref, None)
    if not all(verdict.up for verdict in verdicts):
        sys.exit(1)
