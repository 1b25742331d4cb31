"""How many lines tmux may keep of a pane, so that its memory stays bounded."""

from __future__ import annotations

# tmux 3.3a, measured: 32 bytes a line and at most 24 a cell (one with a colour of
# its own, or a wide or accented character); up to 15 % more in the server's memory.
_LINE = 32
_CELL = 24
_MORE = 1.15
_FEWEST = 100
_MOST = 50_000


def history_limit(buffer: int, width: int, height: int = 50) -> int:
    """Return tmux's `history-limit` for a pane of that size in cells.

    tmux counts lines, not bytes: with this limit the pane's screen and history take
    at most about `buffer` bytes whatever it prints, though not less than 100 lines
    are kept. The option counts for panes that are made after it was set.
    """
    line = (_LINE + _CELL * max(1, width)) * _MORE
    return max(_FEWEST, min(_MOST, int(buffer / line) - height))
