"""Stop agents with everything they started: keys, TERM, KILL, and a look that it holds."""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mdtmux.agents.kinds import kind_of
from mdtmux.delivery.receipt import Receipt
from mdtmux.errors import TmuxError
from mdtmux.running.observe import Standing
from mdtmux.system.families import families
from mdtmux.system.guards import alone
from mdtmux.system.processes import (
    Identity,
    alive,
    argv_of,
    process_table,
    signal_all,
    wait_gone,
)
from mdtmux.system.screen import Pane
from mdtmux.system.tmux import Tmux, line

# Between two stop keys: a program that wants the second press within a second must
# have seen the first one as a press of its own.
KEY_GAP = 0.15
TERM_WAIT = 5.0
KILL_WAIT = 5.0
# Rounds of KILL against programs that start others faster than one can look.
KILLS = 5


@dataclass(frozen=True, slots=True)
class Survivor:
    """A process that would not end."""

    agent: str
    pid: int
    argv: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Halt:
    """What came of stopping agents: only those that ran can have been stopped.

    `texts`: what became of queued texts that were just being typed.
    """

    stopped: tuple[str, ...]
    not_running: tuple[str, ...]
    survivors: tuple[Survivor, ...]
    texts: tuple[Receipt, ...]


def halt_of(
    names: Iterable[str],
    running: Iterable[str],
    survivors: Sequence[Survivor],
    texts: Sequence[Receipt],
) -> Halt:
    """Tell the agents apart: who has ended, who did not run, who would not end.

    `texts` are the receipts of what was just being typed into them.
    """
    left, ran = {one.agent for one in survivors}, set(running)
    asked = list(dict.fromkeys(names))
    return Halt(
        tuple(name for name in asked if name in ran - left),
        tuple(name for name in asked if name not in ran),
        tuple(survivors),
        tuple(texts),
    )


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
    before = processes_of(state, standings)
    stops = [
        _prepare(one, before.get(one.name, frozenset()), timeout) for one in standings
    ]
    _press(tmux, stops)
    _await_own_end(stops)
    # What was seen before the end of the roots is re-parented by now, and more may
    # have been born.
    _look_again(state, stops)
    signal_all(_all(stops), signal.SIGTERM, TERM_WAIT)
    for _ in range(KILLS):
        # Whoever was not ended by TERM may have started something meanwhile.
        _look_again(state, stops)
        if not any(alive(one) for one in _all(stops)):
            break
        signal_all(_all(stops), signal.SIGKILL, KILL_WAIT)
    return [
        Survivor(stop.standing.name, one.pid, argv_of(one.pid))
        for stop in stops
        for one in stop.members
        if alive(one)
    ]


def end_earlier_lives(
    state: Path, tmux: Tmux, standings: Iterable[Standing], note: Callable[[str], None]
) -> dict[str, str]:
    """End what is left of agents that are to be started, or they would be there twice.

    A program that ignores the hang-up outlives its pane and its tmux server. Returns,
    by agent, why it must not be started: what would not end.
    """
    before = [one for one in standings if one.record is not None]
    left = processes_of(state, before) if before else {}
    again = [one for one in before if left.get(one.name)]
    if not again:
        return {}
    note(f"ending what is left of {', '.join(one.name for one in again)}")
    pids: dict[str, list[str]] = {}
    for survivor in stop_agents(state, tmux, again):
        pids.setdefault(survivor.agent, []).append(str(survivor.pid))
    return {
        name: f"not started: processes {', '.join(found)} of its earlier life live on"
        for name, found in pids.items()
    }


def processes_of(
    state: Path, standings: Iterable[Standing]
) -> dict[str, frozenset[Identity]]:
    """Return the processes that belong to each agent, by one look at all processes."""
    chosen = list(standings)
    names = {standing.name for standing in chosen}
    # The pid of a pane that has ended may be somebody else's by now, and so may be
    # what a person has started in the pane.
    roots = {
        standing.name: standing.root.pid
        for standing in chosen
        if standing.root is not None and alive(standing.root)
    }

    def mark(env: Mapping[str, str]) -> str | None:
        name = env.get("MDTMUX_AGENT")
        return name if name in names and env.get("MDTMUX_STATE") == str(state) else None

    return families(process_table(mark), roots)


def _prepare(
    standing: Standing, found: frozenset[Identity], timeout: float | None
) -> _Stop:
    record = standing.record
    wait = timeout if timeout is not None else 10.0
    if record is not None and timeout is None:
        wait = record.agent.stop.timeout
    return _Stop(standing, set(found), keys_of(standing), time.monotonic() + wait)


def keys_of(standing: Standing) -> tuple[str, ...]:
    """Return the keys that ask the agent to end."""
    if standing.record is None:
        return ("C-c",)
    agent = standing.record.agent
    return kind_of(agent).stop_keys if agent.stop.keys is None else agent.stop.keys


def _all(stops: Sequence[_Stop]) -> set[Identity]:
    return {one for stop in stops for one in stop.members}


def _look_again(state: Path, stops: Sequence[_Stop]) -> None:
    found = processes_of(state, [stop.standing for stop in stops])
    for stop in stops:
        stop.members |= found.get(stop.standing.name, frozenset())


def _press(tmux: Tmux, stops: Sequence[_Stop]) -> None:
    rounds = max((len(stop.keys) for stop in stops), default=0)
    for number in range(rounds):
        if number:
            time.sleep(KEY_GAP)
        rows: list[str] = []
        for stop in stops:
            pane, identity = stop.standing.pane, stop.standing.root
            if pane is None or identity is None or number >= len(stop.keys):
                continue
            if alive(identity):
                rows += _press_rows(pane, stop.keys[number])
        if rows:
            with contextlib.suppress(TmuxError):
                # A pane that went away by itself is what was wanted.
                tmux.batch("\n".join(rows) + "\n")


def _press_rows(pane: Pane, key: str) -> list[str]:
    mode = f"send-keys -t {pane.pane} -X cancel"
    same = f"#{{&&:#{{==:#{{@mdtmux_run}},{pane.run}}},#{{==:#{{pane_dead}},0}}}}"
    press = line("send-keys", "-t", pane.pane, "--", key)
    return [
        line("if-shell", "-F", "-t", pane.pane, "#{pane_in_mode}", mode),
        line("if-shell", "-F", "-t", pane.pane, same, line(*alone(pane.pane, press))),
    ]


def _await_own_end(stops: Sequence[_Stop]) -> None:
    for stop in stops:
        identity = stop.standing.root
        if identity is not None and stop.keys:
            wait_gone([identity], max(0.0, stop.deadline - time.monotonic()))
