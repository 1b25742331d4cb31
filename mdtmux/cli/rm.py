"""`mdtmux rm`: stop an agent and remove its worktree when that loses nothing."""

from __future__ import annotations

import sys

import click

from mdtmux.cli.completing import complete_agent


@click.command("rm")
@click.argument("agent", shell_complete=complete_agent)
@click.option(
    "--force",
    is_flag=True,
    help="Also when it has work nowhere else; `undo` brings it back.",
)
@click.option("--timeout", metavar="S", help="Seconds for its own end (its stop keys).")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
@click.pass_context
def command(
    ctx: click.Context, agent: str, force: bool, timeout: str | None, as_json: bool
) -> None:
    """Stop an agent and remove its worktree; the branch stays.

    Refuses when the worktree holds work that is nowhere else, and lists it.
    """
    from mdtmux.cli import output
    from mdtmux.cli.arguments import seconds
    from mdtmux.cli.aside import step_aside
    from mdtmux.cli.context import check_agent, current_office
    from mdtmux.errors import MdtmuxError, Refused
    from mdtmux.running.clearing import remove_trees
    from mdtmux.running.life import remove
    from mdtmux.running.members import drop_member

    ref = current_office(ctx)
    check_agent(ref, agent)
    step_aside(ctx, ref, (agent,))

    def take_down() -> None:
        why = remove_trees(ref, (agent,), force=force).get(agent, "")
        if why:
            message = f"agent `{agent}` is stopped, its worktree stays: {why}"
            raise Refused(message, hint="--force removes it; `undo` brings it back")

    limit = seconds("--timeout", timeout)
    with output.patience(f"waiting for {agent} to end; then comes TERM, then KILL"):
        survivors = remove(ref, agent, take_down, limit)
    if survivors:
        pids = ", ".join(str(one.pid) for one in survivors)
        message = f"not removed: processes {pids} of `{agent}` would not end"
        raise MdtmuxError(message)
    drop_member(ref.state, agent)
    if as_json:
        output.emit_json({"removed": agent})
    else:
        output.echo(f"{agent}: removed; its branch is kept")
    sys.exit(0)
