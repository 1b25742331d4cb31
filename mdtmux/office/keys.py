"""The keys of one agent laid over those of `defaults`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from mdtmux.office.fields import Field, Record
from mdtmux.office.report import Where
from mdtmux.office.schema import COMMAND, SHELL

T = TypeVar("T")
_STARTS = (COMMAND, SHELL)


@dataclass(frozen=True, slots=True)
class Keys:
    """An agent's own record, and the office's defaults unless there are none.

    An own `command` or `shell` hides both of the defaults: one of them starts it.
    """

    own: Record
    defaults: Record | None

    def _source(self, field: Field[object]) -> Record:
        if self.own.has(field) or self.defaults is None:
            return self.own
        if field in _STARTS and self.owns(*_STARTS):
            return self.own
        return self.defaults

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
