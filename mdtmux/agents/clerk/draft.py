"""The draft on the input line: what is typed, edited and not yet submitted."""

from __future__ import annotations

from dataclasses import dataclass

from mdtmux.agents.clerk import marks
from mdtmux.agents.clerk.text import cells, clean, width

# How far before the cursor the draft is laid out; what is further up is hidden.
_REACH = 4096


@dataclass(frozen=True, slots=True)
class Block:
    """A long paste: one thing in the draft, shown by its placeholder."""

    number: int
    text: str

    def shown(self) -> str:
        """Return the placeholder."""
        return marks.placeholder(self.number, self.text)


Item = str | Block


class Draft:
    """An editable line of characters and pasted blocks, with a cursor."""

    def __init__(self) -> None:
        self._items: list[Item] = []
        self._cursor = 0
        self._pastes = 0

    def __bool__(self) -> bool:
        """Tell whether there is anything in it."""
        return bool(self._items)

    def text(self) -> str:
        """Return the whole text, pastes included."""
        return "".join(_text(item) for item in self._items)

    def shown(self) -> str:
        """Return the text with placeholders for its long pastes."""
        return "".join(_shown(item) for item in self._items)

    def type(self, text: str) -> None:
        """Insert characters at the cursor."""
        self._insert(list(text))

    def paste(self, text: str) -> None:
        """Insert a paste at the cursor: as characters, or as one block if long."""
        if not marks.is_long(text):
            self.type(text)
            return
        self._pastes += 1
        self._insert([Block(self._pastes, text)])

    def _insert(self, items: list[str] | list[Block]) -> None:
        self._items[self._cursor : self._cursor] = items
        self._cursor += len(items)

    def clear(self) -> None:
        """Empty the draft; the next long paste is number 1 again."""
        self._items.clear()
        self._cursor = self._pastes = 0

    def replace(self, text: str) -> None:
        """Make the text the whole draft."""
        self.clear()
        self.paste(text)

    def edit(self, key: str) -> bool:
        """Do what an editing key does; tell whether it is one."""
        match key:
            case "left":
                self._cursor = max(0, self._cursor - 1)
            case "right":
                self._cursor = min(len(self._items), self._cursor + 1)
            case "home":
                self._cursor = self._line_start()
            case "end":
                self._cursor = self._line_end()
            case "backspace":
                self._cut(max(0, self._cursor - 1))
            case "delete":
                del self._items[self._cursor : self._cursor + 1]
            case "kill-end":
                del self._items[self._cursor : self._line_end()]
            case "kill-word":
                self._cut(self._word_start())
            case "clear":
                self.clear()
            case _:
                return False
        return True

    def _cut(self, start: int) -> None:
        del self._items[start : self._cursor]
        self._cursor = start

    def _line_start(self) -> int:
        place = self._cursor
        while place and self._items[place - 1] != "\n":
            place -= 1
        return place

    def _line_end(self) -> int:
        place = self._cursor
        while place < len(self._items) and self._items[place] != "\n":
            place += 1
        return place

    def _word_start(self) -> int:
        place = self._cursor
        while place and self._items[place - 1] in (" ", "\n"):
            place -= 1
        while place and self._items[place - 1] not in (" ", "\n"):
            place -= 1
        return place

    def layout(self, columns: int, rows: int) -> tuple[list[str], int, int]:
        """Return the rows to show and the cursor's row and column among them.

        Each row begins with two columns that tell its origin: the prompt, a new line,
        a wrapped line, or rows hidden above.
        """
        start = max(0, self._cursor - _REACH)
        page = _Page(columns)
        for index in range(start, len(self._items) + 1):
            if index == self._cursor:
                page.mark()
            past = index >= self._cursor and len(page.rows) > page.row + rows
            if past or index == len(self._items):
                break
            page.put(self._items[index])
        last = min(len(page.rows), max(page.row + 1, rows))
        first = max(0, last - rows)
        shown = page.rows[first:last]
        if first or start:
            shown[0] = marks.HIDDEN + shown[0][len(marks.HIDDEN) :]
        return shown, page.row - first, page.column


class _Page:
    """Rows being filled with a draft."""

    def __init__(self, columns: int) -> None:
        self.columns = max(columns, 4)
        self.rows = [marks.PROMPT]
        self.row = 0
        self.column = self._used = width(marks.PROMPT)

    def mark(self) -> None:
        """Put the cursor where the next character will stand."""
        if self._used >= self.columns:
            self._start(marks.WRAPPED)
        self.row, self.column = len(self.rows) - 1, self._used

    def put(self, item: Item) -> None:
        """Write one item, wrapping where the row ends."""
        if item == "\n":
            self._start(marks.NEW_LINE)
            return
        for character in clean(_shown(item)):
            size = cells(character)
            if self._used + size > self.columns:
                self._start(marks.WRAPPED)
            self.rows[-1] += character
            self._used += size

    def _start(self, prefix: str) -> None:
        self.rows.append(prefix)
        self._used = width(prefix)


def _text(item: Item) -> str:
    return item.text if isinstance(item, Block) else item


def _shown(item: Item) -> str:
    return item.shown() if isinstance(item, Block) else item
