"""How small tmux would make the panes of a window. Pure."""

from __future__ import annotations

from mdtmux.office.model import TmuxOptions

LEAST_COLUMNS = 20
LEAST_ROWS = 5


def smallest_pane(options: TmuxOptions, panes: int) -> tuple[int, int]:
    """Return columns and rows of the smallest pane when `panes` share a window.

    One cell stands between neighbours; the row that names a pane of the uppermost
    is taken from its own.
    """
    across, down = _grid(options.layout, panes)
    columns = (options.width - (across - 1)) // across
    rows = (options.height - (down - 1)) // down - 1
    return columns, rows


def _grid(layout: str, panes: int) -> tuple[int, int]:
    """Return how many panes stand side by side and above each other, at most."""
    if layout == "even-horizontal":
        return panes, 1
    if layout == "even-vertical":
        return 1, panes
    if layout == "main-horizontal":
        return max(1, panes - 1), min(2, panes)
    if layout == "main-vertical":
        return min(2, panes), max(1, panes - 1)
    # tmux's own way for `tiled`: add a row, then a column, until all find a place.
    across = down = 1
    while across * down < panes:
        down += 1
        if across * down < panes:
            across += 1
    return across, down
