"""Cells of a styled screen row: which text a terminal shows dim, reversed or coloured.

TUIs draw a suggestion (ghost text) dim on the input line, where it must not be taken
for something a human has typed.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace

from mdtmux.system.screen import Screen

# SGR; any other CSI sequence; OSC (hyperlinks, tmux >= 3.4); a change of the charset.
_CODE = re.compile(
    r"\x1b\[([0-9;:]*)m|\x1b\[[0-?]*[ -/]*[@-~]"
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()].|[\x0e\x0f]"
)
_EXTENDED = {"38", "48", "58"}
_COLOURS = {str(n) for n in (*range(30, 38), *range(90, 98))}


@dataclass(frozen=True, slots=True)
class Style:
    """How a cell is drawn; `colour` is its SGR foreground, empty for the default."""

    dim: bool = False
    reverse: bool = False
    colour: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One character as it stands on the screen."""

    char: str
    style: Style


PLAIN = Style()


def row_cells(screen: Screen, number: int) -> tuple[Cell, ...]:
    """Return the cells of one row, trailing blanks included as tmux sends them.

    tmux carries a style over the end of a row (3.3a), so rows above count. Where a
    screen has no styles, every cell is plain.
    """
    if not 0 <= number < len(screen.styled):
        plain = screen.lines[number] if 0 <= number < len(screen.lines) else ""
        return tuple(Cell(char, PLAIN) for char in plain)
    style = PLAIN
    for row in screen.styled[:number]:
        for match in _CODE.finditer(row):
            style = _changed(style, match[1])
    cells: list[Cell] = []
    place = 0
    row = screen.styled[number]
    for match in _CODE.finditer(row):
        cells += [Cell(char, style) for char in row[place : match.start()]]
        style = _changed(style, match[1])
        place = match.end()
    cells += [Cell(char, style) for char in row[place:]]
    return tuple(cells)


def written_text(cells: tuple[Cell, ...]) -> str:
    """Return the text of the cells without ghost text.

    A TUI draws its cursor over the first character of a suggestion: a reversed cell
    counts as ghost when dim text follows it.
    """
    kept = ""
    for place, cell in enumerate(cells):
        under = cell.style.reverse and any(
            c.style.dim for c in cells[place + 1 :] if not c.char.isspace()
        )
        if not cell.style.dim and not under:
            kept += cell.char
    return kept


def is_red(colour: str) -> bool:
    """Tell whether an SGR foreground is a red, in any of the palettes."""
    if colour in ("31", "91"):
        return True
    kind, *numbers = [int(word) for word in colour.split(";")[1:] if word] or [0]
    if kind == 5 and numbers and 16 <= numbers[0] < 232:
        kind, numbers = 2, [51 * ((numbers[0] - 16) // n % 6) for n in (36, 6, 1)]
    if kind == 2 and len(numbers) == 3:
        red, green, blue = numbers
        return red - max(green, blue) > 60 and abs(green - blue) < 60
    return kind == 5 and numbers in ([1], [9])


def width(text: str) -> int:
    """Return how many columns a text takes on a terminal."""
    return sum(_columns(char) for char in text)


def between(row: str, first: int, last: int) -> str:
    """Return the part of a plain row that stands in columns `first` to `last` - 1."""
    column, kept = 0, ""
    for char in row:
        if first <= column < last:
            kept += char
        column += _columns(char)
        if column >= last:
            break
    return kept


def _columns(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Cf", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def _changed(style: Style, codes: str | None) -> Style:
    if codes is None:
        return style
    words = re.split("[;:]", codes or "0")
    while words:
        word = words.pop(0)
        if word in _EXTENDED:
            size = {"5": 2, "2": 4}.get(words[0] if words else "", 1)
            colour, words = ";".join([word, *words[:size]]), words[size:]
            style = replace(style, colour=colour) if word == "38" else style
        elif word in ("", "0"):
            style = PLAIN
        elif word in ("2", "22"):
            style = replace(style, dim=word == "2")
        elif word in ("7", "27"):
            style = replace(style, reverse=word == "7")
        elif word in _COLOURS:
            style = replace(style, colour=word)
        elif word == "39":
            style = replace(style, colour="")
    return style
