"""What the screen proves about a text that was pasted, and about one that was entered.

Pure: looks go in, a finding comes out. A kind that knows its own input line decides;
for any other program the end of the text at the cursor and a movement of the screen
are the evidence.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from mdtmux.agents.base import Activity, Kind, Reading
from mdtmux.agents.menus import open_menu
from mdtmux.delivery.echo import (
    TAIL,
    at_cursor,
    came_up,
    is_own,
    new_row_below,
    places,
    plain,
    row_of,
    squeeze,
)
from mdtmux.delivery.look import Look
from mdtmux.system.screen import Screen

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
class Line:
    """The terminal's input after Enter, each None where nothing tells.

    `unread`: bytes that the program has not read yet. `read`: bytes that it has read
    since Enter, from wherever. `canonical`: whether lines are collected now.
    """

    unread: int | None
    read: int | None = None
    canonical: bool | None = None


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
    end = plain(text)[-TAIL:]
    return plain(draft).endswith(end) if end else None


def echoed(typed: Typed) -> bool:
    """Tell whether the program showed the text at its cursor before Enter."""
    # A prompt that ends like the text must not pass for it.
    stood_before = at_cursor(typed.clean.screen, typed.text)
    return at_cursor(typed.look.screen, typed.text) and not stood_before


def after_enter(kind: Kind, typed: Typed, now: Look, line: Line) -> Finding:
    """Say what became of the text."""
    finding = _judge(kind, typed, now, line)
    if (
        finding.after is After.SUBMITTED
        and kind.program is None
        and not (typed.canonical or line.canonical)
        and echoed(typed)
    ):
        return _still_shows(kind.read(now.screen), typed, now) or finding
    return finding


def _still_shows(reading: Reading, typed: Typed, now: Look) -> Finding | None:
    """Return that the text stands as it was typed and nothing says that it was taken."""
    if reading.activity in (Activity.BUSY, Activity.LIMITED):
        return None
    shown, prompt = _cursor_row(typed.look), _cursor_row(typed.clean)
    row, above = _cursor_row(now), squeeze(row_of(now.screen, now.screen.cursor_y - 1))
    # The first row of the text has the prompt: so would one more row of the input.
    prompts = row == prompt and not shown.startswith(prompt)
    if above == shown and not prompts:
        # An input of several rows looks so, and a program that prompts again at once.
        return Finding(After.UNCLEAR, "Enter began a new row below the text")
    if _prompts_again(typed, now) or prompts or reading.draft == "":
        return None
    if shown in map(squeeze, now.screen.lines):
        # It may be at work, or ask something while the text waits.
        return Finding(After.UNCLEAR, "the text still shows where it was typed")
    return None


def _judge(kind: Kind, typed: Typed, now: Look, line: Line) -> Finding:
    held = holds(kind, now.screen, typed.text)
    reading = kind.read(now.screen)
    if held is True:
        return Finding(After.STANDS, "the text still stands on the input line")
    if held is False:
        return _kind_says_gone(reading)
    before = kind.read(typed.look.screen)
    known = kind.program is not None or reading.activity is not Activity.WAITING
    if known and reading.activity in _AT_WORK and before.activity is Activity.IDLE:
        # A question of a program that is not known may have come up by itself.
        return Finding(After.SUBMITTED, reading.evidence)
    return _generic(typed, now, line)


def _kind_says_gone(reading: Reading) -> Finding:
    if reading.activity in _AT_WORK:
        return Finding(After.SUBMITTED, reading.evidence)
    if reading.draft == "":
        return Finding(After.SUBMITTED, "the input line is empty again")
    return Finding(After.UNCLEAR, "the input line holds something else")


def _generic(typed: Typed, now: Look, line: Line) -> Finding:
    if line.unread:
        return Finding(After.UNCLEAR, "the program has not read it")
    if not now.differs(typed.look):
        if echoed(typed):
            return Finding(After.STANDS, "the text still stands at the cursor")
        return Finding(After.UNCLEAR, "the screen did not change after Enter")
    if typed.canonical:
        return _line_mode(typed, line)
    asked = open_menu(now.screen)
    if asked is not None and not is_own(asked, typed.text):
        return Finding(After.UNCLEAR, f"a question has come up: {asked[:80]}")
    return _left(typed, now, line) if echoed(typed) else _moved(typed, now)


def _line_mode(typed: Typed, line: Line) -> Finding:
    if line.unread is None:
        return Finding(After.UNCLEAR, "nothing tells whether the program read the line")
    if line.read is not None and line.read <= len(typed.text.encode()):
        # A program that asks for a password throws away what was typed before.
        return Finding(
            After.UNCLEAR, "the line is gone and the program did not read it"
        )
    return Finding(After.SUBMITTED, "the program has read the line")


def _left(typed: Typed, now: Look, line: Line) -> Finding:
    """Judge a text that stood at the cursor before Enter."""
    if at_cursor(now.screen, typed.text):
        return Finding(After.STANDS, "the text still stands at the cursor")
    if line.canonical:
        return Finding(After.SUBMITTED, "the program has closed its line editor")
    if new_row_below(now.screen, typed.text):
        return Finding(After.UNCLEAR, "Enter began a new row below the text")
    if _prompts_again(typed, now):
        return Finding(After.SUBMITTED, "the text left the input line")
    if not typed.still:
        return Finding(After.UNCLEAR, "the screen moves by itself")
    return Finding(After.SUBMITTED, "the text left its place on the screen")


def _prompts_again(typed: Typed, now: Look) -> bool:
    """Tell whether the cursor is on an empty input line as it was before the paste.

    The text must have been shown behind what stands there: the cursor may also be
    caught where something else is drawn.
    """
    prompt = _cursor_row(typed.clean)
    shown = _cursor_row(typed.look)
    begins = shown != prompt and shown.startswith(prompt)
    return bool(prompt) and begins and _cursor_row(now) == prompt


def _moved(typed: Typed, now: Look) -> Finding:
    """Judge a text that did not stand at the cursor before Enter."""
    clean, before = typed.clean.screen, typed.look.screen
    stood = places(clean, before, typed.text)
    if not typed.still:
        return Finding(After.UNCLEAR, "the screen moves by itself")
    if _same_line(typed, now):
        return Finding(After.SUBMITTED, "the input line is as it was before the text")
    if stood:
        if stood & places(clean, now.screen, typed.text):
            return Finding(After.UNCLEAR, "the text still shows where it stood")
        return Finding(After.SUBMITTED, "the text left its place on the screen")
    if came_up(before, now.screen, typed.text):
        return Finding(After.UNCLEAR, "the text came up only after Enter")
    if typed.look.differs(typed.clean):
        # Without the text: what Enter changed may as little be a submission.
        return Finding(After.UNCLEAR, "the screen changes at whatever is typed")
    prompt = _cursor_row(typed.clean)
    if prompt and prompt == _cursor_row(now):
        return Finding(After.SUBMITTED, "it prompts again after Enter")
    # A dialog that dropped the text and went at Enter looks the same.
    return Finding(After.UNCLEAR, "the text never showed on the screen")


def _same_line(typed: Typed, now: Look) -> bool:
    """Tell whether the paste changed the cursor's row and Enter changed it back."""
    clean = _cursor_row(typed.clean)
    return _cursor_row(typed.look) != clean == _cursor_row(now)


def _cursor_row(look: Look) -> str:
    return squeeze(row_of(look.screen, look.screen.cursor_y))
