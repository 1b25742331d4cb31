"""Where something stands in an office file, and the problems found there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mdtmux.errors import Problem
from mdtmux.office.nodes import Node, Scalar, cut, describe, visible


@dataclass(frozen=True, slots=True)
class Where:
    """A place of the file with its path of keys; faults found there go to one set."""

    problems: dict[Problem, None]
    line: int
    column: int
    label: str = ""
    parent: Where | None = None

    def enter(self, label: str, node: Node) -> Where:
        """Return the place one step deeper: `node` tells line and column."""
        return Where(self.problems, node.line, node.column, label, self)

    def item(self, number: int, node: Node, name: str | None = None) -> Where:
        """Return the place of an item of the list that stands here; counts from 1."""
        label = f"{self.label}[{number}]" + (f" '{cut(name)}'" if name else "")
        return Where(self.problems, node.line, node.column, label, self.parent)

    @property
    def path(self) -> str:
        """The keys that lead here: `agents[2] 'jim' > ready > timeout`."""
        above = self.parent.path if self.parent else ""
        label = visible(cut(self.label, 99))
        return f"{above} > {label}" if above and label else above or label

    def fault(self, message: str, hint: str | None = None) -> None:
        """Note a problem here; the same problem at the same place counts once."""
        hint = None if hint is None else visible(hint)
        message = visible(message)
        problem = Problem(self.line, self.column, self.path, message, hint)
        self.problems[problem] = None

    def expected(self, what: str, node: Node) -> None:
        """Note that something else stands here than what was expected."""
        hint = None
        if isinstance(node, Scalar) and node.is_nothing:
            hint = "leave the key out"
            if node.text:
                hint += f", or quote it to mean the word `{node.text}`"
        self.fault(f"expected {what}, got {describe(node)}", hint)


def in_file_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return the problems sorted by their place."""
    return tuple(sorted(problems, key=lambda problem: (problem.line, problem.column)))
