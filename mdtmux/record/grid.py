"""The rows of a terminal's screen as text without colours: what `terminal` draws on.

A row is a list of cells that grows as it is written; a wide character stands in its
first cell and leaves "" in the second. What a row holds is what tmux would show in
it (checked against tmux itself by the tests).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

# Marks above one character that are kept; a stream can send any number of them.
_MARKS_KEPT = 8
_JOINERS = {"\u200c", "\u200d"}


class _Widths(dict[str, int]):
    """Cells that a character takes, by character: 1, 2, 0 (joins the one before).

    -1 is dropped: a control, or a format character that could turn text around.
    """

    def __missing__(self, char: str) -> int:
        category = unicodedata.category(char)
        if char in _JOINERS or category in ("Mn", "Me") or "\u1160" <= char <= "\u11ff":
            width = 0
        elif char == "\u00ad":
            width = 1  # the soft hyphen: every terminal shows it
        elif category in ("Cc", "Cf", "Cs", "Zl", "Zp"):
            width = -1
        else:
            width = 2 if unicodedata.east_asian_width(char) in "WF" else 1
        self[char] = width
        return width


_WIDTHS = _Widths()


class Row:
    """One row; `wrapped` when its text goes on in the next one.

    `seen` (when, which text) and `shown` (which text was printed) belong to whoever
    follows the screen.
    """

    __slots__ = ("cells", "seen", "shown", "wrapped")

    def __init__(self) -> None:
        self.cells: list[str] = []
        self.seen = (0.0, "")
        self.shown: str | None = None
        self.wrapped = False

    def text(self) -> str:
        """Return the row's text without trailing blanks."""
        return "".join(self.cells).rstrip(" ")

    def write(self, x: int, part: str | tuple[str, ...]) -> None:
        """Put one cell each from column `x` on."""
        cells = self.cells
        have = len(cells)
        if x > have:
            cells.extend(" " * (x - have))
        elif x < have:
            self.part(x)
            self.part(x + len(part))
        cells[x : x + len(part)] = part

    def part(self, x: int) -> None:
        """Blank both halves of a wide character that column `x` would cut in two."""
        if 0 < x < len(self.cells) and self.cells[x] == "":
            self.cells[x - 1 : x + 1] = (" ", " ")

    def cut(self, x: int) -> None:
        """Blank everything from column `x` on."""
        self.part(x)
        del self.cells[x:]
        self.wrapped = False

    def join(self, x: int, mark: str) -> None:
        """Add a combining mark to the character before column `x`."""
        at = min(x, len(self.cells)) - 1
        if at > 0 and self.cells[at] == "":
            at -= 1
        if at >= 0 and len(self.cells[at]) <= _MARKS_KEPT:
            self.cells[at] += mark


def ignore(_row: Row) -> None:
    """Take a row and forget it."""


