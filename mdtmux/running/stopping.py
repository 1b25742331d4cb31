"""Stop agents with everything they started: keys, TERM, KILL, and a look that it holds."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mdtmux.agents.kinds import kind_of
from mdtmux.errors import TmuxError
from mdtmux.running.observe import Standing
from mdtmux.system.processes import (
    Identity,
    alive,
    argv_of,
    family,
    identify,
    send_signal,
    wait_gone,
)
from mdtmux.system.tmux import Tmux

# Between two stop keys: a program that wants the second press within a second must
# have seen the first one as a press of its own.
KEY_GAP = 0.15
TERM_WAIT = 5.0
KILL_WAIT = 5.0


@dataclass(frozen=True, slots=True)
class Survivor:
    """A process that would not end."""

    agent: str
    pid: int
    argv: tuple[str, ...]


@dataclass(slots=True)
class _Stop:
    standing: Standing
    members: set[Identity]
    keys: tuple[str, ...]
    deadline: float


def stop_agents(
    state: Path, tmux: Tmux, standings: Sequence[Standing], timeout: float | None = None
) -> list[Survivor]:
    """Stop the agents, all at once, and return what survived (nothing, as a rule).

    The ladder: the agent's stop keys, its `stop.timeout` seconds (or `timeout`) for
    its own end, TERM to all that belongs to it, KILL. Processes that left the
    session or were re-parented belong to it by their environment.
    """
    stops = [_prepare(state, standing, timeout) for standing in standings]
    _press(tmux, stops)
    _await_own_end(stops)
    for stop in stops:
        # What was seen before the end of the root is re-parented by now.
        stop.members |= _family(state, [stop.standing])
    left = _signal(stops, signal.SIGTERM, TERM_WAIT)
    if left:
        # A child may have been born while its parent was ending.
        for stop in stops:
            stop.members |= _family(state, [stop.standing])
        _signal(stops, signal.SIGKILL, KILL_WAIT)
    return _survivors(state, stops)


def leftovers(state: Path, standings: Iterable[Standing]) -> frozenset[Identity]:
    """Return the processes that still belong to the agents."""
    return _family(state, list(standings))


def _prepare(state: Path, standing: Standing, timeout: float | None) -> _Stop:
    record = standing.record
    keys: tuple[str, ...] = ("C-c",)
    wait = timeout if timeout is not None else 10.0
    if record is not None:
        agent = record.agent
        keys = kind_of(agent).stop_keys if agent.stop.keys is None else agent.stop.keys
        wait = agent.stop.timeout if timeout is None else timeout
    members = set(_family(state, [standing]))
    return _Stop(standing, members, keys, time.monotonic() + wait)


def _family(state: Path, standings: Sequence[Standing]) -> frozenset[Identity]:
    names = {standing.name for standing in standings}
    roots = [
        standing.pane.pid
        for standing in standings
        if standing.pane is not None and not standing.pane.dead and standing.identity
    ]

    def belongs(env: Mapping[str, str]) -> bool:
        return (
            env.get("MDTMUX_STATE") == str(state) and env.get("MDTMUX_AGENT") in names
        )

    return family(roots, belongs)


def _press(tmux: Tmux, stops: Sequence[_Stop]) -> None:
    rounds = max((len(stop.keys) for stop in stops), default=0)
    for number in range(rounds):
        if number:
            time.sleep(KEY_GAP)
        for stop in stops:
            pane, identity = stop.standing.pane, stop.standing.identity
            if pane is None or identity is None or number >= len(stop.keys):
                continue
            if not alive(identity):
                continue
            try:
                tmux.leave_mode(pane.pane)
                tmux.keys(pane.pane, stop.keys[number])
            except TmuxError:
                # The pane went away by itself: that is what was wanted.
                continue


def _await_own_end(stops: Sequence[_Stop]) -> None:
    for stop in stops:
        identity = stop.standing.identity
        if identity is not None and stop.keys:
            wait_gone([identity], max(0.0, stop.deadline - time.monotonic()))


def _signal(stops: Sequence[_Stop], number: int, seconds: float) -> bool:
    """Signal what is left of all; return whether anything survived."""
    left = {one for stop in stops for one in stop.members if alive(one)}
    for one in left:
        send_signal(one, number)
        send_signal(one, signal.SIGCONT)
    return bool(wait_gone(left, seconds))


def _survivors(state: Path, stops: Sequence[_Stop]) -> list[Survivor]:
    found: list[Survivor] = []
    for stop in stops:
        current = {one for one in stop.members if alive(one)}
        current |= _family(state, [_dead(stop.standing)])
        found += [
            Survivor(stop.standing.name, one.pid, argv_of(one.pid)) for one in current
        ]
    return found


def _dead(standing: Standing) -> Standing:
    pane = standing.pane
    if pane is None or identify(pane.pid) == standing.identity:
        return standing
    # The pid may belong to somebody else by now: look by the marks alone.
    return Standing(
        standing.name, standing.state, standing.why, standing.since, None, None,
        None, None, standing.record, standing.wish,
    )  # fmt: skip
