"""What a terminal sends, as events: typed text, pastes and keys.

Bytes arrive in pieces of any size, so the decoder keeps what is incomplete. A long
paste costs time in proportion to its length.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from enum import Enum, auto

_PASTE = b"\x1b[200~"
_PASTED = b"\x1b[201~"
_TOKEN = re.compile(
    rb"\x1b\[[0-?]*[ -/]*[@-~]"  # a control sequence
    rb"|\x1bO[ -~]"  # keypad and function keys
    rb"|\x1b[\x00-\x1a\x1c-NP-Z\\-\x7f]"  # Alt and a key
    rb"|\x1b(?=[\x1b\x80-\xff])"  # Escape, and something else after it
    rb"|[\x00-\x1a\x1c-\x1f\x7f]"
    rb"|[^\x00-\x1f\x7f]+"
)
_NAMES = {
    b"\r": "enter", b"\n": "newline", b"\x1b\r": "newline", b"\x1b": "escape",
    b"\x7f": "backspace", b"\x08": "backspace", b"\x01": "home", b"\x02": "left",
    b"\x03": "interrupt", b"\x04": "end-of-input", b"\x05": "end", b"\x06": "right",
    b"\x0b": "kill-end", b"\x0e": "down", b"\x10": "up", b"\x15": "clear",
    b"\x17": "kill-word", b"\x1b\x7f": "kill-word",
    b"\x1b[A": "up", b"\x1b[B": "down", b"\x1b[C": "right", b"\x1b[D": "left",
    b"\x1bOA": "up", b"\x1bOB": "down", b"\x1bOC": "right", b"\x1bOD": "left",
    b"\x1b[H": "home", b"\x1b[F": "end", b"\x1b[1~": "home", b"\x1b[4~": "end",
    b"\x1b[3~": "delete",
}  # fmt: skip


class Source(Enum):
    """Where an event comes from."""

    TYPED = auto()
    PASTED = auto()
    KEY = auto()


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that a person or a program did at the terminal.

    `text` is what was typed or pasted, or the key's name. `alone` tells whether
    nothing but the key itself came in the same read.
    """

    source: Source
    text: str
    alone: bool = True


class Decoder:
    """Turn bytes into events."""

    def __init__(self) -> None:
        self._rest = b""
        self._paste: bytearray | None = None
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")

    @property
    def undecided(self) -> bool:
        """Whether an Escape waits for what may follow it; see `settle`."""
        return self._paste is None and self._rest.startswith(b"\x1b")

    def settle(self) -> list[Event]:
        """Give up waiting: an Escape that stood alone was the key of that name."""
        if not self.undecided:
            return []
        alone, self._rest = self._rest == b"\x1b", b""
        return [Event(Source.KEY, "escape")] if alone else []

    def feed(self, data: bytes) -> list[Event]:
        """Return the events that one read completes."""
        # Several Enters in one read are keys; among other bytes they are a burst.
        alone = len(data) == 1 or not data.strip(b"\r")
        events: list[Event] = []
        while data:
            if self._paste is None:
                data = self._keys(self._rest + data, alone, events)
            else:
                data = self._pasted(self._paste, data, events)
        return events

    def _pasted(self, paste: bytearray, data: bytes, events: list[Event]) -> bytes:
        """Take bytes of a paste and return those after its end."""
        start = max(0, len(paste) - len(_PASTED))
        paste += data
        end = paste.find(_PASTED, start)
        if end < 0:
            return b""
        events.append(Event(Source.PASTED, _plain(bytes(paste[:end]))))
        self._paste = None
        return bytes(paste[end + len(_PASTED) :])

    def _keys(self, data: bytes, alone: bool, events: list[Event]) -> bytes:
        """Take bytes up to the start of a paste and return those after it."""
        self._rest = b""
        place = 0
        while match := _TOKEN.match(data, place):
            place = match.end()
            token = match.group()
            if token == _PASTE:
                self._paste = bytearray()
                return data[place:]
            self._take(token, alone, events)
        # What is left is the beginning of a sequence, or bytes that are none.
        if place < len(data):
            self._rest = data[place:] if len(data) - place < 32 else b""
        return b""

    def _take(self, token: bytes, alone: bool, events: list[Event]) -> None:
        if token in _NAMES:
            events.append(Event(Source.KEY, _NAMES[token], alone))
        elif token == b"\t":
            events.append(Event(Source.TYPED, "\t"))
        elif token[0] >= 0x20 and token != b"\x7f":
            text = self._utf8.decode(token)
            if text:
                events.append(Event(Source.TYPED, text))


def _plain(data: bytes) -> str:
    r"""Return pasted bytes as text; every kind of line break is one `\n`."""
    text = data.decode("utf-8", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")
