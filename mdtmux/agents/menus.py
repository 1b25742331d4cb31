"""Find an open question on a screen that no kind reads: there nothing is ever typed."""

from __future__ import annotations

import re

from mdtmux.agents.styles import row_cells, width
from mdtmux.system.screen import Screen

# Frames that TUIs draw around their rows.
_FRAME = " \t│┃║|▌▐█▏▕╎┆┊╭╮╰╯┌┐└┘├┤─━═"
# What points at the chosen option: > and its look-alikes, arrows, a filled button.
_MARK = r"(?:[>\u276f\u203a»▶▸‣→➜⇒●◉◆*]|[-=]>)"
_NUMBER = r"(?:\(?\d{1,2}[.):]|\[\d{1,2}\])\s+\S"
_OPTION = re.compile(rf"(?:{_MARK}\s*)?{_NUMBER}")
_CHOSEN = re.compile(rf"{_MARK}\s*{_NUMBER}")
_ANSWER = r"(?:yes|no|allow|deny|approve|reject|accept|decline)\b"
_YES_NO = re.compile(rf"(?:{_MARK}\s*)?{_ANSWER}", re.IGNORECASE)
_CHOSEN_YES_NO = re.compile(rf"{_MARK}\s*{_ANSWER}", re.IGNORECASE)
# Buttons on one row: `[ Yes ]   No`, `< OK >  <Cancel>`, `> Yes   No`.
_BUTTON = (
    rf"(?:{_MARK}\s*)?[\[(<]?\s*(?:{_ANSWER}|(?:ok|cancel|continue|abort|quit|retry|skip"
    r"|always|never|once)\b)(?:[ ][\w']+){0,2}\s*[\])>]?"
)
_BUTTONS = re.compile(
    rf"{_BUTTON}(?:(?:\s{{2,}}|\s*[|/│]\s*){_BUTTON})+", re.IGNORECASE
)
_PROMPT = re.compile(r"[>\u276f\u203a$%»](?:\s|$)")
_KEYS = re.compile(
    r"(?:enter|return|⏎|↵)\W{0,3}(?:to\s+)?(?:select|confirm|approve|accept|choose)\b",
    re.IGNORECASE,
)
_Y_OR_N = re.compile(
    # `[y/N]`, and all the answers of git's `[y,n,q,a,d,e,?]?`.
    r"[\[(]\s*y(?:es)?\s*[/,]\s*n(?:o)?\b[^\])]*[\])]\s*\W?\s*$"
    r"|\?\s*y(?:es)?\s*/\s*n(?:o)?\s*[:?]?\s*$",
    re.IGNORECASE,
)
_SECRET = re.compile(
    r"\b(?:password|passphrase|passcode|verification code|one-time code|otp|pin)\b"
    r"[^:?]{0,80}[:?]$",
    re.IGNORECASE,
)
# A pager or an installer that waits: what is typed drives it.
_PAUSE = re.compile(
    r"--More--|\(END\)$|\bpress (?:enter|return|any key)\b", re.IGNORECASE
)
# The same right above an empty input line: what is typed there is dropped, and Enter
# taken for the answer. A hint that Enter sends is none.
_HELD = re.compile(
    r"\b(?:press|hit) (?:any|a) key\b|\b(?:press|hit) (?:enter|return)\b.{0,12}\bto"
    r" (?:continue|proceed|log ?in|sign in|start|begin|close|dismiss|return|retry)\b",
    re.IGNORECASE,
)
_TRUST = re.compile(r"\bdo you trust\b", re.IGNORECASE)
_REVERSED = re.compile(r"\x1b\[(?:[0-9;:]*;)?7[;m]")
# A question stands at the end of the screen, with at most some rows of key hints below.
_DEPTH = 24
_HINTS = 3
_BELOW = 8


