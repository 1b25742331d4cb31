"""Send a message: resolve, guard against circles, lay it in, and know what became of it."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from mdtmux.errors import Refused, UsageError
from mdtmux.mail import pairs
from mdtmux.mail.box import Box
from mdtmux.mail.message import HUMAN, OFFICE, Message, State, compose, is_id
from mdtmux.mail.pairs import Rate
from mdtmux.names import is_name, nearest
from mdtmux.system import files

# Answers to answers: more than people and agents need, few enough to end a circle.
HOPS = 24
# What one agent may write to another; people are not held.
RATES = (Rate(100, 60.0), Rate(600, 3600.0))
_SENT = re.compile(r"([0-9a-f]{12}) (\S+)")
# Bytes at the end of the list of sent messages that are looked at.
_TAIL = 64_000
# Characters of a message that its sender gets back.
_QUOTED = 10_000


@dataclass(frozen=True, slots=True)
class Draft:
    """What somebody wants to send.

    `deadline` is how many seconds the sender waits for an answer, None when none is
    asked for. `reply_to` is the id of a message in the sender's own box, or empty.
    """

    body: str
    subject: str = ""
    reply_to: str = ""
    deadline: float | None = None
    run: str = ""


@dataclass(frozen=True, slots=True)
class Sent:
    """A message that somebody has sent, and how far it has come."""

    id: str
    to: str
    state: State


class Post:
    """The mail of one office: the boxes of its members below its state folder.

    `members` are the exact names that have a box.
    """

    def __init__(self, state: Path, members: Collection[str]) -> None:
        self.root = state / "mail"
        self.members = (*members, HUMAN)

    def box(self, name: str) -> Box:
        """Return the mailbox of a member, past or present; `name` is a checked name."""
        return Box(self.root / name)

    def owners(self) -> list[str]:
        """Return who has a box, also who is no member any more."""
        found = self.root.glob("*/new") if self.root.is_dir() else ()
        return sorted(path.parent.name for path in found)

    def give_up(self, name: str, why: str) -> int:
        """Bury what a member has not read and tell the senders; return how many."""
        box, count = self.box(name), 0
        for entry in box.waiting():
            message = entry.load() if entry.state is not State.READ else None
            if message is not None and box.bury(entry):
                self.bounce(message, why)
                count += 1
        return count

    def resolve(self, name: str) -> str:
        """Return the member of exactly that name.

        Raises:
            UsageError: there is none; suggests the nearest.
        """
        if name in self.members:
            return name
        near = nearest(name, self.members)
        known = "members: " + ", ".join(self.members)
        message = f"nobody here is called `{name}`: nothing was sent"
        raise UsageError(message, hint=f"did you mean `{near}`?" if near else known)

    def send(self, sender: str, to: str, draft: Draft) -> Message:
        """Send one message and return it; afterwards it lies in the receiver's box.

        `sender` is who calls, never what a text says. An answer acks what it answers.

        Raises:
            UsageError: there is no such receiver, or no such message to answer.
            Refused: it is empty or too large, or the two write in a circle.
            MdtmuxError: the box cannot be written; nothing was sent.
        """
        original = self._original(sender, draft.reply_to)
        name = self.resolve(to)
        message = compose(sender, name, draft.body, draft.subject, run=draft.run)
        if draft.deadline is not None:
            message = replace(message, deadline=message.time + draft.deadline)
        if original is not None:
            message = _answer(message, original, draft.subject)
        try:
            self._guard(message)
        except Refused as error:
            pairs.stop(self.root, sender, name, error.message, message.time)
            raise
        self._lay(message)
        if original is not None:
            self.ack(sender, original.id)
        return message

    def _original(self, sender: str, number: str) -> Message | None:
        if not number:
            return None
        found = self.box(sender).find(number) if is_id(number) else None
        message = found.load() if found is not None else None
        if message is None:
            told = f"`{sender}` has no message `{number}` to answer: nothing was sent"
            raise UsageError(told, hint="`mdtmux mail ls` shows the ids")
        return message

    def _guard(self, message: Message) -> None:
        sender, to = message.sender, message.to
        if HUMAN in (sender, to) or sender == OFFICE:
            return
        told = f"`{sender}` and `{to}` write to each other in a circle"
        if message.hops > HOPS:
            reason = f"{told}: {message.hops} answers to answers; nothing was sent"
            raise Refused(reason, hint="say what is left to say in a new message")
        for rate in RATES:
            if pairs.exceeded(self.root, sender, to, rate, time.time()):
                reason = (
                    f"`{sender}` has written {rate.count} messages to `{to}` within"
                    f" {rate.seconds:g} s; nothing was sent"
                )
                raise Refused(reason, hint="wait, or put more into one message")

    def _lay(self, message: Message) -> None:
        self.box(message.to).put(message)
        pairs.add(self.root, message.sender, message.to, message.time)
        # After the message: a line without one would tell of mail that never was.
        line = f"{message.id} {message.to}"
        files.append_line(self.root / message.sender / "sent", line)

    def bounce(self, message: Message, why: str) -> Message:
        """Tell the sender of a message that it will not be read; return what is sent."""
        reason = f"Your message {message.id} to {message.to} will not be read: {why}."
        body = f"{reason}\n\n{message.body[:_QUOTED]}"
        title = f"undeliverable: {message.subject}"
        told = compose(OFFICE, message.sender, body, title)
        told = replace(told, thread=message.thread, reply_to=message.id)
        if message.sender != OFFICE:
            self._lay(told)
        return told

    def overdue(self, message: Message) -> None:
        """Tell the sender of a message that no answer has come in time."""
        body = (
            f"You asked {message.to} for an answer to {message.id}, and none has come in"
            f" time. `mdtmux mail ls --sent` shows whether it was read."
        )
        told = compose(OFFICE, message.sender, body, f"no answer: {message.subject}")
        if message.sender != OFFICE:
            self._lay(replace(told, thread=message.thread, reply_to=message.id))

    def ack(self, owner: str, number: str) -> bool:
        """Ack a message of the owner's box; False when it is not there or is acked."""
        box = self.box(owner)
        # A second look: the doorbell may have moved it in between.
        for _ in range(3):
            found = box.find(number)
            if found is None or found.state in (State.ACKED, State.DEAD):
                return False
            if box.ack(found):
                return True
        return False

    def state_of(self, number: str, to: str) -> State | None:
        """Return how far a message to a member has come; None when it is unknown."""
        found = self.box(to).find(number) if is_name(to) else None
        return None if found is None else found.state

    def unread(self, name: str) -> int:
        """Return how many messages a member has not read."""
        fresh = (State.SENT, State.ANNOUNCED)
        return sum(one.state in fresh for one in self.box(name).waiting())

    def stopped(self, sender: str) -> list[str]:
        """Return why messages of a sender were refused within the last hour."""
        return pairs.stopped(self.root, sender, time.time())

    def sent_by(self, sender: str) -> Iterator[Sent]:
        """Yield the latest messages of a sender, newest first, with their states."""
        path = self.root / sender / "sent"
        try:
            with path.open("rb") as file:
                size = file.seek(0, 2)
                file.seek(max(0, size - _TAIL))
                lines = file.read().decode("utf-8", "replace").splitlines()
        except FileNotFoundError:
            return
        for line in reversed(lines):
            match = _SENT.fullmatch(line)
            state = self.state_of(match[1], match[2]) if match else None
            if match is not None and state is not None:
                yield Sent(match[1], match[2], state)


def _answer(message: Message, original: Message, subject: str) -> Message:
    title = original.subject.removeprefix("Re: ")
    return replace(
        message,
        subject=message.subject if subject else f"Re: {title}",
        thread=original.thread,
        reply_to=original.id,
        hops=original.hops + 1,
    )
