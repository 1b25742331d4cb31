"""Attach this terminal to an office's tmux session, or switch the client it is in."""

from __future__ import annotations

import os
import sys

from mdtmux.cli import output
from mdtmux.errors import Refused
from mdtmux.running.offices import OfficeRef
from mdtmux.running.showing import inside_server, select, show_in_window, switch_client
from mdtmux.system.programs import attach_terminal
from mdtmux.system.tmux import client_environment


def attach_office(ref: OfficeRef, agent: str | None, *, window: bool = False) -> int:
    """Attach a client, or switch the one this process runs in; return tmux's status.

    With `window`, a process in a pane or key binding of another tmux server shows the
    office in a window of that one.

    Raises:
        Refused: the office does not run, the agent has no pane, or there is no
            terminal to attach.
    """
    pane = select(ref, agent)
    if inside_server(ref):
        switch_client(ref, pane)
        return 0
    if window and os.environ.get("TMUX"):
        show_in_window(ref)
        return 0
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        message = "there is no terminal to attach"
        raise Refused(
            message, hint="`mdtmux capture AGENT` prints a screen without one"
        )
    if os.environ.get("TMUX"):
        output.note(
            "this is a tmux inside a tmux: press the prefix twice to reach the inner one"
        )
    argv = ("tmux", "-u", *ref.socket.args(), "attach-session", "-t", f"={ref.session}")
    return attach_terminal(argv, env=client_environment())
