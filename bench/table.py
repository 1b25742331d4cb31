"""The bench's rows and how they are printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Row:
    """One target and what was measured; None: cannot be measured on this system."""

    name: str
    goal: float
    must: float
    measured: float | None
    unit: str
    better: Literal["lower", "higher"] = "lower"

    @property
    def missed(self) -> bool:
        """Whether the must is not reached."""
        return not self._reaches(self.must)

    @property
    def verdict(self) -> str:
        """Tell in a word which of the two is reached."""
        if self.measured is None:
            return "not measured"
        return (
            "goal"
            if self._reaches(self.goal)
            else "must"
            if not self.missed
            else "missed"
        )

    def _reaches(self, target: float) -> bool:
        if self.measured is None:
            return True
        low = self.better == "lower"
        return self.measured <= target if low else self.measured >= target


def render_table(rows: Sequence[Row]) -> str:
    """Lay the rows out as a Markdown table."""
    cells = [("what", "goal", "must", "measured", "reached")]
    for row in rows:
        measured = "-" if row.measured is None else _amount(row.measured, row.unit)
        goal, must = _amount(row.goal, row.unit), _amount(row.must, row.unit)
        cells.append((row.name, goal, must, measured, row.verdict))
    widths = [
        max(len(line[column]) for line in cells) for column in range(len(cells[0]))
    ]
    lines = [
        " | ".join(f"{c:<{w}}" for c, w in zip(line, widths, strict=True))
        for line in cells
    ]
    lines.insert(1, " | ".join("-" * width for width in widths))
    return "\n".join(f"| {line} |" for line in lines)


def _amount(value: float, unit: str) -> str:
    number = f"{value:.0f}" if value == int(value) and not unit else f"{value:.2f}"
    return f"{number} {unit}".rstrip()
