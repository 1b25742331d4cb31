"""The rows about mailboxes: many writers, kills, the wake-up, a long history."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from bench.floor import make_repo, office, ratio, timed, world
from bench.table import Row
from mdtmux.mail.box import Box
from mdtmux.mail.message import compose, encode
from mdtmux.mail.post import Draft, Post
from mdtmux.running.ringing import pipe, wake

WRITERS = 32
EACH = 60
KILLS = 100
HISTORY = 10_000
# Both write the same bytes, with fsync, when a byte on standard input says so.
_START = "import os, sys; from pathlib import Path; box = Path(sys.argv[1])\n"
_BARE = (
    _START
    + """
os.write(1, b"r"); os.read(0, 1)
data = b"x" * 520
for n in range(int(sys.argv[2])):
    half = box / "tmp" / f"{os.getpid()}.{n}"
    descriptor = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    os.write(descriptor, data); os.fsync(descriptor); os.close(descriptor)
    os.rename(half, box / "new" / half.name)
"""
)
_MINE = (
    _START
    + """
from mdtmux.mail.box import Box
from mdtmux.mail.message import compose
os.write(1, b"r"); os.read(0, 1)
for n in range(int(sys.argv[2])):
    Box(box).put(compose("jim", "pam", "x" * 300))
"""
)
_TELLING = (
    _START
    + """
from mdtmux.mail.box import Box
from mdtmux.mail.message import compose
while True:
    message = compose("jim", "pam", "x" * int(sys.argv[2]))
    Box(box).put(message)
    os.write(1, f"{message.id}\\n".encode())
"""
)


def _writers(code: str, box: Path) -> list[subprocess.Popen[bytes]]:
    argv = [sys.executable, "-c", code, str(box), str(EACH)]
    made = [
        subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(WRITERS)
    ]
    for one in made:
        assert one.stdout is not None
        one.stdout.read(1)
    return made


def _finish(writers: list[subprocess.Popen[bytes]]) -> None:
    for one in writers:
        assert one.stdin is not None
        one.stdin.write(b"g")
        one.stdin.flush()
    for one in writers:
        one.communicate()


def _throughput(pairs: int = 7) -> float:
    """Return our rate over that of the bare renames, on a real disk."""
    with _disk() as base:
        count = iter(range(2 * pairs))

        def run(code: str) -> float:
            box = base / f"box{next(count)}"
            for name in ("tmp", "new", "cur", "archive", "dead"):
                (box / name).mkdir(parents=True)
            writers = _writers(code, box)
            return timed(lambda: _finish(writers))

        # As rates: the floor's time over ours.
        return 1 / ratio([(run(_MINE), run(_BARE)) for _ in range(pairs)])


@contextlib.contextmanager
def _disk() -> Iterator[Path]:
    """Yield a folder where fsync costs what it costs: not on a memory file system."""
    with tempfile.TemporaryDirectory(prefix="mdb", dir="/var/tmp") as folder:
        yield Path(folder)


def _killed(size: int) -> int:
    """Return how many messages were lost, torn or doubled by a hundred kills."""
    with _disk() as base:
        box = Box(base / "box")
        told: list[bytes] = []
        writers: list[subprocess.Popen[bytes]] = []
        for _ in range(KILLS + WRITERS):
            argv = [sys.executable, "-c", _TELLING, str(box.folder), str(size)]
            writers.append(subprocess.Popen(argv, stdout=subprocess.PIPE))
            if len(writers) > WRITERS:
                told += _kill(writers.pop(0))
        for one in writers:
            told += _kill(one)
        found = [entry.load() for entry in box.waiting()]
        ids = [message.id.encode() for message in found if message is not None]
        lost = set(told) - set(ids)
        return len(lost) + (len(found) - len(ids)) + (len(ids) - len(set(ids)))


def _kill(writer: subprocess.Popen[bytes]) -> list[bytes]:
    assert writer.stdout is not None
    # It has told of one at least: it is at work.
    first = writer.stdout.readline()
    os.kill(writer.pid, signal.SIGKILL)
    lines = [first, *writer.stdout.readlines()]
    writer.wait()
    return [line.strip() for line in lines if line.endswith(b"\n")]


def _wake_up() -> float:
    """Return the median of milliseconds from the call of send to the postman's waking."""
    with world() as place:
        state = place.base / "state"
        post = Post(state, ["pam"])
        post.send("human", "pam", Draft("first"))
        os.mkfifo(pipe(state))
        ready, told = os.pipe()
        child = os.fork()
        if child == 0:
            _sleeper(pipe(state), told)
        os.read(ready, 8)
        spent = []
        for _ in range(300):
            start = time.monotonic()
            post.send("human", "pam", Draft("x"))
            wake(state)
            (woke,) = struct.unpack("d", os.read(ready, 8))
            spent.append(woke - start)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return 1000 * float(statistics.median(spent))


def _sleeper(bell: Path, told: int) -> NoReturn:
    """Wait at the pipe as the postman does, and tell when it wakes."""
    end = os.open(bell, os.O_RDWR | os.O_NONBLOCK)
    os.write(told, struct.pack("d", 0.0))
    while True:
        select.select([end], [], [])
        woke = time.monotonic()
        # Before it is told: the next byte comes right after that.
        os.read(end, 65536)
        os.write(told, struct.pack("d", woke))


def _history() -> float:
    """Return the time of `mail ls` with a long archive over that without one."""
    with world() as place:
        make_repo(place, 1)
        office(place, 1)
        place.mdtmux("up")
        state = next(place.base.glob(".local/state/mdtmux/*/office.json")).parent
        post = Post(state, ["a0"])
        post.send("human", "a0", Draft("waits"))
        archive = post.box("a0").folder / "archive"
        full = archive.with_name("full")
        for number in range(HISTORY):
            message = compose("human", "a0", str(number))
            shard = full / message.id[:2]
            shard.mkdir(parents=True, exist_ok=True)
            (shard / f"{number:010d}-{message.id}.json").write_bytes(encode(message))
        pairs = []
        for _ in range(15):
            alone = timed(lambda: place.mdtmux("mail", "ls", "a0"))
            archive.rename(archive.with_name("none"))
            full.rename(archive)
            pairs.append((timed(lambda: place.mdtmux("mail", "ls", "a0")), alone))
            archive.rename(full)
            archive.with_name("none").rename(archive)
        place.mdtmux("down")
        return ratio(pairs)


def rows() -> list[Row]:
    """Measure and return the rows."""
    broken = _killed(300) + _killed(200_000)
    rate = "mailbox, 32 writers / bare fsync and rename"
    kills = "mailbox, 2 x 100 kill -9: lost, torn or doubled"
    woken = "mail: send to the postman's waking, median"
    history = "mail ls, 10,000 archived / none"
    return [
        Row(rate, 0.8, 0.5, _throughput(), "x", "higher"),
        Row(kills, 0, 0, broken, ""),
        Row(woken, 0.5, 2.0, _wake_up(), "ms"),
        Row(history, 1.1, 1.2, _history(), "x"),
    ]
