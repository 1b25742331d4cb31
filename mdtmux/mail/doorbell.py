"""When an agent is told that it has mail, and in which words. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mdtmux.mail.box import Entry
from mdtmux.mail.message import State

# Seconds from one reminder of unread mail to the next; after the last there is silence
# until new mail comes.
REMINDERS = (60.0, 300.0, 1800.0)
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Bell:
    """What was rung: when last (seconds since the epoch), and how often for the same.

    Nothing is due before `held`. `why` is what kept the last ring from being rung.
    """

    rung: float = 0.0
    count: int = 0
    held: float = 0.0
    why: str = ""


def due(waiting: Sequence[Entry], bell: Bell, now: float) -> float | None:
    """Return when to ring, `now` or later; None when there is nothing to ring for."""
    states = {entry.state for entry in waiting}
    if State.SENT in states:
        return max(now, bell.held)
    if State.ANNOUNCED not in states or bell.count > len(REMINDERS):
        return None
    pause = REMINDERS[max(bell.count - 1, 0)] if bell.count <= len(REMINDERS) else 0.0
    return max(now, bell.rung + pause, bell.held)


def rung(waiting: Sequence[Entry], bell: Bell, now: float) -> Bell:
    """Return the bell after it was rung for what was waiting."""
    fresh = any(entry.state is State.SENT for entry in waiting)
    return Bell(now, 1 if fresh else bell.count + 1)


def stuck(bell: Bell, now: float) -> Bell:
    """Return the bell after a ring of which nothing shows whether it was heard."""
    why = "it was told, but nothing shows that it took the line"
    return Bell(bell.rung, bell.count, now + REMINDERS[0], why)


def line(waiting: Sequence[Entry], senders: Mapping[str, str]) -> str:
    """Return the one line that is typed; `senders` has the sender of each id.

    Ids and names only: what others write is never typed into anybody.
    """
    unread = [e for e in waiting if e.state in (State.SENT, State.ANNOUNCED)]
    named = [f"{e.id} from {senders.get(e.id, '?')}" for e in unread[:_NAMED]]
    more = f" and {len(unread) - _NAMED} more" if len(unread) > _NAMED else ""
    what = "1 message" if len(unread) == 1 else f"{len(unread)} messages"
    return (
        f"You have mail: {what} ({', '.join(named)}{more})."
        " Run `mdtmux mail read` to read it."
    )
