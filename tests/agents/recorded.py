"""Screens recorded from real agent CLIs.

A `.screen` file is `capture-pane -p -e` below one row that holds the size, the cursor
and the title. They were taken in tmux 3.3a from Claude Code 2.1.332 (`old-` in the name:
2.1.197), Codex 0.171.0, OpenCode 1.18.33, Gemini CLI 0.61.0, Qwen Code 0.24.4 (`old-`:
0.15.10), Pi 1.6.0 (`old-`: 0.74.2) and OpenClaw 2026.9.6, against a
scripted model on the loopback interface.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from mdtmux.system.screen import Screen

FOLDER = Path(__file__).parent / "screens"
_HEAD = re.compile(r"(\d+)x(\d+) cursor=(\d+),(\d+) alternate=[01] title=(.*)")
_CODES = re.compile(r"\x1b\[[0-9;:]*m|[\x0e\x0f]")


def recorded(name: str) -> Screen:
    """Return a recorded screen by its file's name without the suffix."""
    head, _, body = (FOLDER / f"{name}.screen").read_text("utf-8").partition("\n")
    match = _HEAD.fullmatch(head)
    assert match, f"{name}: {head}"
    columns, rows, x, y = (int(number) for number in match.groups()[:4])
    styled = (body.split("\n") + [""] * rows)[:rows]
    return made(styled, (x, y), (columns, rows), match[5])


def made(
    styled: list[str],
    cursor: tuple[int, int] = (0, 0),
    size: tuple[int, int] = (80, 24),
    title: str = "",
) -> Screen:
    """Return a screen of these rows, with their styles."""
    lines = tuple(_CODES.sub("", row).rstrip() for row in styled)
    return Screen(lines, tuple(styled), *cursor, *size, 0, title, dead=False)


def inserted(screen: Screen, row: int, rows: list[str]) -> Screen:
    """Return the screen with more rows above one of its rows."""
    styled = [*screen.styled[:row], *rows, *screen.styled[row:]]
    moved = made(styled, (screen.cursor_x, screen.cursor_y + len(rows)))
    height = screen.height + len(rows)
    return replace(moved, width=screen.width, height=height, title=screen.title)


def names(kind: str) -> list[str]:
    """Return the names of all screens recorded from a kind."""
    return sorted(path.stem for path in FOLDER.glob(f"{kind}*.screen"))
