"""Turn recorded bytes into lines of text: plain, bounded, without control codes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from mdtmux.record.grid import Row
from mdtmux.record.marks import Mark
from mdtmux.record.terminal import Terminal


def render(data: bytes, width: int, height: int, limit: int | None = None) -> list[str]:
    """Return the text that a terminal of that size showed, oldest line first.

    What scrolled off comes first, then the screen as it was last; of a full-screen
    program its last screen. Wrapped rows are joined. At most `limit` lines, the
    newest. Lines hold no control characters; any bytes are accepted. Takes about a
    second for 2 MB at worst and memory for the lines that are kept.
    """
    return transcript([(None, data)], (width, height), limit)


def transcript(
    runs: Iterable[tuple[Mark | None, bytes]],
    size: tuple[int, int],
    limit: int | None = None,
) -> list[str]:
    """Render bytes that several programs wrote; see `reader.split` and `render`.

    Each program starts on a blank screen of its mark's size; `size` (columns, rows)
    is for bytes before any mark and for marks that have none.
    """
    lines = _Lines(limit)
    terminal = Terminal(*size, lines.add)
    for mark, data in runs:
        if mark is not None:
            terminal.restart(mark.width or size[0], mark.height or size[1])
        terminal.feed(data)
    for row in terminal.rows():
        lines.add(row)
    return lines.close()


class _Lines:
    """Rows joined to lines, the newest `limit` of them; blank ones at the end go."""

    def __init__(self, limit: int | None) -> None:
        self._kept: deque[str] = deque(maxlen=limit)
        self._open: list[str] = []
        self._blank = 0

    def add(self, row: Row) -> None:
        if row.wrapped:
            self._open.append("".join(row.cells))
            return
        text = row.text()
        if self._open:
            text = "".join(self._open) + text
            self._open = []
        if text:
            self._keep(text)
        else:
            self._blank += 1

    def _keep(self, text: str) -> None:
        if self._blank:
            most = self._kept.maxlen
            blank = self._blank if most is None else min(self._blank, most)
            self._kept.extend([""] * blank)
            self._blank = 0
        self._kept.append(text)

    def close(self) -> list[str]:
        if self._open:
            self._keep("".join(self._open).rstrip(" "))
            self._open = []
        return list(self._kept)
