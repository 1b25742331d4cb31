"""`mdtmux attach`: open tmux on the office."""

from __future__ import annotations

import sys

import click

from mdtmux.cli.completing import complete_agent


@click.command("attach")
@click.argument("agent", required=False, shell_complete=complete_agent)
@click.option(
    "--next-waiting",
    is_flag=True,
    help="Go to the next agent that waits for an answer.",
)
@click.option(
    "--window",
    is_flag=True,
    help="Inside another tmux server: open it in a window there; needs no terminal.",
)
@click.pass_context
def command(
    ctx: click.Context, agent: str | None, next_waiting: bool, window: bool
) -> None:
    """Open tmux on the office, with the agent's pane selected.

    Inside the office's own tmux server it switches the client; inside another one it
    attaches there, as a tmux inside a tmux.
    """
    from mdtmux.cli.attaching import attach_office
    from mdtmux.cli.context import check_agent, current_office
    from mdtmux.running.showing import next_waiting_agent

    ref = current_office(ctx)
    if next_waiting:
        agent = next_waiting_agent(ref)
    elif agent is not None:
        check_agent(ref, agent)
    sys.exit(attach_office(ref, agent, window=window))
