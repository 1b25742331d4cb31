"""A message between members of an office: a value, and its form on disk."""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum

from mdtmux.errors import Refused
from mdtmux.units import format_size

# The one who sits at the keyboard, and the office itself (it only sends).
HUMAN = "human"
OFFICE = "office"
# Bytes of a body; larger things are files, and a message names them.
LIMIT = 4_000_000
SUBJECT_LIMIT = 200
_ID = re.compile(r"[0-9a-f]{12}")


class State(StrEnum):
    """How far a message has come; each is set by the event itself.

    `SENT`: it lies in the box. `ANNOUNCED`: the receiver was told of it. `READ`: the
    receiver has printed it. `ACKED`: the receiver has said so, or has answered.
    `DEAD`: it will never be read.
    """

    SENT = "sent"
    ANNOUNCED = "announced"
    READ = "read"
    ACKED = "acked"
    DEAD = "dead"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message as it was sent; nothing in it changes later.

    `thread` is the id of the first message of its conversation, `reply_to` that of
    the one it answers or empty. `hops` counts the answers before it. `time` and
    `deadline` are seconds since the epoch, the latter 0 when no answer is asked for.
    `run` is the life of the agent that sent it, empty for people.
    """

    id: str
    sender: str
    to: str
    subject: str
    body: str
    thread: str
    reply_to: str = ""
    hops: int = 0
    time: float = 0.0
    deadline: float = 0.0
    run: str = ""

    @property
    def needs_reply(self) -> bool:
        """Whether the sender waits for an answer."""
        return self.deadline > 0


def new_id() -> str:
    """Return a new id: 12 hexadecimal digits."""
    return secrets.token_hex(6)


def is_id(text: str) -> bool:
    """Tell whether the text may be the id of a message."""
    return _ID.fullmatch(text) is not None


def compose(
    sender: str, to: str, body: str, subject: str = "", *, run: str = ""
) -> Message:
    """Return a new message that begins a thread; names are not checked here.

    Raises:
        Refused: it has neither subject nor body, or is too large.
    """
    size = len(body.encode("utf-8", "surrogateescape"))
    if size > LIMIT:
        message = f"the body has {format_size(size)}; at most {format_size(LIMIT)} can be sent"
        raise Refused(message, hint="write it into a file and name the file")
    title = " ".join(subject.split()) or _first_line(body)
    if not title:
        message = "the message is empty"
        raise Refused(message)
    number = new_id()
    return Message(
        id=number,
        sender=sender,
        to=to,
        subject=title[:SUBJECT_LIMIT],
        body=body,
        thread=number,
        time=time.time(),
        run=run,
    )


def _first_line(body: str) -> str:
    line = next((line for line in body.splitlines() if line.strip()), "")
    return " ".join(line.split())[:60]


def encode(message: Message) -> bytes:
    """Return the message as one JSON object; bytes that are no UTF-8 survive."""
    text = json.dumps(asdict(message), ensure_ascii=False) + "\n"
    return text.encode("utf-8", "backslashreplace")


def decode(data: bytes) -> Message | None:
    """Return the message of a file, None when it is none."""
    try:
        value = json.loads(data)
        return _from_json(value) if isinstance(value, dict) else None
    except (ValueError, RecursionError, TypeError, KeyError):
        return None


def _from_json(value: Mapping[str, object]) -> Message:
    def text(key: str) -> str:
        found = value[key]
        if not isinstance(found, str):
            raise TypeError(key)
        return found

    def number(key: str) -> float:
        found = value[key]
        if not isinstance(found, int | float):
            raise TypeError(key)
        return float(found)

    return Message(
        id=text("id"),
        sender=text("sender"),
        to=text("to"),
        subject=text("subject"),
        body=text("body"),
        thread=text("thread"),
        reply_to=text("reply_to"),
        hops=int(number("hops")),
        time=number("time"),
        deadline=number("deadline"),
        run=text("run"),
    )
