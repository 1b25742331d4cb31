"""The shapes of single texts: strings, lines, names, choices, patterns.

A scalar counts as written: `no`, `1.10` and `007` are texts of two, four and three
characters. What YAML reads as nothing (`~`, `null`, an empty place) must be quoted
where text is meant.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from functools import lru_cache

from mdtmux.names import NAME_PATTERN, is_name, name_fault, nearest
from mdtmux.office.fields import JsonSchema
from mdtmux.office.nodes import Node, Scalar, shown, visible
from mdtmux.office.report import Where

# Scalars keep their spelling, so an editor must not complain about `branch: 1.10`.
SCALAR_TYPES = ("string", "number", "boolean")


def read_text(node: Node, where: Where, what: str = "a string") -> str | None:
    """Return a scalar's text as written; None after noting that it is none."""
    if isinstance(node, Scalar) and not node.is_nothing:
        return node.text
    where.expected(what, node)
    return None


@dataclass(frozen=True, slots=True)
class Text:
    """Any text, of several lines too; `empty` says whether it may be empty."""

    empty: bool = False
    words: str = "text"

    def read(self, node: Node, where: Where) -> str | None:
        """Return the text byte for byte."""
        text = read_text(node, where)
        if text is not None and not self.empty and not text.strip():
            where.fault("cannot be empty")
            return None
        return text

    def json(self) -> JsonSchema:
        """Return JSON Schema."""
        return {"type": list(SCALAR_TYPES)}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text that is not empty and holds no control characters.

    `option` says whether it may begin with `-`, which programs take for an option.
    """

    option: bool = False
    words: str = "text"

    def read(self, node: Node, where: Where) -> str | None:
        """Return the line."""
        text = read_text(node, where)
        if text is None:
            return None
        if not text.strip():
            where.fault("cannot be empty")
        elif text != visible(text):
            where.fault(f"{shown(text)} must be one line without control characters")
        elif text.startswith("-") and not self.option:
            where.fault(f"{shown(text)} begins with `-` and would pass for an option")
        else:
            return text
        return None

    def json(self) -> JsonSchema:
        """Return JSON Schema."""
        return {"type": list(SCALAR_TYPES), "minLength": 1}


@dataclass(frozen=True, slots=True)
class Name:
    """A name that tmux, git, paths and shells all take."""

    words: str = "name"

    def read(self, node: Node, where: Where) -> str | None:
        """Return the name."""
        text = read_text(node, where)
        if text is None:
            return None
        if not is_name(text):
            where.fault(f"{shown(text)}: {name_fault(text)}")
            return None
        return text

    def json(self) -> JsonSchema:
        """Return JSON Schema."""
        return {"type": list(SCALAR_TYPES), "pattern": f"^{NAME_PATTERN}$"}


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words."""

    choices: tuple[str, ...]

    @property
    def words(self) -> str:
        """The choices."""
        return " | ".join(self.choices)

    def read(self, node: Node, where: Where) -> str | None:
        """Return the word."""
        allowed = ", ".join(self.choices)
        text = read_text(node, where, f"one of {allowed}")
        if text is None or text in self.choices:
            return text
        near = nearest(text, self.choices)
        hint = f"did you mean `{near}`?" if near else None
        where.fault(f"expected one of {allowed}, got {shown(text)}", hint)
        return None

    def json(self) -> JsonSchema:
        """Return JSON Schema."""
        return {"enum": list(self.choices)}


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression in Python's syntax that compiles and is not empty."""

    words: str = "regular expression"

    def read(self, node: Node, where: Where) -> str | None:
        """Return the expression's text."""
        text = read_text(node, where)
        if text is None:
            return None
        fault = pattern_fault(text)
        if fault is not None:
            where.fault(f"{shown(text)} is no regular expression: {fault}")
            return None
        return text

    def json(self) -> JsonSchema:
        """Return JSON Schema."""
        return {"type": list(SCALAR_TYPES), "minLength": 1}


@lru_cache(maxsize=256)
def pattern_fault(text: str) -> str | None:
    """Say why the text cannot be used as a regular expression, None when it can."""
    if not text:
        return "it is empty and would match everything"
    try:
        with warnings.catch_warnings():
            # `[[a]` only warns today: its meaning is to change, so it is refused.
            warnings.simplefilter("error")
            re.compile(text)
    except (re.error, Warning, OverflowError, RecursionError, MemoryError) as error:
        return str(error) or "it is too deep"
    return None
