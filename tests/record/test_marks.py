"""Marks: where each run begins in the recording."""

from __future__ import annotations

import stat
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mdtmux.names import RunId
from mdtmux.record.marks import mark, marks, measured
from mdtmux.record.segments import Position
from tests.support.recording import make_ring


def test_a_mark_stands_at_the_end_of_what_is_recorded(world: Path) -> None:
    """The first run begins at the start, the next where the ring ends."""
    folder = world / "record" / "a"
    mark(folder, RunId("one"), 80, 24)
    make_ring(folder, b"x" * 10, b"y" * 4)
    mark(folder, RunId("two"), 100, 30)
    first, second = marks(folder)
    assert (first.run, first.position) == ("one", Position(1, 0))
    assert (second.run, second.position) == ("two", Position(2, 4))
    assert (second.width, second.height) == (100, 30)
    assert stat.S_IMODE((folder / "runs.jsonl").stat().st_mode) == 0o600


def test_marks_of_what_left_the_ring_are_dropped(world: Path) -> None:
    """The list stays short: of the runs before the oldest byte only the last stays."""
    folder = world / "record" / "a"
    for run in range(5):
        mark(folder, RunId(f"r{run}"))
    make_ring(folder, b"x", first=9)
    mark(folder, RunId("new"))
    assert [one.run for one in marks(folder)] == ["r4", "new"]


def test_a_crash_loop_without_output_keeps_a_bounded_list(world: Path) -> None:
    """Ten thousand silent runs do not make ten thousand marks."""
    folder = world / "record" / "a"
    for run in range(230):
        mark(folder, RunId(f"r{run}"))
    found = [one.run for one in marks(folder)]
    assert len(found) <= 201
    assert found[-1] == "r229"


def test_the_size_of_the_newest_run_can_be_told_later(world: Path) -> None:
    """The size noted is that of the newest run; without any run nothing is written."""
    folder = world / "record" / "a"
    measured(folder, 10, 5)
    assert not folder.exists()
    mark(folder, RunId("one"), 80, 24)
    mark(folder, RunId("two"))
    measured(folder, 100, 30)
    assert [(one.width, one.height) for one in marks(folder)] == [(80, 24), (100, 30)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200))
def test_any_file_of_marks_can_be_read(world: Path, data: bytes) -> None:
    """Damaged lines are left out and never raise."""
    folder = world / "here"
    good = (
        b'{"run": "r", "segment": 1, "offset": 2, "time": 3, "width": 4, "height": 5}'
    )
    (folder / "runs.jsonl").write_bytes(data + b"\n" + good + b'\n{"run": NaN}\n[1]\n')
    assert marks(folder)[-1].run == "r"
