"""`mdtmux rm`: stop an agent and remove its worktree when that loses nothing."""

from __future__ import annotations

import click

from mdtmux.cli.amounts import duration
from mdtmux.cli.completing import complete_agent


@click.command("rm")
@click.argument("agent", shell_complete=complete_agent)
@click.option(
    "--force",
    is_flag=True,
    help="Also when it has work nowhere else; `undo` brings it back.",
)
@click.option(
    "--timeout",
    callback=duration,
    metavar="S",
    help="Seconds for its own end (its stop keys).",
)
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
@click.pass_context
def command(
    ctx: click.Context, agent: str, force: bool, timeout: float | None, as_json: bool
) -> None:
    """Stop an agent and remove its worktree; the branch stays.

    The agent is stopped first, in any case. Then it is refused when the worktree holds
    work that is nowhere else, which is listed, or when another agent works in it.
    """
    from mdtmux.cli import output
    from mdtmux.cli.aside import step_aside
    from mdtmux.cli.context import check_agent, current_office
    from mdtmux.cli.removing import remove_agent

    ref = current_office(ctx)
    check_agent(ref, agent)
    step_aside(ctx, ref, (agent,))
    gone = remove_agent(ref, agent, force=force, timeout=timeout)
    if as_json:
        output.emit_json(gone.as_json())
    else:
        output.echo(str(gone))
