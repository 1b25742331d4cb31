"""How small panes get: compared with what tmux really makes of them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from mdtmux.office.model import TmuxOptions
from mdtmux.office.panes import smallest_pane
from mdtmux.office.schema import LAYOUTS


def _tmux(world: Path, *args: str) -> str:
    command = ["tmux", "-S", str(world / "s"), "-f", "/dev/null", *args]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    return done.stdout


@pytest.mark.parametrize("layout", LAYOUTS)
def test_tmux_makes_panes_no_smaller(tidy: Path, layout: str) -> None:
    """For every number of panes, tmux's smallest is at least the one that was reckoned."""
    size = ("-x", "320", "-y", "120")
    _tmux(tidy, "new-session", "-d", *size, "sleep 600")
    _tmux(tidy, "set-option", "-g", "pane-border-status", "top")
    _tmux(tidy, "set-option", "-g", "main-pane-height", "50%")
    _tmux(tidy, "set-option", "-g", "main-pane-width", "50%")
    for panes in range(1, 17):
        if panes > 1:
            _tmux(tidy, "split-window", "sleep 600")
        _tmux(tidy, "select-layout", layout)
        rows = _tmux(
            tidy, "list-panes", "-F", "#{pane_width} #{pane_height}"
        ).splitlines()
        found = [tuple(map(int, row.split())) for row in rows]
        options = TmuxOptions(layout=layout, width=320, height=120)
        columns, lines = smallest_pane(options, panes)
        assert min(width for width, _ in found) >= columns, (layout, panes)
        assert min(height for _, height in found) >= lines, (layout, panes)
