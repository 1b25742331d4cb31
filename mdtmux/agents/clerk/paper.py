"""The terminal as paper: a transcript that scrolls up, and live rows below it.

The transcript goes to the terminal's own screen, not to the alternate one, so it can
be scrolled back and recorded. Only the live rows are drawn anew.
"""

from __future__ import annotations

import os
import termios
import tty
from collections import deque
from dataclasses import dataclass

from mdtmux.agents.clerk.live import EMPTY, Row, Size, Style, View
from mdtmux.agents.clerk.text import clean, width, wrap

_KEPT = 400
# Longer lines are cut: wrapping costs time, and nobody reads them on a screen.
_LONGEST = 4000


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the transcript: its prefix, and text that is wrapped behind it."""

    prefix: str
    text: str
    style: Style = Style.PLAIN

    def rows(self, columns: int) -> list[Row]:
        """Return the entry as rows of a screen that wide."""
        text = self.text
        if len(text) > _LONGEST:
            text = f"{text[:_LONGEST]}… ({len(self.text) - _LONGEST} more characters)"
        indent = width(self.prefix)
        lines = wrap(clean(text), max(4, columns - indent))
        heads = [self.prefix, *[" " * indent] * (len(lines) - 1)]
        return [
            Row(f"{head}{line}", self.style)
            for head, line in zip(heads, lines, strict=True)
        ]


class Paper:
    """Owns the terminal from `open` to `close`."""

    def __init__(self, *, bracketed: bool) -> None:
        self._bracketed = bracketed
        self._before: list[int | list[bytes | int]] | None = None
        self._waiting: list[Entry] = []
        self._kept: deque[Entry] = deque(maxlen=_KEPT)
        self._view = EMPTY
        self._stale = False
        self.size = _size()

    def open(self) -> None:
        """Throw away what was typed so far, and take the terminal's keys raw.

        Raises:
            termios.error: standard input is no terminal.
        """
        termios.tcflush(0, termios.TCIFLUSH)
        self._before = termios.tcgetattr(0)
        tty.setraw(0)
        if self._bracketed:
            _write("\x1b[?2004h")

    def close(self, last: str) -> None:
        """Wipe the live rows, write a last line and give the terminal back."""
        if self._before is None:
            return
        self.write([Entry("", last)])
        self._paint(EMPTY)
        _write("\x1b[?2004l" if self._bracketed else "")
        termios.tcsetattr(0, termios.TCSADRAIN, self._before)
        self._before = None

    def write(self, entries: list[Entry]) -> None:
        """Add lines to the transcript; they show with the next `show`."""
        self._waiting += entries
        self._kept.extend(entries)

    def resize(self) -> None:
        """Ask for the terminal's size again and draw everything at the next `show`."""
        self.size = _size()
        self._stale = True

    def forget(self) -> None:
        """Empty the screen and the memory of the transcript."""
        self._waiting.clear()
        self._kept.clear()
        self._stale = True

    def show(self, view: View) -> None:
        """Draw new lines of the transcript and the live rows, if anything changed."""
        if self._stale:
            self._redraw(view)
        elif self._waiting or view != self._view:
            self._paint(view)

    def pour(self, data: bytes) -> None:
        """Write whole rows of at most `size.columns` columns at full speed."""
        self._paint(EMPTY)
        _send(data)
        last = data.rsplit(b"\r\n", self.size.height + 1)[1:-1]
        self._kept.extend(Entry("", row.decode("utf-8", "replace")) for row in last)

    def _redraw(self, view: View) -> None:
        """Draw the whole screen: after a resize nobody knows where a row went."""
        self._stale = False
        rows = [row for entry in self._kept for row in entry.rows(self.size.columns)]
        room = max(0, self.size.height - len(view.rows))
        self._waiting.clear()
        # Row by row, because erasing a whole screen would push it into the history.
        self._put("\x1b[H", rows[-room:] if room else [], view)

    def _paint(self, view: View) -> None:
        columns = self.size.columns
        rows = [row for entry in self._waiting for row in entry.rows(columns)]
        self._waiting.clear()
        up = f"\x1b[{self._view.row}A" if self._view.row else ""
        self._put(f"\r{up}", rows, view)

    def _put(self, start: str, rows: list[Row], view: View) -> None:
        """Write a frame in one go, and with wrapping off.

        A terminal that gives a character more columns than we do then cuts the row
        instead of moving everything below it.
        """
        above = "".join(f"{_styled(row)}\x1b[K\r\n" for row in rows)
        live = "\r\n".join(f"{_styled(row)}\x1b[K" for row in view.rows)
        up = len(view.rows) - 1 - view.row
        place = (f"\x1b[{up}A" if up else "") + "\r"
        place += f"\x1b[{view.column}C" if view.column else ""
        _write(f"\x1b[?7l{start}{above}{live}\x1b[J{place}\x1b[?7h")
        self._view = view


def _styled(row: Row) -> str:
    if row.style is Style.PLAIN:
        return row.text
    return f"\x1b[{row.style.value}m{row.text}\x1b[0m"


def _size() -> Size:
    try:
        columns, rows = os.get_terminal_size(1)
    except OSError:
        columns = rows = 0
    return Size(columns or 80, rows or 24)


def _write(text: str) -> None:
    _send(text.encode("utf-8", "replace"))


def _send(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]
