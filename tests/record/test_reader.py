"""Reading the ring: the newest bytes, what comes next, where runs begin."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mdtmux.names import RunId
from mdtmux.record.marks import Mark, mark
from mdtmux.record.reader import (
    Part,
    Recording,
    RunTail,
    Tail,
    bracketed,
    follow,
    last_output,
    read,
    size,
    split,
    tail,
)
from mdtmux.record.segments import Position, path_of
from tests.support.recording import make_ring

ON, OFF = b"\x1b[?2004h", b"\x1b[?2004l"
_pieces = st.lists(st.binary(max_size=40), min_size=1, max_size=5)
_fresh = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def _ring(world: Path, *pieces: bytes, first: int = 1) -> Path:
    folder = world / "here" / "ring"
    for path in folder.glob("*"):
        path.unlink()
    return make_ring(folder, *pieces, first=first)


def test_nothing_recorded_is_nothing(world: Path) -> None:
    """A folder that does not exist reads as an empty recording."""
    folder = world / "none"
    assert (size(folder), tail(folder, 10, "r"), last_output(folder)) == (0, b"", None)
    assert bracketed(folder) is None
    assert read(folder) == Recording((), cut=False)
    assert Tail(folder, Position(0, 0)).read() == []


@_fresh
@given(pieces=_pieces, count=st.integers(0, 250))
def test_the_tail_is_the_end_of_all_segments(
    world: Path, pieces: list[bytes], count: int
) -> None:
    """Wherever segments end, the tail is the last bytes of their sum."""
    folder = _ring(world, *pieces)
    whole = b"".join(pieces)
    assert size(folder) == len(whole)
    assert read(folder, count).data == whole[max(0, len(whole) - count) :]
    assert read(folder).data == whole


def test_segments_are_ordered_by_number(world: Path) -> None:
    """Segment 10 comes after 9, and files that are no segments are not read."""
    folder = _ring(world, b"nine", b"ten", first=9)
    for name in ("seg.", "seg.x", "seg.1x", "paste", "runs.jsonl"):
        (folder / name).write_bytes(b"no")
    assert read(folder, 100).data == b"nineten"


def test_a_cut_recording_says_so(world: Path) -> None:
    """Whether something was recorded before the bytes that are read is told."""
    assert not read(_ring(world, b"abc")).cut
    assert read(_ring(world, b"abc"), 2).cut
    assert read(_ring(world, b"abc", first=5)).cut


@pytest.mark.parametrize(
    ("data", "rest"),
    [
        (b"8;5;120mred\nnext", b"next"),
        (b"5;1H\x1b[0mtext", b"\x1b[0mtext"),
        (b"\x97\xa5\xe6\x9c\xac", b"\xe6\x9c\xac"),
        (b"plain text", b"plain text"),
    ],
)
def test_a_cut_sequence_is_not_text(data: bytes, rest: bytes) -> None:
    """A recording is read from the first place where text can begin."""
    cut = Recording((Part(Position(3, 10), data), Part(Position(4, 0), b"!")), cut=True)
    first, second = cut.readable()
    assert (first.data, second.data) == (rest, b"!")
    assert first.start == Position(3, 10 + len(data) - len(rest))
    whole = Recording((Part(Position(1, 0), data),), cut=False)
    assert whole.readable()[0].data == data


def test_last_output_is_when_bytes_came(world: Path) -> None:
    """The age of the last output is that of the newest bytes, not of a new segment."""
    folder = _ring(world, b"a", b"b", b"")
    os.utime(path_of(folder, 2), (1000, 1000))
    assert last_output(folder) == 1000


def test_a_tail_reads_on_over_segments(world: Path) -> None:
    """What comes is read once and in order, also when a new segment begins."""
    folder = _ring(world, b"ab")
    reader = Tail(folder, Position(1, 1))
    assert [part.data for part in reader.read()] == [b"b"]
    with path_of(folder, 1).open("ab") as file:
        file.write(b"c")
    make_ring(folder, b"d", first=2)
    assert reader.read() == [Part(Position(1, 2), b"c"), Part(Position(2, 0), b"d")]
    assert reader.read() == []


def test_a_tail_that_was_overtaken_goes_on_with_what_is_left(world: Path) -> None:
    """When the ring dropped what was not read yet, reading goes on at the oldest."""
    folder = _ring(world, b"aaa")
    reader = Tail(folder, Position(1, 0))
    path_of(folder, 1).unlink()
    make_ring(folder, b"new", first=4)
    assert [part.data for part in reader.read()] == [b"new"]


def test_a_tail_survives_a_ring_that_was_made_anew(world: Path) -> None:
    """When somebody removed the recording, the next one is read from its start."""
    folder = _ring(world, b"aaa", b"bbbbbb", first=7)
    reader = Tail(folder, Position(8, 6))
    for path in folder.glob("*"):
        path.unlink()
    assert reader.read() == []
    make_ring(folder, b"new")
    assert [part.data for part in reader.read()] == [b"new"]
    make_ring(folder, b"x")
    assert [part.data for part in reader.read()] == [b"x"]


def test_follow_yields_what_comes_until_it_is_told_to_stop(world: Path) -> None:
    """Following begins at the end, gives new bytes, and b"" when there are none."""
    folder = _ring(world, b"old")
    stops = iter([False, False, False, True])
    got = []
    for data in follow(folder, stop=lambda: next(stops), poll=0):
        got.append(data)
        make_ring(folder, b"new", first=2)
    assert got == [b"", b"new", b""]


def test_follow_from_the_start_gives_all(world: Path) -> None:
    """Following from the start begins with everything that the ring holds."""
    folder = _ring(world, b"a", b"b", first=3)
    assert list(islice(follow(folder, from_end=False, poll=0), 1)) == [b"ab"]


def _mark(run: str, segment: int, offset: int) -> Mark:
    return Mark(run, segment, offset, 0.0, 80, 24)


def _parts(*pieces: bytes, first: int = 1) -> list[Part]:
    return [Part(Position(n, 0), piece) for n, piece in enumerate(pieces, first)]


def _told(runs: list[tuple[Mark | None, bytes]]) -> list[object]:
    return [one.run if one else data for one, data in runs if one or data]


def test_bytes_are_split_where_runs_begin() -> None:
    """Each run's mark stands right before its first byte."""
    runs = [_mark("two", 1, 3), _mark("one", 1, 0), _mark("three", 2, 3)]
    told = _told(split(_parts(b"abcdef", b"ghi", b"jkl"), runs))
    assert told == ["one", b"abc", "two", b"def", b"ghi", "three", b"jkl"]


