"""The rows at the bottom that change: status, input box and footer, or a dialog."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from mdtmux.agents.clerk import marks
from mdtmux.agents.clerk.dialog import Dialog
from mdtmux.agents.clerk.draft import Draft
from mdtmux.agents.clerk.text import clean, clip

_MAX_DRAFT = 8
_MAX_DETAIL = 6


class Style(Enum):
    """How a row looks, as an SGR parameter."""

    PLAIN = ""
    BOLD = "1"
    DIM = "2"
    BUSY = "35"
    ALERT = "33"


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the screen: cleaned text that fits, and its style."""

    text: str
    style: Style = Style.PLAIN


@dataclass(frozen=True, slots=True)
class Size:
    """A terminal's size in cells. Its last column stays empty."""

    width: int
    height: int

    @property
    def columns(self) -> int:
        """How many columns a row may use; the last would leave the cursor pending."""
        return max(1, self.width - 1)


@dataclass(frozen=True, slots=True)
class View:
    """The live rows, top first, and the cursor's place in them."""

    rows: tuple[Row, ...]
    row: int
    column: int


EMPTY = View((Row(""),), 0, 0)


def box(draft: Draft, status: Row | None, footer: str, size: Size) -> View:
    """Lay out the input box; on a screen too low for all, the input line stays."""
    columns, spare = size.columns, size.height
    above: list[Row] = []
    below: list[Row] = []
    line = Row(marks.rule(columns), Style.DIM)
    # In order of worth: what is left out first stands last.
    if spare >= 3:
        above, below = [line], [line]
    if spare >= 4:
        below = [line, Row(_fit(footer, columns), Style.DIM)]
    if spare >= 5 and status is not None:
        above = [Row(_fit(status.text, columns), status.style), line]
    if spare >= 8:
        above = [Row(""), *above]
    room = max(1, min(_MAX_DRAFT, spare - len(above) - len(below)))
    lines, row, column = draft.layout(columns, room)
    rows = (*above, *(Row(text) for text in lines), *below)
    return View(rows, len(above) + row, column)


def menu(dialog: Dialog, size: Size) -> View:
    """Lay out a dialog; on a low screen detail, title and far options are left out."""
    columns = size.columns
    head = [Row(marks.rule(columns, dialog.kind), Style.DIM)]
    foot = [Row(_fit(dialog.footer, columns), Style.DIM)]
    options = [
        Row(_fit(f"{_sign(n == dialog.selected)} {n + 1}. {text}", columns))
        for n, text in enumerate(dialog.options)
    ]
    spare = size.height - 2 - len(options)
    if spare < 0:
        room = max(1, size.height - 2)
        first = min(dialog.selected, len(options) - room)
        options = options[first : first + room]
    if spare >= 1:
        head.append(Row(_fit(dialog.title, columns), Style.BOLD))
    for place, text in enumerate(dialog.detail[: max(0, min(spare - 1, _MAX_DETAIL))]):
        head.insert(1 + place, Row(_fit(marks.INDENT + text, columns)))
    shown = next(
        n for n, row in enumerate(options) if row.text.startswith(marks.POINTER)
    )
    return View((*head, *options, *foot), len(head) + shown, 0)


def _sign(selected: bool) -> str:
    return marks.POINTER if selected else " "


def _fit(text: str, columns: int) -> str:
    return clip(clean(text), columns)
