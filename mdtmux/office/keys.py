"""The keys of one agent laid over those of `defaults`, and the kind that they declare."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TypeVar

from mdtmux.office.fields import Field, Record
from mdtmux.office.report import Where
from mdtmux.office.schema import ARGS, COMMAND, KIND, MODEL, SHELL
from mdtmux.office.values import CUSTOM, PROGRAMS

T = TypeVar("T")
STARTS = (COMMAND, SHELL)
_OF_A_KIND = frozenset({KIND.key, COMMAND.key, SHELL.key, ARGS.key, MODEL.key})


@dataclass(frozen=True, slots=True)
class Keys:
    """An agent's own record over the office's defaults, of which some are hidden."""

    own: Record
    defaults: Record | None
    hidden: frozenset[str] = frozenset()

    def _source(self, field: Field[object]) -> Record:
        below = self.defaults
        if below is None or self.own.has(field) or field.key in self.hidden:
            return self.own
        return below

    def get(self, field: Field[T]) -> T | None:
        """Return the value; None when absent or wrong."""
        return self._source(field).get(field)

    def has(self, *fields: Field[object]) -> bool:
        """Tell whether the agent or `defaults` has one of the keys."""
        return any(self._source(field).has(field) for field in fields)

    def owns(self, *fields: Field[object]) -> bool:
        """Tell whether the agent itself has one of the keys."""
        return any(self.own.has(field) for field in fields)

    def at(self, field: Field[object]) -> Where:
        """Return where the key stands that counts; the agent when there is none."""
        source = self._source(field)
        return source.at(field) if source.has(field) else self.own.where


def lay_over(own: Record, defaults: Record | None) -> Keys:
    """Return the keys of an agent.

    What belongs to a kind is not taken from defaults of another kind: the arguments
    of one CLI are nothing for another. An own `command` or `shell` replaces either.
    """
    if defaults is None:
        return Keys(own, None)
    kind, usual = declared_kind(own), declared_kind(defaults)
    if kind and usual and kind != usual:
        return Keys(own, defaults, _OF_A_KIND)
    if any(own.has(field) for field in STARTS):
        return Keys(own, defaults, frozenset(field.key for field in STARTS))
    return Keys(own, defaults)


def declared_kind(record: Record) -> str | None:
    """Return the kind that the record alone tells; empty when what it tells is wrong."""
    if record.has(KIND):
        return record.get(KIND) or ""
    if not any(record.has(field) for field in STARTS):
        return None
    command = record.get(COMMAND)
    program = posixpath.basename(command[0]) if command else CUSTOM
    return program if program in PROGRAMS else CUSTOM
