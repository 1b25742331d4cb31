"""The shapes of many texts: lists, commands, environment variables."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from mdtmux.office.fields import JsonSchema
from mdtmux.office.nodes import Listing, Node, Scalar, Table, shown
from mdtmux.office.report import Where
from mdtmux.office.texts import SCALAR_TYPES, read_text

# Linux refuses to start a program with an argument or variable of 128 KiB.
MAX_ARGUMENT = 128 * 1024 - 1
# Set by mdtmux in every pane: who the agent is would otherwise be a lie.
_RESERVED = frozenset(
    f"MDTMUX_{name}" for name in ("OFFICE", "FILE", "AGENT", "ROLE", "STATE", "RUN")
)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def fits(text: str, where: Where) -> bool:
    """Tell whether the text can be an argument or a variable; note it when not."""
    if len(text) * 4 > MAX_ARGUMENT and len(text.encode()) > MAX_ARGUMENT:
        where.fault(f"longer than {MAX_ARGUMENT} bytes, no program can be given it")
        return False
    return True


@dataclass(frozen=True, slots=True)
class Words:
    """A list of texts; a single text stands for a list of one when `single`."""

    single: bool = False
    empty: bool = False

    @property
    def words(self) -> str:
        """The shape in a few words."""
        return "text or list of texts" if self.single else "list of texts"

    def read(self, node: Node, where: Where) -> tuple[str, ...] | None:
        """Return the texts in order."""
        if isinstance(node, Scalar) and self.single and not node.is_nothing:
            node = Listing(node.line, node.column, (node,))
        if not isinstance(node, Listing):
            where.expected("a list" if not self.single else "a string or a list", node)
            return None
        texts: list[str] = []
        for number, item in enumerate(node.items, 1):
            place = where.item(number, item)
            text = read_text(item, place)
            if text is not None and not text and not self.empty:
                place.fault("cannot be empty")
            elif text is not None and fits(text, place):
                texts.append(text)
        return tuple(texts) if len(texts) == len(node.items) else None

    def json(self) -> JsonSchema:
        """Return JSON Schema."""
        types = [*SCALAR_TYPES, "array"] if self.single else ["array"]
        return {"type": types, "items": {"type": list(SCALAR_TYPES)}}


@dataclass(frozen=True, slots=True)
class Command:
    """An argument vector: a list as it is, or a text split as a shell would split it.

    No shell runs, so `$`, backticks and `~` stay what they are.
    """

    empty: bool = False
    words: str = "list of texts, or text to split"

    def read(self, node: Node, where: Where) -> tuple[str, ...] | None:
        """Return the arguments."""
        if isinstance(node, Scalar) and not node.is_nothing:
            argv = self._split(node.text, where)
        else:
            argv = Words(single=True, empty=True).read(node, where)
        if argv is None or self.empty:
            return argv
        if not argv or not argv[0].strip():
            where.fault("names no program")
            return None
        return argv

    def _split(self, text: str, where: Where) -> tuple[str, ...] | None:
        try:
            argv = tuple(shlex.split(text))
        except ValueError:
            hint = "write it as a list, which needs no quoting"
            where.fault(f"unbalanced quotes or a lone \\ in {shown(text)}", hint)
            return None
        return argv if all(fits(argument, where) for argument in argv) else None

    def json(self) -> JsonSchema:
        """Return JSON Schema."""
        return Words(single=True).json()


@dataclass(frozen=True, slots=True)
class Variables:
    """Environment variables: values keep their spelling, an empty place is empty."""

    words: str = "{NAME: text}"

    def read(self, node: Node, where: Where) -> tuple[tuple[str, str], ...] | None:
        """Return names and values in order."""
        if not isinstance(node, Table):
            hint = "write `NAME: value`" if isinstance(node, Listing) else None
            what = "a mapping of names to texts"
            if hint:
                where.fault(f"expected {what}, got a list", hint)
            else:
                where.expected(what, node)
            return None
        pairs: list[tuple[str, str]] = []
        for key, value in node.entries:
            place = where.enter(key.text, key)
            if not is_variable(key.text, place):
                continue
            if not isinstance(value, Scalar):
                place.expected("a string", value)
            elif fits(f"{key.text}={value.text}", place):
                pairs.append((key.text, value.text))
        return tuple(pairs)

    def json(self) -> JsonSchema:
        """Return JSON Schema."""
        return {
            "type": "object",
            "propertyNames": {"pattern": f"^{_VARIABLE.pattern}$"},
            "additionalProperties": {"type": [*SCALAR_TYPES, "null"]},
        }


@dataclass(frozen=True, slots=True)
class VariableNames:
    """One name or a list of names of environment variables."""

    words: str = "name or list of names"

    def read(self, node: Node, where: Where) -> tuple[str, ...] | None:
        """Return the names in order."""
        names = Words(single=True).read(node, where)
        if names is None or not all(is_variable(name, where) for name in names):
            return None
        return names

    def json(self) -> JsonSchema:
        """Return JSON Schema."""
        return Words(single=True).json()


def is_variable(name: str, where: Where) -> bool:
    """Tell whether the text names a variable that an agent may have; note it if not."""
    if name in _RESERVED:
        where.fault(f"{shown(name)} is set by mdtmux itself")
        return False
    if _VARIABLE.fullmatch(name):
        return True
    where.fault(f"{shown(name)} is no variable name (letters, digits, _)")
    return False
