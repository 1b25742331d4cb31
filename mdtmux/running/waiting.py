"""Wait until agents are in a wanted condition."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from mdtmux.mail.box import Box
from mdtmux.mail.message import State
from mdtmux.running.activity import Seen, look_at
from mdtmux.running.offices import OfficeRef
from mdtmux.system.tmux import Tmux


@dataclass(slots=True)
class Met:
    """How a wait ended: who is in the condition and why, who ended, who is late.

    `late` says of each what it was instead.
    """

    found: dict[str, str] = field(default_factory=dict)
    ended: list[str] = field(default_factory=list)
    late: dict[str, str] = field(default_factory=dict)
    good: bool = False


def wait_for_mail(
    ref: OfficeRef, names: Sequence[str], *, any_one: bool, timeout: float | None
) -> Met:
    """Wait until all members (or any one) have mail that they have not read.

    Whether they run does not matter. `timeout` in seconds, None for no limit.
    """
    deadline = None if timeout is None else time.monotonic() + timeout
    pause = 0.1
    while True:
        met = Met()
        for name in dict.fromkeys(names):
            unread = [
                one.id
                for one in Box(ref.state / "mail" / name).waiting()
                if one.state in (State.SENT, State.ANNOUNCED)
            ]
            if unread:
                met.found[name] = f"mail: {', '.join(unread)}"
        met.good = bool(met.found) if any_one else len(met.found) == len(set(names))
        if met.good:
            return met
        if deadline is not None and time.monotonic() >= deadline:
            met.late = {n: "without new mail" for n in names if n not in met.found}
            return met
        time.sleep(pause)
        pause = min(pause * 1.3, 0.5)


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
        seen = look_at(ref, tmux)
        met = _judge(seen, agents, goal)
        met.good = bool(met.found) if any_one else len(met.found) == len(set(agents))
        given_up = met.ended and (not any_one or len(met.ended) == len(set(agents)))
        if met.good or given_up:
            return met
        if deadline is not None and time.monotonic() >= deadline:
            late = [name for name in agents if name not in met.found]
            met.late = {name: _instead(seen.get(name), goal) for name in late}
            met.ended = []
            return met
        time.sleep(pause)
        pause = min(pause * 1.3, 0.5)


def _instead(one: Seen | None, goal: str) -> str:
    """Return the activity of an agent that was to have another, or its state."""
    if one is None:
        return "stopped"
    standing = one.standing
    told = goal != "exited" and standing.lives
    return str(one.reading.activity if told else standing.state)


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
