"""`mdtmux attach`: open tmux on the office."""

from __future__ import annotations

import os
import sys

import click

from mdtmux.cli.completing import complete_agent
from mdtmux.running.offices import OfficeRef


@click.command("attach")
@click.argument("agent", required=False, shell_complete=complete_agent)
@click.option(
    "--next-waiting", is_flag=True, help="Go to the next agent that waits for an answer."
)
@click.pass_context
def command(ctx: click.Context, agent: str | None, next_waiting: bool) -> None:
    """Open tmux on the office, with the agent's pane selected.

    Inside the office's own tmux server it switches the client; inside another one it
    asks for a terminal outside.
    """
    from mdtmux.cli.context import check_agent, current_office
    from mdtmux.running.showing import next_waiting_agent

    ref = current_office(ctx)
    if next_waiting:
        agent = next_waiting_agent(ref)
    elif agent is not None:
        check_agent(ref, agent)
    sys.exit(attach_office(ref, agent))


def attach_office(ref: OfficeRef, agent: str | None) -> int:
    """Attach a client, or switch the one this process runs in; return tmux's status.

    Raises:
        Refused: the office does not run, the agent has no pane, or there is no
            terminal to attach.
    """
    from mdtmux.errors import Refused
    from mdtmux.running.showing import inside_server, select, switch_client
    from mdtmux.system.processes import attach_terminal
    from mdtmux.system.tmux import client_environment

    pane = select(ref, agent)
    if inside_server(ref):
        switch_client(ref, pane)
        return 0
    if os.environ.get("TMUX"):
        message = "this terminal is inside another tmux server"
        socket = " ".join(ref.socket.args()[:2])
        hint = f"open a terminal outside of it, or nest on purpose: TMUX= tmux {socket} attach"
        raise Refused(message, hint=hint)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        message = "there is no terminal to attach"
        raise Refused(message, hint="`mdtmux capture AGENT` prints a screen without one")
    argv = ("tmux", "-u", *ref.socket.args(), "attach-session", "-t", f"={ref.session}")
    return attach_terminal(argv, env=client_environment())