class Grid:
    """A screen: rows, cursor, scroll region. Columns and rows count from 0.

    The cursor's column equals the width after the last column was written: the wrap
    is then still to come. `scrolled` gets each row that leaves at the top.
    """

    def __init__(
        self, width: int, height: int, scrolled: Callable[[Row], None] = ignore
    ) -> None:
        self.width = max(1, width)
        self.height = max(1, height)
        self.scrolled = scrolled
        self.rows = [Row() for _ in range(self.height)]
        self.x = self.y = 0
        self.top, self.bottom = 0, self.height - 1
        self.wrap = True
        self.insert = False
        self.origin = False

    def take_over(self, other: Grid) -> None:
        """Take cursor, region and modes of another grid of the same size."""
        self.x, self.y = other.x, other.y
        self.top, self.bottom = other.top, other.bottom
        self.wrap, self.insert, self.origin = other.wrap, other.insert, other.origin

    # Writing

    def draw(self, text: str) -> None:
        """Write text that has no control characters at the cursor."""
        end = self.x + len(text)
        if text.isascii():
            if end < self.width and not self.insert:  # most of all text
                self.rows[self.y].write(self.x, text)
                self.x = end
            else:
                self._put(text)
            return
        start = 0
        for at, char in enumerate(text):
            width = _WIDTHS[char]
            if width == 1:
                continue
            if at > start:
                self._put(text[start:at])
            start = at + 1
            if width == 2:
                self._put_wide(char)
            elif width == 0:
                self.rows[self.y].join(self.x, char)
        if start < len(text):
            self._put(text[start:])

    def _put(self, text: str) -> None:
        while text:
            room = self._room(1)
            part, text = text[:room], text[room:]
            row = self.rows[self.y]
            if self.insert:
                self.insert_cells(len(part))
            row.write(self.x, part)
            self.x += len(part)
            if self.x == self.width:
                row.wrapped = False
                if not self.wrap:
                    self.x, text = self.width - 1, text[-1:]

    def _put_wide(self, char: str) -> None:
        if self.width < 2:
            return
        self._room(2)
        if self.insert:
            self.insert_cells(2)
        self.rows[self.y].write(self.x, (char, ""))
        self.x += 2

    def _room(self, need: int) -> int:
        """Wrap the line unless `need` cells fit; return the cells that are free."""
        if self.x > self.width - need:
            if self.wrap:
                self.rows[self.y].wrapped = True
                self.x = 0
                self.line_feed()
            else:
                self.x = self.width - need
        return self.width - self.x

    # Moving

    def line_feed(self) -> None:
        """Go one row down; at the bottom of the region scroll it."""
        if self.y == self.bottom:
            rows = self.rows
            self.scrolled(rows.pop(self.top))
            rows.insert(self.bottom, Row())
        elif self.y < self.height - 1:
            self.y += 1

    def reverse_line_feed(self) -> None:
        """Go one row up; at the top of the region scroll it down."""
        if self.y == self.top:
            self.scroll_down(1)
        elif self.y > 0:
            self.y -= 1

    def backspace(self) -> None:
        """Go one column left, or back to the end of a row that was wrapped."""
        if self.x > 0:
            self.x -= 1
        elif self.y > 0 and self.rows[self.y - 1].wrapped:
            self.x, self.y = self.width - 1, self.y - 1

    def to_column(self, x: int) -> None:
        """Go to a column, or to the nearest that there is."""
        self.x = min(max(x, 0), self.width - 1)

    def to_row(self, y: int) -> None:
        """Go to a row; in origin mode it counts from the region's top."""
        if self.origin:
            self.y = min(max(y + self.top, self.top), self.bottom)
        else:
            self.y = min(max(y, 0), self.height - 1)

    def up(self, count: int) -> None:
        """Go up, not past the region's top when the cursor is below it."""
        limit = self.top if self.y >= self.top else 0
        self.y = max(limit, self.y - count)

    def down(self, count: int) -> None:
        """Go down, not past the region's bottom when the cursor is above it."""
        limit = self.bottom if self.y <= self.bottom else self.height - 1
        self.y = min(limit, self.y + count)

    def next_line(self, count: int) -> None:
        """Go to the first column, that many rows down, or up when negative."""
        self.x = 0
        if count > 0:
            self.down(count)
        else:
            self.up(-count)

    def set_region(self, top: int, bottom: int) -> None:
        """Set the rows that scroll, and go to the first column of the screen."""
        bottom = min(bottom, self.height - 1)
        if 0 <= top < bottom:
            self.top, self.bottom = top, bottom
            self.x = self.y = 0

    # Scrolling

    def scroll_up(self, count: int) -> None:
        """Move the region's rows up; those that leave it go to `scrolled`."""
        for _ in range(min(count, self.bottom - self.top + 1)):
            self.scrolled(self.rows.pop(self.top))
            self.rows.insert(self.bottom, Row())

    def scroll_down(self, count: int) -> None:
        """Move the region's rows down; those that leave it are lost."""
        self._insert_rows(self.top, count)

    def insert_lines(self, count: int) -> None:
        """Insert blank rows at the cursor's; the last ones below are lost."""
        self._insert_rows(self.y, count)

    def delete_lines(self, count: int) -> None:
        """Delete rows from the cursor's on; blank ones come in from below."""
        end = self._end(self.y)
        for _ in range(min(count, end - self.y + 1)):
            del self.rows[self.y]
            self.rows.insert(end, Row())

    def _insert_rows(self, at: int, count: int) -> None:
        end = self._end(at)
        for _ in range(min(count, end - at + 1)):
            del self.rows[end]
            self.rows.insert(at, Row())

    def _end(self, at: int) -> int:
        """Return the last row that moves with row `at`: outside the region, any."""
        return self.bottom if self.top <= at <= self.bottom else self.height - 1

    # Erasing

    def erase_line(self, mode: int) -> None:
        """Blank the row after the cursor (0), before it (1), or all of it (2)."""
        row = self.rows[self.y]
        if mode == 0:
            row.cut(self.x)
        elif mode == 1:
            self.erase_cells(0, self.x + 1)
        elif mode == 2:
            row.cut(0)

    def erase_screen(self, mode: int) -> None:
        """Blank the screen after the cursor (0) or before it (1)."""
        self.erase_line(mode)
        rows = self.rows[self.y + 1 :] if mode == 0 else self.rows[: self.y]
        for row in rows:
            row.cut(0)

    def clear(self) -> list[Row]:
        """Blank the whole screen and return the rows that were on it."""
        old = self.rows
        self.rows = [Row() for _ in range(self.height)]
        return old

    def erase_cells(self, start: int, count: int) -> None:
        """Blank `count` cells from column `start` on."""
        row = self.rows[self.y]
        end = min(start + count, self.width)
        if end >= len(row.cells):
            row.cut(start)
        elif end > start:
            row.write(start, " " * (end - start))

    def insert_cells(self, count: int) -> None:
        """Push the rest of the row right; what passes the last column is lost."""
        row = self.rows[self.y]
        if self.x < len(row.cells):
            row.part(self.x)
            row.cells[self.x : self.x] = " " * min(count, self.width)
            row.cut(self.width)

    def delete_cells(self, count: int) -> None:
        """Pull the rest of the row left over the cells at the cursor."""
        row = self.rows[self.y]
        row.part(self.x)
        row.part(self.x + count)
        del row.cells[self.x : self.x + count]