def open_menu(screen: Screen) -> str | None:
    """Return the row that shows an open menu or yes/no question, None without one.

    It errs towards a menu: a false alarm holds a text back, the other error approves
    something in a human's name. An input line that has the cursor tells that a menu
    above it has been answered.
    """
    written = [n for n, line in enumerate(screen.lines) if line.strip(_FRAME)][-_DEPTH:]
    rows = [screen.lines[number].strip(_FRAME) for number in written]
    if not rows:
        return None
    lit = _lit(screen, written)
    typing = _typing(screen)
    if typing is None and any(
        asks.search(rows[-1]) for asks in (_Y_OR_N, _SECRET, _PAUSE, _TRUST)
    ):
        return rows[-1]
    held = _held_above(screen, typing)
    if held is not None:
        return held
    keys = next((row for row in rows[-_HINTS:] if _KEYS.search(row)), None)
    if keys is not None or typing is not None:
        return keys
    return (
        _options(rows, lit, _OPTION, _CHOSEN)
        or _options(rows, lit, _YES_NO, _CHOSEN_YES_NO)
        or next((row for row in rows[-_HINTS - 1 :] if _BUTTONS.fullmatch(row)), None)
        or _highlighted(screen, dict(zip(written, lit, strict=True)))
    )


def bare_question(screen: Screen) -> str | None:
    """Return the last row when it is a question with the cursor behind it.

    A weak sign: an input line may begin so too.
    """
    row = screen.cursor_y
    if not 0 <= row < len(screen.lines) or any(
        line.strip(_FRAME) for line in screen.lines[row + 1 :]
    ):
        return None
    line = screen.lines[row].strip(_FRAME)
    if not line.endswith("?") or _PROMPT.match(line):
        return None
    behind = screen.cursor_x >= width(screen.lines[row].rstrip(_FRAME))
    return line if behind else None


def _typing(screen: Screen) -> str | None:
    """Return the input line if the cursor is on one that is no option of a menu."""
    row = screen.cursor_y
    line = screen.lines[row].strip(_FRAME) if 0 <= row < len(screen.lines) else ""
    option = (_CHOSEN, _CHOSEN_YES_NO, _BUTTONS)
    if not _PROMPT.match(line) or any(one.match(line) for one in option):
        return None
    return line


def _held_above(screen: Screen, typing: str | None) -> str | None:
    """Return the pause that stands right above an empty input line."""
    if typing is None or not _PROMPT.fullmatch(typing):
        return None
    above = [row for row in screen.lines[: screen.cursor_y] if row.strip(_FRAME)]
    return above[-1].strip(_FRAME) if above and _HELD.search(above[-1]) else None


def _options(
    rows: list[str], lit: list[str], option: re.Pattern[str], chosen: re.Pattern[str]
) -> str | None:
    """Return the chosen row of the last block of options, if the block is still open."""
    last = max((i for i, row in enumerate(rows) if option.match(row)), default=-1)
    first = last
    while first > 0 and option.match(rows[first - 1]):
        first -= 1
    if last < 0 or last == first or len(rows) - 1 - last > _BELOW:
        return None
    block = range(first, last + 1)
    return next((rows[i] for i in block if chosen.match(rows[i]) or lit[i]), None)


def _lit(screen: Screen, numbers: list[int]) -> list[str]:
    """Return for each row what it shows in reverse video."""
    if not any(_REVERSED.search(row) for row in screen.styled):
        return [""] * len(numbers)
    found = []
    for number in numbers:
        cells = row_cells(screen, number)
        found.append("".join(c.char for c in cells if c.style.reverse).strip(_FRAME))
    return found


def _highlighted(screen: Screen, lit: dict[int, str]) -> str | None:
    """Return the row that reverse video shows as the chosen one under a question."""
    for number, shown in lit.items():
        row = screen.lines[number].strip(_FRAME)
        rest = row.replace(shown, "", 1).strip(_FRAME)
        # A drawn cursor is one cell, a status bar the last row of the screen.
        if len(shown) < 2 or number == screen.height - 1:
            continue
        below = sum(other > number for other in lit)
        if rest and re.match(_ANSWER, shown, re.IGNORECASE) and below <= _BELOW:
            return row
        beside = any(
            other in lit and not lit[other] for other in (number - 1, number + 1)
        )
        if not rest and beside and below <= _BELOW and _asked(screen, number):
            return row
    return None


def _asked(screen: Screen, number: int) -> bool:
    """Tell whether the rows above, past at most one blank one, begin with a question."""
    blank = 0
    for row in reversed(screen.lines[max(0, number - _BELOW) : number]):
        line = row.strip(_FRAME)
        blank += not line
        if line.endswith(("?", ":")):
            return True
        if blank > 1:
            break
    return False
