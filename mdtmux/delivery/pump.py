"""The pump: a small process that types what is queued as soon as the agent takes it.

There is at most one for each agent, by a kernel lock. It ends by itself when the
queue is empty or the agent's run has ended; `ensure` starts one where it is needed.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from mdtmux.delivery import queue
from mdtmux.delivery.look import Clock
from mdtmux.delivery.queue import Item
from mdtmux.delivery.receipt import Outcome, Receipt, now
from mdtmux.delivery.target import Options, Target
from mdtmux.errors import Busy, MdtmuxError
from mdtmux.system import files, locks
from mdtmux.system.processes import (
    MARKER,
    Identity,
    alive,
    end,
    identify,
)
from mdtmux.system.programs import spawn_detached
from mdtmux.system.tmux import Tmux

# Seconds between two looks at an agent that cannot take the text yet.
PACE = 1.0
# The longest that a pump waits for somebody who types by hand through the gate.
_LOCK_WAIT = 5.0
# Seconds that a pump has to end when told to.
_END = 2.0
# What would make the pump look like a part of the agent in whose pane it was started.
_MARKS = (MARKER, "MDTMUX_AGENT", "MDTMUX_ROLE", "TMUX", "TMUX_PANE")


def pump(
    state: Path,
    agent: str,
    tmux: Tmux,
    look_up: Callable[[], Target | None],
    clock: Clock | None = None,
) -> None:
    """Type the agent's queue in order; return when it is empty or the run has ended.

    `look_up` returns the running agent, None when it does not run or shall not.
    Returns at once when another pump of the agent runs.

    Raises:
        MdtmuxError: the state folder cannot be written.
    """
    time = clock or Clock()
    while queue.pending(state, agent):
        try:
            with locks.hold(
                _lock(state, agent), wait=0.0, what=f"the pump of `{agent}`"
            ):
                ended = not _drain(state, agent, tmux, look_up, time)
        except Busy:
            return
        if ended:
            return
        # Whoever queues a text while this pump still held the lock has started no
        # other one: look at the queue again.


def _drain(
    state: Path,
    agent: str,
    tmux: Tmux,
    look_up: Callable[[], Target | None],
    clock: Clock,
) -> bool:
    """Type until the queue is empty (True) or nobody is there to type to (False)."""
    queue.settle_claims(state, agent)
    _announce(state, agent, "")
    try:
        while (target := look_up()) is not None:
            result = queue.work(state, agent, partial(_type, tmux, target))
            if result is None:
                return True
            if result.outcome is Outcome.REFUSED:
                _announce(state, agent, result.reason)
                clock.pause(PACE)
        return False
    finally:
        queue.pump_file(state, agent).unlink(missing_ok=True)


def _type(tmux: Tmux, target: Target, item: Item) -> Receipt:
    # Imported here: whoever only looks after pumps types nothing.
    from mdtmux.delivery.gate import attempt

    options = Options(
        force=item.force, command=item.command, timeout=_LOCK_WAIT, item=item.id
    )
    return attempt(tmux, target, item.text, options)


def ensure(state: Path, office: str, agent: str) -> Identity | None:
    """Start the agent's pump if something waits and none runs; return the new one.

    `office` is what `mdtmux --office` takes.
    """
    if not queue.pending(state, agent):
        return None
    with contextlib.suppress(Busy):
        with locks.hold(_lock(state, agent), wait=0.0, what=f"the pump of `{agent}`"):
            pass
        env = {k: v for k, v in os.environ.items() if k not in _MARKS}
        argv = (sys.executable, "-P", "-m", "mdtmux", "--office", office, "pump", agent)
        log = files.private_dir(state / "logs") / f"pump-{agent}.log"
        return spawn_detached(argv, env=env, log=log)
    return None


def running(state: Path, agent: str) -> Identity | None:
    """Return the agent's live pump, None when there is none."""
    value = files.read_json(queue.pump_file(state, agent))
    if not isinstance(value, dict):
        return None
    pid, created = value.get("pid"), value.get("created")
    if not isinstance(pid, int) or not isinstance(created, float):
        return None
    found = Identity(pid, created)
    return found if alive(found) else None


def stop_pump(state: Path, agent: str, keys: Sequence[str]) -> list[Receipt]:
    """End the agent's pump, if one runs; what waits stays in the queue.

    `keys` are the stop keys that end the agent's run after this. Returns the receipt
    of the text that was just being typed, if one was.
    """
    if not queue.pump_file(state, agent).parent.is_dir():
        return []
    found = running(state, agent)
    if found is not None:
        end([found], term_wait=_END, kill_wait=_END)
    queue.pump_file(state, agent).unlink(missing_ok=True)
    with (
        contextlib.suppress(Busy),
        locks.hold(_lock(state, agent), wait=0.0, what=f"the pump of `{agent}`"),
    ):
        # Of what an earlier pump left when it died, nobody knows what a person did.
        return queue.settle_claims(state, agent, keys if found is not None else None)
    return []


def _announce(state: Path, agent: str, held: str) -> None:
    me = identify(os.getpid())
    if me is None:
        return
    value = {"pid": me.pid, "created": me.created, "held": held, "time": now()}
    with contextlib.suppress(MdtmuxError):
        files.write_json(queue.pump_file(state, agent), value)


def _lock(state: Path, agent: str) -> Path:
    return state / "locks" / f"pump-{agent}.lock"
