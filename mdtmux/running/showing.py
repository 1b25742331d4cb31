"""Bring an agent's pane before the user's eyes."""

from __future__ import annotations

import contextlib
import os

from mdtmux.agents.base import Activity
from mdtmux.errors import Refused, TmuxError
from mdtmux.names import PaneId
from mdtmux.running.activity import look_at
from mdtmux.running.observe import panes_of
from mdtmux.running.offices import OfficeRef
from mdtmux.system.screen import Pane
from mdtmux.system.tmux import Socket, Tmux

# A window's option: the office whose session a client in it shows.
_SHOWS = "@mdtmux_shows"


def select(ref: OfficeRef, agent: str | None) -> PaneId:
    """Make the agent's pane the selected one of its session and return it.

    Without an agent, the selected pane stays.

    Raises:
        Refused: the office has no pane, or that agent has none.
    """
    tmux = Tmux(ref.socket)
    panes = panes_of(ref, tmux.panes())
    if not panes:
        message = f"office `{ref.name}` is not running"
        raise Refused(message, hint=f"`mdtmux up {ref.file}` brings it up")
    if agent is None:
        return _selected(list(panes.values()))
    if agent not in panes:
        message = f"agent `{agent}` has no pane"
        raise Refused(message, hint=f"`mdtmux start {agent}` starts it")
    pane = panes[agent].pane
    tmux.show(pane)
    return pane


def _selected(panes: list[Pane]) -> PaneId:
    chosen = next((p for p in panes if p.active and p.window_active), panes[0])
    return chosen.pane


def inside_server(ref: OfficeRef) -> bool:
    """Tell whether this process runs in a pane of the office's tmux server."""
    socket = os.environ.get("TMUX", "").split(",")[0]
    return bool(socket) and os.path.realpath(socket) == os.path.realpath(
        ref.socket.path()
    )


def switch_client(ref: OfficeRef, pane: PaneId) -> None:
    """Show the pane in the client that this process runs in."""
    Tmux(ref.socket).call("switch-client", "-t", pane)


def show_in_window(ref: OfficeRef) -> None:
    """Show the office in a window of the other tmux server that this process is in.

    The window that an earlier call has opened in the session is used again.
    """
    socket, _, rest = os.environ["TMUX"].partition(",")
    number = rest.rpartition(",")[2]
    here = ("-t", f"${number}:") if number.isdecimal() else ()
    tmux = Tmux(Socket(socket))
    rows = tmux.call("list-windows", *here, "-F", f"#{{window_id}} #{{{_SHOWS}}}")
    for window, _, shown in (row.partition(" ") for row in rows.splitlines()):
        if shown == ref.id:
            tmux.call("select-window", "-t", window)
            return
    # Of the server's environment, which need not be that of this process.
    client = ("env", "-u", "TMUX", "-u", "TMUX_PANE", "tmux", "-u")
    attach = ("-S", str(ref.socket.path()), "attach-session", "-t", f"={ref.session}")
    new = ("new-window", "-P", "-F", "#{window_id}", "-n", ref.name, *here)
    window = tmux.call(*new, *client, *attach).strip()
    with contextlib.suppress(TmuxError):
        # It may have ended at once.
        tmux.call("set-option", "-w", "-t", window, _SHOWS, ref.id)


def next_waiting_agent(ref: OfficeRef) -> str:
    """Return the agent after the selected one whose question is open.

    Raises:
        Refused: nobody waits.
    """
    seen = look_at(ref, Tmux(ref.socket))
    names = list(seen)
    here = next(
        (
            name
            for name, one in seen.items()
            if one.standing.pane
            and one.standing.pane.active
            and one.standing.pane.window_active
        ),
        None,
    )
    start = names.index(here) + 1 if here in names else 0
    for name in (*names[start:], *names[:start]):
        if seen[name].reading.activity is Activity.WAITING:
            return name
    message = "no agent waits for an answer"
    raise Refused(message, hint="`mdtmux ps` shows what each of them does")
