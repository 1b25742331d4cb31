"""What the screen proves about a text that was pasted, and about one that was entered.

Pure: looks go in, a finding comes out. A kind that knows its own input line decides;
for any other program the end of the text at the cursor and a movement of the screen
are the evidence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from mdtmux.agents.base import Activity, Kind, Reading
from mdtmux.delivery.look import Look
from mdtmux.system.screen import Screen

_BLANKS = re.compile(r"[\s│┃║|▌▐█▏▕╎┆┊]+")
_PLACEHOLDER = re.compile(r"\[(?:Pasted|paste)\b[^\]\n]*\]", re.IGNORECASE)
_TAIL = 20
# Rows above the cursor's that a wrapped end of the text can reach into.
_WRAPPED = 2
_AT_WORK = frozenset([Activity.BUSY, Activity.WAITING, Activity.LIMITED])


class After(StrEnum):
    """What a look after Enter shows: the text has left, still stands, or neither."""

    SUBMITTED = "submitted"
    STANDS = "stands"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Finding:
    """A conclusion and the words for what was seen."""

    after: After
    evidence: str


@dataclass(frozen=True, slots=True)
class Typed:
    """The moment before Enter.

    `clean` is the look before the paste, `still` whether the screen did not move by
    itself then, `canonical` whether the terminal collected lines.
    """

    text: str
    clean: Look
    look: Look
    still: bool
    canonical: bool


def _squeeze(text: str) -> str:
    return _BLANKS.sub("", text)


def holds(kind: Kind, screen: Screen, text: str) -> bool | None:
    """Tell whether the text stands in the input, as `Kind.holds` does.

    A terminal leaves out characters that its Unicode tables do not know yet (new
    emoji): where only those differ, the ASCII part of text and draft decides.
    """
    held = kind.holds(screen, text)
    if held is not False or text.isascii():
        return held
    draft = kind.read(screen).draft
    if not draft:
        return False
    end = _ascii(text)[-_TAIL:]
    return _ascii(draft).endswith(end) if end else None


def _ascii(text: str) -> str:
    return _squeeze(text.encode("ascii", "ignore").decode())


def tail(text: str) -> str:
    """Return the end of the text as it can be found on a screen however it wraps."""
    # The end of a large text is enough, and cheap.
    return _squeeze(text[-40 * _TAIL :])[-_TAIL:]


def is_own(row: str, text: str) -> bool:
    """Tell whether a row of the screen is the echo of a line of the text."""
    shown = _squeeze(row)
    lines = (_squeeze(line)[-_TAIL:] for line in text.split("\n"))
    return any(line and shown.endswith(line) for line in lines)


def appeared(clean: Screen, now: Screen, text: str) -> bool:
    """Tell whether the end of the text, or a paste's placeholder, has come up."""
    end = tail(text)
    before, after = _squeeze(clean.text()), _squeeze(now.text())
    if end and after.count(end) > before.count(end):
        return True
    return len(_PLACEHOLDER.findall(now.text())) > len(
        _PLACEHOLDER.findall(clean.text())
    )


def at_cursor(screen: Screen, text: str) -> bool:
    """Tell whether the text ends on the cursor's row, as an echo leaves it."""
    if not _squeeze(_row(screen, screen.cursor_y)):
        return False
    first = max(0, screen.cursor_y - _WRAPPED)
    block = "".join(screen.lines[first : screen.cursor_y + 1])
    return _squeeze(block).endswith(tail(text)) or bool(
        _PLACEHOLDER.search(_row(screen, screen.cursor_y))
    )


def echoed(typed: Typed) -> bool:
    """Tell whether the program showed the text at its cursor before Enter."""
    # A prompt that ends like the text must not pass for it.
    stood_before = at_cursor(typed.clean.screen, typed.text)
    return at_cursor(typed.look.screen, typed.text) and not stood_before


def after_enter(kind: Kind, typed: Typed, now: Look, unread: int | None) -> Finding:
    """Say what became of the text; `unread` is what the program has not read yet."""
    held = holds(kind, now.screen, typed.text)
    reading = kind.read(now.screen)
    if held is True:
        return Finding(After.STANDS, "the text still stands on the input line")
    if held is False:
        return _kind_says_gone(reading)
    before = kind.read(typed.look.screen)
    if reading.activity in _AT_WORK and before.activity is Activity.IDLE:
        return Finding(After.SUBMITTED, reading.evidence)
    return _generic(typed, now, unread)


def _kind_says_gone(reading: Reading) -> Finding:
    if reading.activity in _AT_WORK:
        return Finding(After.SUBMITTED, reading.evidence)
    if reading.draft == "":
        return Finding(After.SUBMITTED, "the input line is empty again")
    return Finding(After.UNCLEAR, "the input line holds something else")


def _generic(typed: Typed, now: Look, unread: int | None) -> Finding:
    stood = echoed(typed)
    if unread:
        return Finding(After.UNCLEAR, "the program has not read it")
    if not now.differs(typed.look):
        if stood:
            return Finding(After.STANDS, "the text still stands at the cursor")
        return Finding(After.UNCLEAR, "the screen did not change after Enter")
    if typed.canonical:
        if unread is None:
            return Finding(
                After.UNCLEAR, "nothing tells whether the program read the line"
            )
        return Finding(After.SUBMITTED, "the program has read the line")
    return _moved(typed, now, stood)


def _moved(typed: Typed, now: Look, stood: bool) -> Finding:
    if stood and at_cursor(now.screen, typed.text):
        return Finding(After.STANDS, "the text still stands at the cursor")
    if stood and _new_row_below(now.screen, typed.text):
        return Finding(After.UNCLEAR, "Enter began a new row below the text")
    if not typed.still:
        return Finding(After.UNCLEAR, "the screen moves by itself")
    return Finding(After.SUBMITTED, "the screen moved on after Enter")


def _new_row_below(screen: Screen, text: str) -> bool:
    """Tell whether the cursor is on a blank row right below the text.

    A program that took Enter for a line break looks so; one that has submitted shows
    its prompt or an answer.
    """
    if _squeeze(_row(screen, screen.cursor_y)):
        return False
    first = max(0, screen.cursor_y - 1 - _WRAPPED)
    return _squeeze("".join(screen.lines[first : screen.cursor_y])).endswith(tail(text))


def _row(screen: Screen, number: int) -> str:
    return screen.lines[number] if 0 <= number < len(screen.lines) else ""