def test_a_run_that_began_before_the_ring_is_told_first() -> None:
    """The run to which the oldest kept bytes belong is known though its start is gone."""
    told = _told(split(_parts(b"abc", first=5), [_mark("old", 2, 9)]))
    assert told == ["old", b"abc"]


@given(
    pieces=_pieces, places=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 50)))
)
def test_a_split_loses_nothing(
    pieces: list[bytes], places: list[tuple[int, int]]
) -> None:
    """Wherever runs begin, the pieces are the bytes, in order."""
    runs = [_mark(str(n), *place) for n, place in enumerate(places)]
    found = split(_parts(*pieces), runs)
    assert b"".join(data for _, data in found) == b"".join(pieces)
    told = [one for one, _ in found if one is not None]
    assert len(told) == len(set(told))


def test_a_tail_of_runs_tells_each_run_once(world: Path) -> None:
    """A run that begins while one follows is told when its first bytes come."""
    folder = _ring(world, b"old")
    mark(folder, RunId("two"))
    reader = RunTail(folder, Position(1, 3), [])
    assert reader.read() == []
    make_ring(folder, b"old" + b"new")
    assert _told(reader.read()) == ["two", b"new"]
    make_ring(folder, b"old" + b"new" + b"er")
    assert _told(reader.read()) == [b"er"]


@pytest.mark.parametrize(
    ("pieces", "asked"),
    [
        ([b"text"], None),
        ([ON], True),
        ([ON + b"x" + OFF], False),
        ([OFF, b"x", ON + b"y"], True),
        ([b"a" + ON[:3], ON[3:] + b"b"], True),
        ([ON, b"a" + OFF[:7], b"l"], False),
        ([b"\x1b[?1049;2004;25h"], True),
        ([b"\x1b[?12004h\x1b[?20040h\x1b[2004h"], None),
        ([ON + b"\x1bc"], False),
    ],
)
def test_the_last_word_on_bracketed_paste_counts(
    world: Path, pieces: list[bytes], asked: bool | None
) -> None:
    """Set, reset, by a full reset, among other modes, cut by a segment's end."""
    assert bracketed(_ring(world, *pieces)) is asked


def test_what_an_earlier_run_asked_for_does_not_count(world: Path) -> None:
    """After a restart only what the new program said is known."""
    folder = _ring(world, ON)
    mark(folder, RunId("two"))
    assert bracketed(folder) is None
    make_ring(folder, ON + b"hello")
    assert bracketed(folder) is None
    make_ring(folder, ON + b"hello" + ON)
    assert bracketed(folder) is True


@pytest.mark.parametrize(
    ("note", "asked"),
    [
        (b"seg.2:5:\x1b[?2004h\n", True),
        (b"seg.2:5:\x1b[?2004l\n", False),
        (b"seg.2:4:\x1bc\n", False),
        (b"seg.2:3:\x1b[?2004h\n", None),
        (b"seg.1:9:\x1b[?2004h\n", None),
        (b"", None),
        (b"seg.2:", None),
        (b"seg.x:5:\x1b[?2004h\n", None),
    ],
)
def test_the_note_of_dropped_segments_counts_for_its_run(
    world: Path, note: bytes, asked: bool | None
) -> None:
    """What was dropped from the ring counts when it is of the current run."""
    folder = _ring(world, b"abcd", first=2)
    mark(folder, RunId("now"))
    path_of(folder, 2).unlink()
    make_ring(folder, b"later", first=3)
    (folder / "paste").write_bytes(note)
    assert bracketed(folder) is asked


def test_a_large_ring_is_searched_from_its_end(world: Path) -> None:
    """The older segments are not read when the newest has the answer."""
    folder = _ring(world, b"", ON)
    path_of(folder, 1).unlink()
    os.mkfifo(path_of(folder, 1))  # who reads it waits for ever
    assert bracketed(folder) is True
