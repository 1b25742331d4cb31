"""What the kinds share when they read a screen or compare it with a text."""

from __future__ import annotations

import re

from mdtmux.agents.base import Activity, Reading
from mdtmux.system.screen import Screen

UNKNOWN = Reading(Activity.UNKNOWN, "", None, None, accepts=False)

# Words of a provider's refusal to go on for now; compared with rows that the CLI
# itself has written, never with what an agent says.
LIMIT = re.compile(
    r"\b429\b|\b529\b|overloaded|too many requests|rate limit|limit reached"
    r"|usage limit|spend limit|(?:hit|reached) your\b.*\blimit"
    r"|out of (?:usage credits|extra usage|credits)|quota",
    re.IGNORECASE,
)
# `[Pasted text #1 +154 lines]` (Claude Code), `[Pasted ~155 lines]` (OpenCode),
# `[paste #1 +155 lines]` (Pi, OpenClaw).
_PLACEHOLDER = re.compile(r"\[Paste(?:d\b| #\d)[^\]\n]*\]", re.IGNORECASE)
_TAIL = 20
# How many written rows from the bottom a mark may stand: higher up is history.
_ROWS = 12
# Above this many characters a paste takes a moment longer to be digested.
_LONG = 1000


def last_written(screen: Screen) -> int:
    """Return the number of the last row that is not blank, -1 without one."""
    rows = range(len(screen.lines) - 1, -1, -1)
    return next((row for row in rows if screen.lines[row].strip()), -1)


def bottom_rows(screen: Screen) -> tuple[str, ...]:
    """Return the lowest written rows, top first: what stands higher up is history."""
    return screen.written()[-_ROWS:]


def input_rows(screen: Screen) -> tuple[str, ...]:
    """Return the rows where the input line of a program that no kind reads can be.

    A program that prints line after line reads where the cursor stands, and a prompt
    higher up has been answered. One that has written below the cursor, or has parked
    it below all rows, may draw its input line anywhere near the bottom; but a question
    in the last row above a parked cursor is what is answered.
    """
    last, row = last_written(screen), screen.cursor_y
    if last >= 0 and (
        row == last or (row > last and screen.lines[last].endswith(("?", ":")))
    ):
        return (screen.lines[last],)
    at_cursor = screen.lines[row] if 0 <= row < len(screen.lines) else ""
    return (at_cursor, *bottom_rows(screen))


def find_row(pattern: re.Pattern[str] | None, rows: tuple[str, ...]) -> str | None:
    """Return the lowest row that matches; a blank at its end may belong to a prompt."""
    if pattern is None:
        return None
    found = (r for r in reversed(rows) if pattern.search(r) or pattern.search(f"{r} "))
    return next(found, None)


def squeeze(text: str) -> str:
    """Return the text without blanks, so that wrapping does not matter."""
    return re.sub(r"\s+", "", text)


def draft_holds(draft: str | None, text: str) -> bool | None:
    """Tell whether a draft shows the pasted text, by its end or by a placeholder.

    None when the draft is not known, or shows something that may or may not be it.
    """
    if draft is None:
        return None
    end = squeeze(text[-40 * _TAIL :])[-_TAIL:]
    shown = squeeze(draft)
    if (end and end in shown) or _PLACEHOLDER.search(draft):
        return True
    return None if shown else False


def paste_settle(text: str) -> float:
    """Return the seconds after which Enter is taken as Enter (measured, see tests)."""
    return 0.3 if len(text) < _LONG else 0.6
