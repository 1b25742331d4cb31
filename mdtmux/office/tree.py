"""Build the tree of an office file from parser events, in bounded time and memory.

The builder takes plain calls, so it knows nothing of the YAML library. It never
recurses, resolves `<<` while a mapping closes, and counts every value that an alias
or a merge brings in: a bomb of aliases ends at `MAX_VALUES`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from mdtmux.office.nodes import Listing, Node, Scalar, Table, describe, shown
from mdtmux.office.report import Where

MAX_VALUES = 100_000
MAX_DEPTH = 32
_MERGE = "<<"
# No argument, variable or UTF-8 file can hold these.
_UNUSABLE = re.compile("[\0\ud800-\udfff]")


class Hopeless(Exception):
    """The rest of the file cannot be read; the problem has been noted."""


@dataclass(slots=True)
class _Open:
    """A list or mapping whose end has not come yet."""

    line: int
    column: int
    is_table: bool
    anchor: str | None
    nodes: list[Node] = field(default_factory=list)
    weight: int = 1

    @property
    def name(self) -> str | None:
        """The value of the key `name`, when it has come already."""
        pairs = zip(self.nodes[::2], self.nodes[1::2], strict=False)
        for key, value in pairs:
            if isinstance(key, Scalar) and key.text == "name":
                return value.text if isinstance(value, Scalar) else None
        return None


class TreeBuilder:
    """Takes scalars, opens, closes and aliases in file order; `root` is the result."""

    def __init__(self, top: Where) -> None:
        self._top = top
        self._stack: list[_Open] = []
        self._anchors: dict[str, tuple[Node, int]] = {}
        self._values = 0
        self.root: Node | None = None

    def scalar(self, node: Scalar, anchor: str | None) -> None:
        """Take one scalar."""
        self._count(node, 1)
        if _UNUSABLE.search(node.text):
            self._where(node).fault("the text holds a NUL or half of a surrogate pair")
        self._add(node, 1, anchor)

    def open(self, line: int, column: int, is_table: bool, anchor: str | None) -> None:
        """Begin a list or a mapping."""
        opened = _Open(line, column, is_table, anchor)
        self._stack.append(opened)
        place = Listing(line, column, ())
        self._count(place, 1)
        if len(self._stack) > MAX_DEPTH:
            self._give_up(place, f"nested deeper than {MAX_DEPTH} levels")

    def close(self) -> None:
        """End the innermost list or mapping."""
        done = self._stack[-1]
        node: Node
        if done.is_table:
            node = self._table(done)
        else:
            node = Listing(done.line, done.column, tuple(done.nodes))
        self._stack.pop()
        self._add(node, done.weight, done.anchor)

    def alias(self, line: int, column: int, name: str) -> None:
        """Take `*name`: the node that `&name` stands at."""
        place = Listing(line, column, ())
        if any(opened.anchor == name for opened in self._stack):
            self._give_up(place, f"the alias `*{name}` stands inside its own anchor")
        if name not in self._anchors:
            self._give_up(place, f"no anchor `&{name}` stands before this alias")
        node, weight = self._anchors[name]
        self._count(place, weight)
        self._add(node, weight, None)

    def _where(self, node: Node) -> Where:
        """Return the node's place with the path of what is open around it."""
        where = self._top
        inside = [*self._stack[1:], None]
        for frame, inner in zip(self._stack, inside, strict=False):
            if not frame.is_table:
                name = inner.name if inner and inner.is_table else None
                where = where.item(len(frame.nodes) + 1, node, name)
            elif len(frame.nodes) % 2 and isinstance(key := frame.nodes[-1], Scalar):
                where = where.enter(key.text, node)
        return Where(where.problems, node.line, node.column, where.label, where.parent)

    def _give_up(self, place: Node, message: str) -> None:
        self._where(place).fault(message)
        raise Hopeless

    def _count(self, place: Node, weight: int) -> None:
        self._values += weight
        if self._values > MAX_VALUES:
            self._give_up(
                place, f"more than {MAX_VALUES} values, with what aliases repeat"
            )

    def _add(self, node: Node, weight: int, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = (node, weight)
        if self._stack:
            self._stack[-1].nodes.append(node)
            self._stack[-1].weight += weight
        else:
            self.root = node

    def _table(self, done: _Open) -> Table:
        """Pair keys and values, refuse doubles, and lay merged entries below own ones."""
        own: dict[str, tuple[Scalar, Node]] = {}
        merged: dict[str, tuple[Scalar, Node]] = {}
        first: dict[str, int] = {}
        for key, value in zip(done.nodes[::2], done.nodes[1::2], strict=True):
            if not isinstance(key, Scalar):
                self._where(key).fault(f"a key must be text, got {describe(key)}")
            elif key.text in first:
                lines = f"lines {first[key.text]} and {key.line}"
                place = self._where(key).enter(key.text, key)
                place.fault(f"{shown(key.text)} is given twice: {lines}")
            else:
                first[key.text] = key.line
                if key.plain and key.text == _MERGE:
                    self._merge(value, merged)
                else:
                    own[key.text] = (key, value)
        for name, entry in merged.items():
            own.setdefault(name, entry)
        return Table(done.line, done.column, tuple(own.values()))

    def _merge(self, value: Node, merged: dict[str, tuple[Scalar, Node]]) -> None:
        """Take the entries of a mapping or a list of mappings; earlier ones win."""
        sources = value.items if isinstance(value, Listing) else (value,)
        for source in sources:
            if not isinstance(source, Table):
                what = "`<<` takes a mapping or a list of mappings"
                self._where(source).fault(f"{what}, got {describe(source)}")
                continue
            self._count(source, len(source.entries))
            for key, node in source.entries:
                merged.setdefault(key.text, (key, node))
