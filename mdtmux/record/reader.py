"""Read an agent's recording: the newest bytes, what comes next, what it asked for.

Works while the ring is written, after the agent died and after `down`.
"""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mdtmux.record.marks import Mark, marks
from mdtmux.record.segments import Position, end, length, load, segments, written

POLL = 0.15
# How far a cut recording may be skipped to find a place where text can begin.
_EDGE = 4096
_SAFE_START = re.compile(rb"\n|(?=\x1b)")
_CONTINUATION = bytes(range(0x80, 0xC0))
# DEC private mode 2004 set or reset, also among other modes; a full reset ends it.
_PASTE = re.compile(rb"\x1b(?:c|\[\?(?:\d+;)*2004(?:;\d+)*([hl]))")
# The longest such sequence that may be cut in two by a segment's end.
_OVERLAP = 64


@dataclass(frozen=True, slots=True)
class Part:
    """Recorded bytes that follow each other within one segment, and their place."""

    start: Position
    data: bytes


@dataclass(frozen=True, slots=True)
class Recording:
    """What was read; `cut` when something was recorded before it."""

    parts: tuple[Part, ...]
    cut: bool

    @property
    def data(self) -> bytes:
        """The bytes as one string."""
        return b"".join(part.data for part in self.parts)

    @property
    def end(self) -> Position:
        """Where reading on begins."""
        if not self.parts:
            return Position(0, 0)
        last = self.parts[-1]
        return Position(last.start.segment, last.start.offset + len(last.data))

    def readable(self) -> tuple[Part, ...]:
        """Return the parts from where they can be understood.

        The rest of a cut escape sequence would be shown as text, so what stands
        before the first line break or escape is dropped.
        """
        if not self.cut or not self.parts:
            return self.parts
        first, *rest = self.parts
        found = _SAFE_START.search(first.data, 0, _EDGE)
        data = first.data[found.end() :] if found else first.data.lstrip(_CONTINUATION)
        at = first.start.offset + len(first.data) - len(data)
        return (Part(Position(first.start.segment, at), data), *rest)


def size(folder: Path) -> int:
    """Return how many bytes the ring holds."""
    return sum(length(folder, number) for number in segments(folder))


def last_output(folder: Path) -> float | None:
    """Return when the agent last wrote, in seconds since the epoch; None: never."""
    times = (written(folder, number) for number in reversed(segments(folder)))
    return next((at for at in times if at is not None), None)


def read(folder: Path, max_bytes: int | None = None) -> Recording:
    """Return the newest bytes, at most `max_bytes`; without a limit all there are."""
    room = max_bytes
    parts: list[Part] = []
    cut = False
    # Newest first: what the writer drops meanwhile is the oldest, and leaves no gap.
    for number in reversed(segments(folder)):
        offset = 0
        if room is not None:
            offset = max(0, length(folder, number) - room)
        data = load(folder, number, offset)
        if data is None or (parts and number != parts[-1].start.segment - 1):
            break
        if room is not None and len(data) > room:
            offset, data = offset + len(data) - room, data[len(data) - room :]
        parts.append(Part(Position(number, offset), data))
        cut = offset > 0 or number > 1
        if room is not None:
            room -= len(data)
            if room <= 0:
                break
    return Recording(tuple(reversed(parts)), cut)


class Tail:
    """Reads on from a place: each `read` returns what was recorded since the last.

    When the ring overtakes the reader, what was dropped is missing.
    """

    def __init__(self, folder: Path, start: Position) -> None:
        self._folder = folder
        self._at = start

    def read(self) -> list[Part]:
        """Return the new bytes; an empty list when there are none."""
        parts = []
        numbers = segments(self._folder)
        if numbers and self._at.segment > numbers[-1]:
            self._at = Position(numbers[0], 0)  # the ring was removed and made anew
        for number in numbers:
            if number < self._at.segment:
                continue
            offset = self._at.offset if number == self._at.segment else 0
            if length(self._folder, number) < offset:
                offset = 0  # as above
            data = load(self._folder, number, offset)
            if data:
                parts.append(Part(Position(number, offset), data))
            self._at = Position(number, offset + len(data or b""))
        return parts


