"""The ring's files as `ring.sh` writes them: `seg.N`, numbered from 1.

A segment only grows; it is complete when the next one exists. The oldest is emptied
when a new one begins, and its file removed some time after.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_PREFIX = "seg."


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a recording: a segment's number and the bytes before it therein."""

    segment: int
    offset: int


def path_of(folder: Path, number: int) -> Path:
    """Return where the segment of that number is kept."""
    return folder / f"{_PREFIX}{number}"


def segments(folder: Path) -> list[int]:
    """Return the numbers of the segments that exist, in order."""
    try:
        names = [path.name for path in folder.iterdir()]
    except OSError:
        return []
    tails = (name.removeprefix(_PREFIX) for name in names if name.startswith(_PREFIX))
    return sorted(int(tail) for tail in tails if tail.isdecimal() and tail.isascii())


def length(folder: Path, number: int) -> int:
    """Return a segment's bytes; 0 when it is gone."""
    try:
        return path_of(folder, number).stat().st_size
    except OSError:
        return 0


def written(folder: Path, number: int) -> float | None:
    """Return when a segment was last written to; None when it is gone or empty."""
    try:
        status = path_of(folder, number).stat()
    except OSError:
        return None
    return status.st_mtime if status.st_size else None


def end(folder: Path) -> Position:
    """Return where the next byte will be recorded."""
    numbers = segments(folder)
    if not numbers:
        return Position(1, 0)
    return Position(numbers[-1], length(folder, numbers[-1]))


def load(folder: Path, number: int, offset: int = 0) -> bytes | None:
    """Return a segment's bytes from an offset on; None when it is gone."""
    try:
        with path_of(folder, number).open("rb") as file:
            file.seek(offset)
            data = file.read()
            # Emptied while it was read: what was read may lack its end.
            whole = os.fstat(file.fileno()).st_size >= offset + len(data)
            return data if whole else None
    except OSError:
        return None
