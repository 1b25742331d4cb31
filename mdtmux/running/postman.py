"""The postman: one small process of an office that rings where there is new mail.

It sleeps until somebody sends (a byte in a pipe wakes it) or a reminder is due; while
an agent cannot be told now, it looks again and again. It holds nothing that is not in
the mailboxes: killed at any time, the next one goes on. At most one runs for each
office, by a kernel lock; it ends with the last agent.
"""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

from mdtmux.delivery.gate import attempt
from mdtmux.delivery.receipt import Outcome, Receipt
from mdtmux.delivery.target import Options, Target
from mdtmux.errors import Busy, Refused
from mdtmux.mail.box import Box, Entry
from mdtmux.mail.doorbell import due, line, rung, stuck
from mdtmux.mail.message import State
from mdtmux.mail.post import Post
from mdtmux.running.events import log_event
from mdtmux.running.observe import observe
from mdtmux.running.offices import OfficeRef
from mdtmux.running.ringing import bell_of, keep_bell, pipe, place
from mdtmux.running.targets import target_of
from mdtmux.system import files, locks
from mdtmux.system.processes import identify
from mdtmux.system.tmux import Tmux

# Seconds until it looks again at an agent that could not be told.
PACE = 1.0
# The longest sleep: then it looks whether the office still runs.
_SLEEP = 60.0
# Seconds that it waits for somebody else who types.
_LOCK_WAIT = 2.0


def _lock(state: Path) -> Path:
    return state / "locks" / "postman.lock"


def serve(ref: OfficeRef, tmux: Tmux) -> None:
    """Ring for the office's mail until no agent lives; return at once beside another.

    Raises:
        MdtmuxError: the state folder cannot be used.
    """
    lock, what = _lock(ref.state), "the postman"
    with contextlib.suppress(Busy):
        while _living(ref, tmux):
            with locks.hold(lock, wait=0.0, what=what), _listening(ref.state) as bell:
                _serve(ref, tmux, bell)
            # Whoever rang while it was leaving has started no other one: look again.


@contextlib.contextmanager
def _listening(state: Path) -> Iterator[int]:
    """Yield the reading end of the pipe, with the process named for `stop_postman`."""
    path = pipe(state)
    files.private_dir(path.parent)
    with contextlib.suppress(FileExistsError):
        os.mkfifo(path, 0o600)
    # Open for both: without a writer the pipe would be at its end all the time.
    descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    me = identify(os.getpid())
    try:
        if me is not None:
            files.write_json(place(state), asdict(me))
        yield descriptor
    finally:
        os.close(descriptor)
        place(state).unlink(missing_ok=True)


def _serve(ref: OfficeRef, tmux: Tmux, bell: int) -> None:
    minute = 0.0
    while True:
        with contextlib.suppress(BlockingIOError):
            os.read(bell, 65536)
        pause = go_round(ref, tmux)
        if pause is None:
            return
        # Every message is read for it: not while it looks again each second.
        if time.monotonic() >= minute:
            tend(ref)
            minute = time.monotonic() + _SLEEP
        select.select([bell], [], [], pause)


def go_round(ref: OfficeRef, tmux: Tmux) -> float | None:
    """Ring wherever it is due; return the seconds until the next round, None at the end.

    The end is when no agent of the office lives: the next `up` starts another postman.
    """
    living = _living(ref, tmux)
    if not living:
        return None
    post = Post(ref.state, sorted(living))
    pauses = [_visit(ref, tmux, post, name) for name in sorted(living)]
    return min([_SLEEP, *(pause for pause in pauses if pause is not None)])


def _living(ref: OfficeRef, tmux: Tmux) -> set[str]:
    return {name for name, one in observe(ref, tmux).items() if one.lives}


def _visit(ref: OfficeRef, tmux: Tmux, post: Post, name: str) -> float | None:
    """Ring for one agent if it is due; return the seconds until it is due again."""
    box, now = post.box(name), time.time()
    waiting = box.waiting()
    bell = bell_of(box)
    then = due(waiting, bell, now)
    if then is None or then > now:
        return None if then is None else then - now
    try:
        target = target_of(ref, name, tmux)
    except Refused:
        return PACE
    receipt = _ring(tmux, target, box, waiting)
    if receipt.outcome is Outcome.SUBMITTED:
        fresh = [entry for entry in waiting if entry.state is State.SENT]
        told = [entry.id for entry in fresh if box.announce(entry)]
        keep_bell(box, rung(waiting, bell, time.time()))
        log_event(ref.state, "announced", agent=name, mail=told)
    elif receipt.outcome is Outcome.UNPROVEN:
        keep_bell(box, stuck(bell, time.time()))
    elif receipt.reason != bell.why:
        keep_bell(box, replace(bell, why=receipt.reason))
    return PACE


def _ring(tmux: Tmux, target: Target, box: Box, waiting: list[Entry]) -> Receipt:
    fresh = {entry.id for entry in waiting if entry.state is not State.READ}

    def wanted() -> bool:
        """Tell whether what the line names still lies there unread."""
        now = {e.id for e in box.waiting() if e.state is not State.READ}
        return bool(fresh & now)

    found = ((entry, entry.load()) for entry in waiting)
    senders = {entry.id: one.sender for entry, one in found if one is not None}
    options = Options(timeout=_LOCK_WAIT, idle=True, wanted=wanted)
    return attempt(tmux, target, line(waiting, senders), options)


def tend(ref: OfficeRef) -> None:
    """Tell whoever waits in vain for an answer, once; sweep what killed writers left.

    In every box, also of agents that do not run.
    """
    post = Post(ref.state, ())
    for name in post.owners():
        box = post.box(name)
        box.sweep()
        path = box.folder / "overdue.json"
        known = files.read_json(path)
        told = set(known) if isinstance(known, list) else set()
        late = []
        for entry in box.waiting():
            message = entry.load() if entry.id not in told else None
            if message is not None and 0 < message.deadline < time.time():
                late.append(message)
        if late:
            # Before it is told: after a kill nobody is told twice.
            files.write_json(path, sorted(told | {one.id for one in late}))
            for message in late:
                post.overdue(message)
