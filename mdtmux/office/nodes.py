"""The tree of an office file: scalars as written, every node with its place.

Merges (`<<`) are already resolved; an alias is the very node that its anchor names.
Lines and columns count from 1.
"""

from __future__ import annotations

from dataclasses import dataclass

# What YAML reads as nothing when it stands unquoted.
_NOTHING = frozenset({"", "~", "null", "Null", "NULL"})


@dataclass(frozen=True, slots=True)
class Scalar:
    """One text; `plain` when it stands without quotes and not as a block."""

    line: int
    column: int
    text: str
    plain: bool

    @property
    def is_nothing(self) -> bool:
        """Whether YAML takes it for no value at all."""
        return self.plain and self.text in _NOTHING


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of nodes."""

    line: int
    column: int
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A mapping: its entries in the file's order, no key twice."""

    line: int
    column: int
    entries: tuple[tuple[Scalar, Node], ...]


Node = Scalar | Listing | Table


def cut(text: str, limit: int = 60) -> str:
    """Return the text, shortened when it is longer than a message can bear."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def shown(text: str) -> str:
    """Return the text for a message: cut, in backticks, control characters escaped."""
    return f"`{visible(cut(text))}`"


def visible(text: str) -> str:
    """Return the text with what a terminal would act upon or hide written out."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def describe(node: Node) -> str:
    """Say in a few words what the node is."""
    match node:
        case Scalar():
            return "nothing" if node.is_nothing else shown(node.text)
        case Listing():
            return "a list"
        case Table():
            return "a mapping"
