"""Wait until started agents are ready by their own sign, or show why they are not."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from mdtmux.agents.base import Activity, Kind, Reading
from mdtmux.errors import NoServer, TmuxError
from mdtmux.record.reader import bracketed, last_output
from mdtmux.running.records import RunRecord
from mdtmux.system.launch import is_entering
from mdtmux.system.processes import Identity, age, alive, argv_of, is_waiting
from mdtmux.system.screen import Pane, Screen
from mdtmux.system.terminal import reads_keys
from mdtmux.system.tmux import Tmux

# A program that dies of a bad flag or a missing login does so in its first moment.
GRACE = 0.3
CALM = 0.05
# A program's first picture stands when nothing was written for this long.
STILL = 0.25
# A dialog is told at once when it stands this long: only a human can go on.
DIALOG = 1.0


class Result(StrEnum):
    """How the wait for one agent ended."""

    READY = "ready"
    ENDED = "ended"
    WAITING = "waiting"
    LATE = "not ready"


@dataclass(frozen=True, slots=True)
class Readiness:
    """The end of one agent's wait, with the row that shows it."""

    result: Result
    evidence: str
    pane: Pane | None


@dataclass(slots=True)
class _Wait:
    record: RunRecord
    kind: Kind
    deadline: float
    state: Path
    dialog_since: float | None = None
    calm_since: float | None = None


def wait_ready(
    state: Path,
    tmux: Callable[[], Tmux],
    records: Sequence[tuple[RunRecord, Kind]],
    timeout: float | None,
    done: Callable[[str, Readiness], None],
) -> None:
    """Call `done(name, readiness)` once for each agent, as soon as it is known.

    `tmux` is called only when a screen must be read. `timeout` in seconds replaces
    the agents' own.
    """
    start = time.monotonic()
    waits = [
        _Wait(record, kind, start + limit_of(record, timeout), state)
        for record, kind in records
    ]
    pause = 0.02
    while waits:
        left: list[_Wait] = []
        for wait in waits:
            found = _check(wait, tmux)
            if found is None:
                left.append(wait)
            else:
                done(wait.record.agent.name, found)
        waits = left
        if waits:
            time.sleep(min(pause, _next_calm(waits)))
            pause = min(pause * 1.3, 0.25)


def _next_calm(waits: Sequence[_Wait]) -> float:
    """Return the seconds until the last of the calm ones has been calm for long."""
    ends = [one.calm_since + CALM for one in waits if one.calm_since is not None]
    left = max(ends, default=float("inf")) - time.monotonic()
    return left if left > 0 else float("inf")


def limit_of(record: RunRecord, timeout: float | None) -> float:
    """Return the seconds that the agent has to get ready."""
    return record.agent.ready.timeout if timeout is None else timeout


def needs_screen(record: RunRecord, kind: Kind) -> bool:
    """Tell whether readiness is read from the screen or from the process alone."""
    return record.agent.ready.pattern is not None or kind.reads_screen


def _check(wait: _Wait, tmux: Callable[[], Tmux]) -> Readiness | None:
    now = time.monotonic()
    record = wait.record
    identity = record.identity
    if identity is None or not alive(identity):
        return _ended(tmux, record)
    if not needs_screen(record, wait.kind):
        return _check_process(wait, identity, now)
    return _check_screen(wait, tmux(), now)


def _check_process(wait: _Wait, identity: Identity, now: float) -> Readiness | None:
    """Judge a program whose screen nobody can read.

    When a prompt is to be typed into it, it must have asked for input first: for
    bracketed paste, or for its keys one by one; and its first picture must stand.
    """
    record = wait.record
    if not _past_its_start(wait, identity, now):
        return None
    if record.agent.prompt is None:
        return Readiness(Result.READY, "its process runs", None)
    folder = wait.state / "record" / record.agent.name
    written = last_output(folder)
    asked = bracketed(folder) or reads_keys(identity.pid)
    if asked and (written is None or time.time() - written >= STILL):
        return Readiness(Result.READY, "it reads its terminal", None)
    if now >= wait.deadline:
        told = (
            "nothing shows that it asks for input; `ready: {pattern: …}` can tell when"
        )
        return Readiness(Result.LATE, told, None)
    return None


def _past_its_start(wait: _Wait, identity: Identity, now: float) -> bool:
    """Tell whether the program is beyond the moment in which a wrong call ends it.

    One that is loaded and waits for something has read its arguments.
    """
    if not is_waiting(identity.pid) or is_entering(argv_of(identity.pid)):
        wait.calm_since = None
        return age(identity) >= GRACE
    wait.calm_since = wait.calm_since or now
    return now - wait.calm_since >= CALM or age(identity) >= GRACE


def _check_screen(wait: _Wait, tmux: Tmux, now: float) -> Readiness | None:
    try:
        pane, screen = tmux.look(wait.record.pane)
    except TmuxError:
        return Readiness(Result.ENDED, "its pane is gone", None)
    if pane.dead:
        return _ended(lambda: tmux, wait.record)
    reading = wait.kind.read(screen)
    if reading.activity is Activity.WAITING:
        wait.dialog_since = wait.dialog_since or now
        if now - wait.dialog_since >= DIALOG:
            return Readiness(Result.WAITING, _dialog(reading), pane)
        return None
    wait.dialog_since = None
    row = ready_row(wait.record, reading, screen)
    if row is not None:
        return Readiness(Result.READY, row, pane)
    if now >= wait.deadline:
        return Readiness(Result.LATE, reading.evidence, pane)
    return None


def ready_row(record: RunRecord, reading: Reading, screen: Screen) -> str | None:
    """Return the row that shows that the agent is ready, None if none does."""
    pattern = record.agent.ready.pattern
    if pattern is None:
        return (reading.evidence or "its input line") if reading.accepts else None
    found = re.compile(pattern)
    # Rows are cut at the right: an empty prompt `> ` must still match `> $`.
    return next(
        (r for r in screen.lines if found.search(r) or found.search(f"{r} ")), None
    )


def _dialog(reading: Reading) -> str:
    return f"{reading.dialog or 'question'}: {reading.evidence.strip()}"


def _ended(tmux: Callable[[], Tmux], record: RunRecord) -> Readiness:
    """Fetch the pane of an ended process: its status arrives a moment later."""
    limit = time.monotonic() + 2.0
    pane = None
    while time.monotonic() < limit:
        try:
            pane = next((p for p in tmux().panes() if p.run == record.run), None)
        except NoServer:
            pane = None
        if pane is None or (pane.dead and pane.ended() != "ended"):
            return Readiness(Result.ENDED, "", pane)
        time.sleep(0.02)
    return Readiness(Result.ENDED, "", pane)
