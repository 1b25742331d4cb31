"""Wait until agents are in a wanted condition."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from mdtmux.running.activity import Seen, look_at
from mdtmux.running.offices import OfficeRef
from mdtmux.system.tmux import Tmux


@dataclass(slots=True)
class Met:
    """How a wait ended: who is in the condition and why, who ended, who is late."""

    found: dict[str, str] = field(default_factory=dict)
    ended: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    good: bool = False


def wait_for(
    ref: OfficeRef,
    agents: Sequence[str],
    goal: str,
    *,
    any_one: bool,
    timeout: float | None,
) -> Met:
    """Wait until all agents (or any one) are `idle`, `waiting` or `exited`.

    Ends early when an agent has ended that was to be idle or waiting (with `any_one`:
    when all of them have). `timeout` in seconds, None for no limit.
    """
    tmux = Tmux(ref.socket)
    deadline = None if timeout is None else time.monotonic() + timeout
    pause = 0.1
    while True:
        met = _judge(look_at(ref, tmux), agents, goal)
        met.good = bool(met.found) if any_one else len(met.found) == len(set(agents))
        given_up = met.ended and (not any_one or len(met.ended) == len(set(agents)))
        if met.good or given_up:
            return met
        if deadline is not None and time.monotonic() >= deadline:
            met.late = [name for name in agents if name not in met.found]
            met.ended = []
            return met
        time.sleep(pause)
        pause = min(pause * 1.3, 0.5)


def _judge(seen: dict[str, Seen], agents: Sequence[str], goal: str) -> Met:
    met = Met()
    for name in dict.fromkeys(agents):
        one = seen.get(name)
        lives = one is not None and one.standing.lives
        if goal == "exited":
            if not lives:
                met.found[name] = one.standing.why if one else "it was never started"
        elif not lives:
            met.ended.append(name)
        elif one is not None and str(one.reading.activity) == goal:
            met.found[name] = f"{goal}: {one.reading.evidence.strip()}"
    return met
