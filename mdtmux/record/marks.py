"""Where in an agent's recording each of its runs begins.

One JSON line a run in `runs.jsonl` beside the segments. A mark is made before the
program starts: what is recorded from there on is the run's.
"""

from __future__ import annotations

import contextlib
import json
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from mdtmux.errors import MdtmuxError
from mdtmux.names import RunId
from mdtmux.record.segments import Position, end, segments
from mdtmux.system.files import private_dir, write_private

_FILE = "runs.jsonl"
_MOST = 200


@dataclass(frozen=True, slots=True)
class Mark:
    """The start of a run: where, when (seconds since the epoch), the pane's cells."""

    run: str
    segment: int
    offset: int
    time: float
    width: int
    height: int

    @property
    def position(self) -> Position:
        """Where in the recording the run begins."""
        return Position(self.segment, self.offset)


def mark(folder: Path, run: RunId, width: int = 0, height: int = 0) -> None:
    """Note that what is recorded from now on belongs to `run`.

    `width` and `height` are the pane's cells, 0 when they are not known yet. Call it
    before the run's program starts, holding the office's lock. Marks of earlier runs
    whose output has left the ring are dropped.

    Raises:
        MdtmuxError: the folder cannot be written.
    """
    private_dir(folder)
    at = end(folder)
    oldest = min(segments(folder), default=1)
    past = marks(folder)
    left = [one for one in past[:-1] if one.segment >= oldest]
    kept = (*left, *past[-1:])[-_MOST:]
    new = Mark(run, at.segment, at.offset, time.time(), width, height)
    _write(folder, (*kept, new))


def measured(folder: Path, width: int, height: int) -> None:
    """Note the size of the pane in which the newest run's output was drawn.

    To be called while the pane is still there and may soon be gone or resized: a
    full-screen program's output can only be read at the size that it was made for.
    Does nothing when no run is marked or the folder cannot be written.
    """
    past = marks(folder)
    if past and (past[-1].width, past[-1].height) != (width, height):
        with contextlib.suppress(MdtmuxError):
            _write(folder, (*past[:-1], replace(past[-1], width=width, height=height)))


def _write(folder: Path, runs: tuple[Mark, ...]) -> None:
    lines = [json.dumps(asdict(one)) for one in runs]
    write_private(folder / _FILE, "\n".join(lines) + "\n")


def marks(folder: Path) -> tuple[Mark, ...]:
    """Return the marks in order; lines that cannot be read are left out."""
    try:
        lines = (folder / _FILE).read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return ()
    found = (_parse(line) for line in lines)
    return tuple(one for one in found if one is not None)


def _parse(line: str) -> Mark | None:
    try:
        value = json.loads(line)
        return Mark(
            run=str(value["run"]),
            segment=int(value["segment"]),
            offset=int(value["offset"]),
            time=float(value["time"]),
            width=int(value["width"]),
            height=int(value["height"]),
        )
    except (ValueError, TypeError, KeyError, OverflowError):
        return None
