"""The shapes of quantities: durations, sizes, counts and cells, each with a range."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mdtmux.office.fields import JsonSchema
from mdtmux.office.nodes import Node, shown
from mdtmux.office.report import Where
from mdtmux.office.texts import read_text
from mdtmux.units import format_duration, format_size, parse_duration, parse_size

_COUNT = re.compile(r"0|[1-9][0-9]{0,8}")
_CELLS = re.compile(r"([1-9][0-9]{0,4})x([1-9][0-9]{0,4})")


@dataclass(frozen=True, slots=True)
class Duration:
    """A duration between `low` and `high` seconds."""

    low: float
    high: float
    words: str = "duration"

    def read(self, node: Node, where: Where) -> float | None:
        """Return seconds."""
        text = read_text(node, where, "a duration like 90s, 10m or 2h")
        if text is None:
            return None
        try:
            seconds = parse_duration(text)
        except ValueError as error:
            where.fault(str(error))
            return None
        if not self.low <= seconds <= self.high:
            low, high = format_duration(self.low), format_duration(self.high)
            where.fault(f"{shown(text)} is not between {low} and {high}")
            return None
        return seconds

    def json(self) -> JsonSchema:
        """Return JSON Schema."""
        return {"type": ["string", "number"], "examples": ["60s", "10m"]}


@dataclass(frozen=True, slots=True)
class Size:
    """A size between `low` and `high` bytes."""

    low: int
    high: int
    words: str = "size"

    def read(self, node: Node, where: Where) -> int | None:
        """Return bytes."""
        text = read_text(node, where, "a size like 512KB, 2MB or 1GiB")
        if text is None:
            return None
        try:
            size = parse_size(text)
        except ValueError as error:
            where.fault(str(error))
            return None
        if not self.low <= size <= self.high:
            low, high = format_size(self.low), format_size(self.high)
            where.fault(f"{shown(text)} is not between {low} and {high}")
            return None
        return size

    def json(self) -> JsonSchema:
        """Return JSON Schema."""
        return {"type": ["string", "number"], "examples": ["512KB", "2MB"]}


@dataclass(frozen=True, slots=True)
class Count:
    """A whole number between `low` and `high`, in plain decimal digits."""

    low: int
    high: int

    @property
    def words(self) -> str:
        """The range."""
        return f"{self.low} to {self.high}"

    def read(self, node: Node, where: Where) -> int | None:
        """Return the number."""
        what = f"a whole number from {self.low} to {self.high}"
        text = read_text(node, where, what)
        if text is None:
            return None
        if not _COUNT.fullmatch(text) or not self.low <= int(text) <= self.high:
            where.fault(f"expected {what}, got {shown(text)}")
            return None
        return int(text)

    def json(self) -> JsonSchema:
        """Return JSON Schema; a quoted number is right too."""
        number = {"type": "integer", "minimum": self.low, "maximum": self.high}
        return {"anyOf": [number, {"type": "string", "pattern": "^[0-9]+$"}]}


@dataclass(frozen=True, slots=True)
class Cells:
    """A size in columns and rows, `200x50`."""

    low: tuple[int, int]
    high: tuple[int, int]
    words: str = "COLUMNSxROWS"

    def read(self, node: Node, where: Where) -> tuple[int, int] | None:
        """Return columns and rows."""
        what = "columns and rows like 200x50"
        text = read_text(node, where, what)
        if text is None:
            return None
        match = _CELLS.fullmatch(text)
        if match is None:
            where.fault(f"expected {what}, got {shown(text)}")
            return None
        columns, rows = int(match[1]), int(match[2])
        (least_x, least_y), (most_x, most_y) = self.low, self.high
        if not (least_x <= columns <= most_x and least_y <= rows <= most_y):
            limits = f"{least_x}x{least_y} and {most_x}x{most_y}"
            where.fault(f"{shown(text)} is not between {limits}")
            return None
        return columns, rows

    def json(self) -> JsonSchema:
        """Return JSON Schema."""
        return {"type": "string", "pattern": f"^{_CELLS.pattern}$"}
