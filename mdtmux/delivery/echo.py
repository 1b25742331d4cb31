"""Where a text that was typed shows on a screen, for a program that no kind reads."""

from __future__ import annotations

import re

from mdtmux.system.screen import Screen

_BLANKS = re.compile(r"[\s│┃║|▌▐█▏▕╎┆┊]+")
_PLACEHOLDER = re.compile(r"\[(?:Pasted|paste)\b[^\]\n]*\]", re.IGNORECASE)
TAIL = 20
# Rows above the cursor's that a wrapped end of the text can reach into.
_WRAPPED = 2
# So many characters of a text are not there by chance.
_SOME = 4
# From this length on a text is not found in other words by chance.
_TELLING = 8


def squeeze(text: str) -> str:
    """Return the text without blanks and frames, so that wrapping does not matter."""
    return _BLANKS.sub("", text)


def plain(text: str) -> str:
    """Return what is ASCII of a text, without blanks and frames."""
    return squeeze(text.encode("ascii", "ignore").decode())


def tail(text: str) -> str:
    """Return the end of the text as it can be found on a screen however it wraps."""
    # The end of a large text is enough, and cheap.
    return squeeze(text[-40 * TAIL :])[-TAIL:]


def is_own(row: str, text: str) -> bool:
    """Tell whether a row of the screen is the echo of a line of the text."""
    shown = squeeze(row)
    lines = (squeeze(line)[-TAIL:] for line in text.split("\n"))
    return any(line and shown.endswith(line) for line in lines)


def appeared(clean: Screen, now: Screen, text: str) -> bool:
    """Tell whether the end of the text, or a paste's placeholder, has come up."""
    end = tail(text)
    before, after = squeeze(clean.text()), squeeze(now.text())
    if end and after.count(end) > before.count(end):
        return True
    return len(_PLACEHOLDER.findall(now.text())) > len(
        _PLACEHOLDER.findall(clean.text())
    )


def only_part(clean: Screen, now: Screen, text: str) -> bool:
    """Tell whether the cursor's row has got some of the text, and not the end of it.

    An input of limited length looks so. The end alone is enough where the text may
    have been scrolled, but not where all of it had room: the rest was taken for orders.
    """
    row, before = (squeeze(row_of(one, one.cursor_y)) for one in (now, clean))
    new = row.removeprefix(before)
    whole = squeeze(text.rpartition("\n")[2])
    if len(new) < _SOME or new == row or new not in whole:
        return False
    if plain(new) == plain(whole):
        # A terminal leaves out characters that its Unicode tables do not know yet.
        return False
    has_room = "\n" not in text and 2 * (len(before) + len(text)) < now.width
    return has_room or not appeared(clean, now, text)


def at_cursor(screen: Screen, text: str) -> bool:
    """Tell whether the text ends on the cursor's row, as an echo leaves it."""
    if not squeeze(row_of(screen, screen.cursor_y)):
        return False
    first = max(0, screen.cursor_y - _WRAPPED)
    block = "".join(screen.lines[first : screen.cursor_y + 1])
    return squeeze(block).endswith(tail(text)) or bool(
        _PLACEHOLDER.search(row_of(screen, screen.cursor_y))
    )


def came_up(before: Screen, now: Screen, text: str) -> bool:
    """Tell whether the text shows now where it did not before, on rows of its own."""
    if at_cursor(now, text) and not at_cursor(before, text):
        return True
    if len(tail(text)) >= _TELLING or _placeholders(now) > _placeholders(before):
        return appeared(before, now, text)
    return False


def places(before: Screen, now: Screen, text: str) -> frozenset[int]:
    """Return the rows that show the end of the text now and did not before."""
    end = tail(text)
    return frozenset(
        number
        for number, row in enumerate(now.lines)
        if _shows(row, end) and not _shows(row_of(before, number), end)
    )


def _shows(row: str, end: str) -> bool:
    return bool((end and end in squeeze(row)) or _PLACEHOLDER.search(row))


def _placeholders(screen: Screen) -> int:
    return len(_PLACEHOLDER.findall(screen.text()))


def new_row_below(screen: Screen, text: str) -> bool:
    """Tell whether the cursor is on a blank row right below the text.

    A program that took Enter for a line break looks so; one that has submitted shows
    its prompt or an answer.
    """
    if squeeze(row_of(screen, screen.cursor_y)):
        return False
    first = max(0, screen.cursor_y - 1 - _WRAPPED)
    return squeeze("".join(screen.lines[first : screen.cursor_y])).endswith(tail(text))


def row_of(screen: Screen, number: int) -> str:
    """Return one row, blank where the screen has none."""
    return screen.lines[number] if 0 <= number < len(screen.lines) else ""
