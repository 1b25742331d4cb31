"""The ways in which `logs` prints a recording, once or as it grows."""

from __future__ import annotations

import itertools
import time

from mdtmux.cli import output
from mdtmux.cli.recorded import Recorded
from mdtmux.record.follow import Follower
from mdtmux.record.reader import (
    POLL,
    Recording,
    RunTail,
    last_output,
    read,
    size,
    split,
)
from mdtmux.record.reader import follow as follow_bytes


def print_raw(found: Recorded, *, follow: bool) -> None:
    """Print the recorded bytes as they are."""
    if not follow:
        output.echo_bytes(read(found.folder).data)
        return
    for data in follow_bytes(found.folder, from_end=False):
        if data:
            output.echo_bytes(data)


def print_json(found: Recorded, count: int) -> None:
    """Print the newest lines as one JSON value."""
    recording = found.read()
    output.emit_json(
        {
            "agent": found.agent,
            "lines": found.lines(recording, count),
            "bytes": len(recording.data),
            "cut": recording.cut,
            "last_output": last_output(found.folder),
        }
    )


def print_lines(found: Recorded, count: int, *, follow: bool) -> None:
    """Print the newest lines, then those that come."""
    recording = found.read()
    lines = found.lines(recording, count)
    if not recording.data and not follow:
        output.note(f"nothing has been recorded of `{found.agent}`")
    elif recording.cut and len(lines) < count:
        whole = len(recording.data) == size(found.folder)
        what = "no longer recorded" if whole else "too long to render; `--raw` has it"
        output.note(f"older output is {what}")
    _print(lines)
    if follow:
        _follow(found, recording)


def _follow(found: Recorded, recording: Recording) -> None:
    follower = Follower(found.size)
    past = split(recording.readable(), found.marks())
    follower.feed(past)
    follower.skip()
    seen = [mark for mark, _ in past if mark is not None]
    reader = RunTail(found.folder, recording.end, seen)
    for _ in itertools.count():
        runs = reader.read()
        follower.feed(runs)
        _print(follower.take(time.monotonic()))
        if not runs:
            time.sleep(POLL)


def _print(lines: list[str]) -> None:
    if lines:
        output.echo("\n".join(lines))
