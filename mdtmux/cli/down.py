"""`mdtmux down`: stop the office; nothing of it is left running."""

from __future__ import annotations

import sys

import click

from mdtmux.cli.amounts import duration
from mdtmux.cli.completing import complete_file_or_agent


@click.command("down")
@click.argument(
    "names",
    nargs=-1,
    metavar="[FILE] [AGENT]...",
    shell_complete=complete_file_or_agent,
)
@click.option(
    "--remove-worktrees",
    is_flag=True,
    help="Also remove the worktrees whose work is provably elsewhere.",
)
@click.option(
    "--force",
    is_flag=True,
    help="With --remove-worktrees: also those with work nowhere else; `undo` brings them back.",
)
@click.option(
    "--timeout",
    callback=duration,
    metavar="S",
    help="Seconds for each agent's own end (its stop keys).",
)
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    names: tuple[str, ...],
    remove_worktrees: bool,
    force: bool,
    timeout: float | None,
    as_json: bool,
) -> None:
    """Stop the agents and everything they started, and verify that it is gone.

    Each agent gets its stop keys, then TERM, then KILL. Worktrees, branches and
    recordings stay. Exits with 1 when something survived,
    with 4 when a worktree stays that was to be removed.
    """
    from mdtmux.cli import output
    from mdtmux.cli.arguments import split_file, teller
    from mdtmux.cli.aside import step_aside
    from mdtmux.cli.context import check_agent, current_office
    from mdtmux.cli.outcome import Outcome, ending, show_outcome
    from mdtmux.errors import UsageError
    from mdtmux.running.clearing import remove_trees
    from mdtmux.running.down import bring_down

    if force and not remove_worktrees:
        message = "--force belongs to --remove-worktrees"
        raise UsageError(message)
    file, agents = split_file(ctx, names)
    ref = current_office(ctx, file)
    for name in agents:
        check_agent(ref, name)
    step_aside(ctx, ref, agents)
    with output.patience(ending(agents)):
        result = bring_down(ref, agents, timeout, teller(ctx))
    removed = None
    if remove_worktrees:
        left = result.halt.survivors
        removed = remove_trees(ref, agents, force=force, survivors=left)
    outcome = Outcome(ref, result, removed)
    show_outcome(outcome, as_json=as_json)
    sys.exit(outcome.code)