def follow(
    folder: Path,
    *,
    from_end: bool = True,
    stop: Callable[[], bool] = lambda: False,
    poll: float = POLL,
) -> Iterator[bytes]:
    """Yield recorded bytes as they come, looking every `poll` seconds.

    Begins at the ring's end, or with all it holds. `stop` is asked before each look;
    b"" is yielded when there was nothing new, so that the caller can act meanwhile.
    """
    reader = Tail(folder, end(folder) if from_end else Position(0, 0))
    while not stop():
        data = b"".join(part.data for part in reader.read())
        yield data
        if not data:
            time.sleep(poll)


Runs = list[tuple[Mark | None, bytes]]


def split(parts: Iterable[Part], runs: Iterable[Mark]) -> Runs:
    """Return the bytes run by run: a run's mark, with no bytes, stands before them."""
    coming = sorted(runs, key=lambda one: one.position)
    found: Runs = []
    for part in parts:
        start, data = part.start, part.data
        while coming and coming[0].position <= Position(
            start.segment, start.offset + len(data)
        ):
            at = coming.pop(0)
            # A run whose beginning has left the ring counts from the first byte.
            cut = max(0, at.offset - start.offset) if at.segment == start.segment else 0
            found += [(None, data[:cut]), (at, b"")]
            start, data = Position(start.segment, start.offset + cut), data[cut:]
        found.append((None, data))
    return found


def tail(folder: Path, max_bytes: int, run: str) -> bytes:
    """Return the newest bytes that a run wrote, at most `max_bytes`.

    None of another run, also when this one is not marked or has written nothing.
    """
    data, mine = b"", False
    for found, text in split(read(folder, max_bytes).parts, marks(folder)):
        mine = mine if found is None else found.run == run
        data += text if mine else b""
    return data


class RunTail:
    """Reads on from a place like `Tail`, with the marks of runs that begin there."""

    def __init__(self, folder: Path, start: Position, seen: Iterable[Mark]) -> None:
        self._folder = folder
        self._tail = Tail(folder, start)
        self._seen = {(one.run, one.position) for one in seen}

    def read(self) -> Runs:
        """Return what is new, as `split` does; an empty list when nothing is."""
        parts = self._tail.read()
        if not parts:
            return []
        # A mark is made before its run's first byte, so it is there by now.
        coming = [
            one
            for one in marks(self._folder)
            if (one.run, one.position) not in self._seen
        ]
        runs = split(parts, coming)
        self._seen |= {(one.run, one.position) for one, _ in runs if one is not None}
        return runs


def bracketed(folder: Path) -> bool | None:
    """Tell whether the program asked for bracketed paste and has not taken it back.

    Looks at what was recorded since the current run began. None: it said nothing.
    """
    runs = marks(folder)
    start = runs[-1].position if runs else Position(0, 0)
    newer = b""
    for number in reversed(segments(folder)):
        if number < start.segment:
            break
        data = load(folder, number, start.offset if number == start.segment else 0)
        if data is None:
            break
        found = _last_paste(data + newer)
        if found is not None:
            return found
        newer = data[:_OVERLAP]
    return _dropped_paste(folder, start)


def _last_paste(data: bytes) -> bool | None:
    last = deque(_PASTE.finditer(data), maxlen=1)
    return last[0][1] == b"h" if last else None


def _dropped_paste(folder: Path, start: Position) -> bool | None:
    """Return what the writer noted of the segments that it dropped.

    Its line is the segment's name, the offset, and the sequence, with `:` between.
    """
    try:
        note = (folder / "paste").read_bytes()
    except OSError:
        return None
    number, _, rest = note.removeprefix(b"seg.").partition(b":")
    offset, _, sequence = rest.partition(b":")
    if not (number.isdigit() and offset.isdigit()):
        return None
    if Position(int(number), int(offset)) < start:
        return None
    return sequence.strip().endswith(b"h")
