"""How a list of files is told to people."""

from __future__ import annotations

from collections.abc import Sequence

_NAMED = 5


def some(names: Sequence[str], most: int = _NAMED, total: int | None = None) -> str:
    """Name the first few in backticks, and how many more of the total there are."""
    told = ", ".join(f"`{name}`" for name in names[:most])
    more = (len(names) if total is None else total) - min(most, len(names))
    return f"{told} and {more} more" if more > 0 else told
