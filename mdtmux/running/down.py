"""Bring an office down: nothing of it is left, and nothing of anybody else is touched."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from mdtmux.delivery.receipt import Receipt
from mdtmux.errors import MdtmuxError, TmuxError
from mdtmux.record.marks import measured
from mdtmux.running.events import log_event
from mdtmux.running.holding import held, server_held
from mdtmux.running.observe import Standing, observe
from mdtmux.running.offices import OfficeRef
from mdtmux.running.ringing import stop_postman
from mdtmux.running.stopping import (
    Halt,
    halt_of,
    keys_of,
    processes_of,
    stop_agents,
)
from mdtmux.running.wish import Wish, write_wish
from mdtmux.system.processes import argv_of, identify, wait_gone, working_in
from mdtmux.system.screen import Pane
from mdtmux.system.tmux import Tmux, line


@dataclass(frozen=True, slots=True)
class DownResult:
    """What `down` did; `names` are the agents that it was asked to stop, if not all.

    `strangers` are panes in the session and processes in the agents' worktrees that
    are not known to be ours: they are left alone, and told.
    """

    halt: Halt
    names: tuple[str, ...]
    strangers: tuple[str, ...]


def bring_down(
    ref: OfficeRef,
    only: Sequence[str],
    timeout: float | None,
    tell: Callable[[str], None],
) -> DownResult:
    """Stop the agents (all, or those named), close their panes and verify.

    Raises:
        Busy: another `up` or `down` holds the office.
    """
    tmux = Tmux(ref.socket)
    with held(ref):
        standings = observe(ref, tmux)
        names = list(only) or list(standings)
        chosen = [standings[name] for name in names if name in standings]
        write_wish(ref.state, names, Wish.STOPPED)
        texts = stop_pumps(ref, chosen)
        if not only:
            stop_postman(ref.state)
        alive = processes_of(ref.state, chosen)
        here = [one for one in chosen if one.pane is not None or alive.get(one.name)]
        live = [one.name for one in here if one.lives or alive.get(one.name)]
        for name in live:
            tell(f"stopping {name}")
        log_event(ref.state, "down", agents=live)
        survivors = stop_agents(ref.state, tmux, here, timeout)
        panes = close_panes(ref, tmux, here)
        others = [one for one in standings.values() if one not in here]
        strangers = (*panes, *_at_work(ref, here, others))
        return DownResult(
            halt_of(names, live, survivors, texts), tuple(only), strangers
        )


def _at_work(
    ref: OfficeRef, stopped: Sequence[Standing], others: Sequence[Standing]
) -> Iterator[str]:
    """Tell of processes in the worktrees that bear no mark of an agent.

    A daemon that cleared its environment cannot be told from a person's editor.
    """
    trees = {one.record.worktree for one in stopped if one.record is not None}
    own = [tree for tree in trees if tree is not None and tree != ref.repo]
    found = working_in(own) if own else []
    known: set[int] = set()
    if found:
        # Survivors are told already, and who shares a worktree is at work by right.
        belong = processes_of(ref.state, [*stopped, *others]).values()
        known = {one.pid for group in belong for one in group}
    for pid, place in found:
        if pid not in known:
            program = (argv_of(pid) or ("?",))[0]
            yield f"process {pid} ({program}) in {place}"


def close_panes(
    ref: OfficeRef, tmux: Tmux, standings: Sequence[Standing]
) -> tuple[str, ...]:
    """Close the agents' panes; return panes that keep the session because they are not ours.

    Waits for the tmux server's end when the last session has gone: a start right
    after would meet it on its way out.
    """
    with server_held(ref.socket):
        return _close_panes(ref, tmux, standings)


def _close_panes(
    ref: OfficeRef, tmux: Tmux, standings: Sequence[Standing]
) -> tuple[str, ...]:
    before = tmux.panes()
    ours = [pane for pane in before if pane.office == ref.id]
    names = {standing.name for standing in standings}
    # A pane in which something lives still runs what a person started there by hand,
    # or what would not end: both are told, neither is killed with the pane.
    closing = [
        pane
        for pane in ours
        if pane.agent in names and (pane.dead or identify(pane.pid) is None)
    ]
    server = identify(before[0].server_pid) if before else None
    for pane in closing:
        measured(ref.state / "record" / pane.agent, pane.width, pane.height)
    if closing:
        rows = [_kill_row(pane) for pane in closing]
        try:
            tmux.batch("\n".join(rows) + "\n")
        except TmuxError as error:
            if tmux.socket.listens():
                message = f"tmux would not close a pane: {error.message}"
                raise MdtmuxError(message) from error
    gone = {pane.pane for pane in closing}
    if server is not None and gone == {pane.pane for pane in before}:
        wait_gone([server], 5.0)
        _wait_silent(tmux)
        return ()
    session = [
        pane for pane in before if pane.session == ref.session and pane.pane not in gone
    ]
    # The session's own mark shows on a pane that has none: an agent's has its name.
    foreign = [pane for pane in session if not pane.agent or pane.agent in names]
    return tuple(f"pane {pane.pane} ({pane.command})" for pane in foreign)


def _kill_row(pane: Pane) -> str:
    # Inside the server: the id may have been given to another pane meanwhile.
    same = f"#{{&&:#{{==:#{{@mdtmux_office}},{pane.office}}},#{{==:#{{@mdtmux_run}},{pane.run}}}}}"
    return line("if-shell", "-F", "-t", pane.pane, same, f"kill-pane -t {pane.pane}")


def _wait_silent(tmux: Tmux) -> None:
    limit = time.monotonic() + 5.0
    while tmux.socket.listens() and time.monotonic() < limit:
        time.sleep(0.01)


def stop_pumps(ref: OfficeRef, standings: Sequence[Standing]) -> list[Receipt]:
    """End the delivery helpers of agents that are about to be stopped.

    Returns what became of the texts that were just being typed.
    """
    from mdtmux.delivery.pump import stop_pump

    return [
        one
        for standing in standings
        for one in stop_pump(ref.state, standing.name, keys_of(standing))
    ]
