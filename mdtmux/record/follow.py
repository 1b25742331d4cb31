"""Follow a program's output as lines: each line once, also of a screen it repaints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from mdtmux.record.grid import Row
from mdtmux.record.marks import Mark
from mdtmux.record.terminal import Terminal

# A line of a repainted screen, or an unfinished one, is printed after it stood still
# for so many seconds: longer than a clock or a spinner does.
SETTLE = 1.5


class Follower:
    """Turns bytes as they come into the lines to print; the clock is the caller's.

    Lines that scroll off the screen are final. Lines on the screen are taken at once
    from a program that prints line after line, and when they have settled from one
    that moves the cursor about. A line that only moved is not printed again.
    """

    def __init__(self, size: tuple[int, int]) -> None:
        self._size = size
        self._terminal = Terminal(*size, self._scrolled)
        self._open: list[Row] = []
        self._lines: list[str] = []
        # Printed lines that stand on the screen, and those that vanished from it just
        # now: a program that repaints may be about to draw them elsewhere.
        self._on_screen: Counter[str] = Counter()
        self._vanished: Counter[str] = Counter()
        self._vanished_at = 0.0

    def feed(self, runs: Iterable[tuple[Mark | None, bytes]]) -> None:
        """Take what was recorded next; see `reader.split`."""
        for mark, data in runs:
            if mark is not None:
                width, height = self._size
                self._terminal.restart(mark.width or width, mark.height or height)
            self._terminal.feed(data)

    def take(self, now: float) -> list[str]:
        """Return the lines to print now; `now` in seconds, of any steady clock.

        Call it a few times a second, also when nothing came.
        """
        lines, self._lines = self._lines, []
        return lines + self._settled(now)

    def skip(self) -> None:
        """Take all that was fed so far as printed already."""
        self._lines.clear()
        for rows in self._groups():
            rows[0].shown = _join(rows)
        self._on_screen = self._shown()

    def _scrolled(self, row: Row) -> None:
        self._open.append(row)
        if row.wrapped:
            return
        rows, self._open = self._open, []
        text, shown = _join(rows), rows[0].shown
        if shown:
            self._on_screen[shown] -= 1
        if text != shown and (text or not self._terminal.addressed):
            self._lines.append(text)

    def _groups(self) -> list[list[Row]]:
        """Return the screen's lines, each as the rows that it is wrapped over."""
        groups, rows = [], list(self._open)
        for row in self._terminal.rows():
            rows.append(row)
            if not row.wrapped:
                groups.append(rows)
                rows = []
        return [*groups, rows] if rows else groups

    def _settled(self, now: float) -> list[str]:
        repaints = self._terminal.addressed
        moved = self._moved(now)
        out = []
        for rows in self._groups():
            row, text = rows[0], _join(rows)
            if text == row.shown or (repaints and not text):
                continue
            if row.seen[1] != text:
                row.seen = (now, text)
            # Of a program that prints line after line the cursor's is unfinished.
            growing = any(one is self._terminal.cursor_row for one in rows)
            if (repaints or growing) and now - row.seen[0] < SETTLE:
                continue
            row.shown = text
            if repaints and moved[text] > 0:
                moved[text] -= 1
            else:
                out.append(text)
        self._on_screen = self._shown()
        return out

    def _moved(self, now: float) -> Counter[str]:
        """Return the printed lines that vanished lately; entries may be used up."""
        lines = ((rows[0].shown, _join(rows)) for rows in self._groups())
        left = Counter(text for shown, text in lines if shown == text)
        vanished = self._on_screen - left
        if vanished:
            self._vanished_at = now
        elif now - self._vanished_at > 2 * SETTLE:
            self._vanished.clear()
        self._vanished += vanished
        return self._vanished

    def _shown(self) -> Counter[str]:
        lines = ((rows[0].shown, _join(rows)) for rows in self._groups())
        return Counter(text for shown, text in lines if text and shown == text)


def _join(rows: list[Row]) -> str:
    return "".join("".join(row.cells) for row in rows).rstrip(" ")
