"""A mailbox keeps every message whole, once, in order, and in one state."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtmux.errors import MdtmuxError, Refused
from mdtmux.mail.box import Box
from mdtmux.mail.message import LIMIT, Message, State, compose, decode, encode
from tests.support.wait import until

# Puts messages until it is killed, and writes the id of each that is in.
WRITER = """
import os, sys
from pathlib import Path
from mdtmux.mail.box import Box
from mdtmux.mail.message import compose
box, size = Box(Path(sys.argv[1])), int(sys.argv[2])
body = os.fsdecode(b"\\xff") + "x" * size
for _ in range(int(sys.argv[3])):
    message = compose("jim", "pam", body)
    box.put(message)
    os.write(1, f"{message.id}\\n".encode())
"""


@pytest.fixture
def box(tidy: Path) -> Box:
    """Return an empty box."""
    return Box(tidy / "pam")


def mail(body: str = "hello") -> Message:
    """Return a message from Jim to Pam."""
    return compose("jim", "pam", body)


def test_a_message_comes_out_as_it_went_in(box: Box) -> None:
    """Nothing of it is changed by lying in a box."""
    message = replace(mail("a\0b\n" + os.fsdecode(b"\xff\xfe") + "é ✓"), deadline=5.5)

    box.put(message)

    (found,) = box.waiting()
    assert (found.state, found.id, found.load()) == (State.SENT, message.id, message)


@given(st.text(min_size=1, max_size=200), st.text(max_size=50))
def test_any_text_survives_the_file(body: str, subject: str) -> None:
    """Whatever characters there are, the file holds them."""
    if not (body + subject).strip():
        return
    message = compose("jim", "pam", body, subject or "x")
    assert decode(encode(message)) == message


@given(st.binary(max_size=80))
def test_any_file_can_be_read(data: bytes) -> None:
    """A file that is no message is none, and nothing is raised."""
    assert decode(data) is None
    assert decode(b'{"id": ' + data + b"}") is None


def test_messages_keep_their_order_whatever_the_clock_says(box: Box) -> None:
    """The order is that of their arrival, not that of their times."""
    sent = [replace(mail(str(n)), time=100.0 - n) for n in range(12)]
    for message in sent:
        box.put(message)

    assert [entry.id for entry in box.waiting()] == [one.id for one in sent]


def test_a_message_goes_through_its_states(box: Box) -> None:
    """Each event moves it on; it is found wherever it lies."""
    entry = box.put(mail())
    for move, state in (
        (box.announce, State.ANNOUNCED),
        (box.read, State.READ),
        (box.ack, State.ACKED),
    ):
        assert move(entry)
        found = box.find(entry.id)
        assert found is not None
        assert found.state is state
        assert not move(entry), "it has moved on"
        entry = found
    assert box.waiting() == []
    assert [one.id for one in box.archived()] == [entry.id]


def test_a_dead_letter_is_kept(box: Box) -> None:
    """What will never be read can be looked at."""
    entry = box.put(mail())
    assert box.bury(entry)
    assert [(one.id, one.state) for one in box.dead()] == [(entry.id, State.DEAD)]


def test_an_empty_box_needs_no_folder(box: Box) -> None:
    """Looking makes nothing."""
    assert (box.waiting(), box.dead(), list(box.archived())) == ([], [], [])
    assert box.find("0" * 12) is None
    assert box.sweep() == 0
    assert not box.folder.exists()


@pytest.mark.parametrize(
    ("body", "message"), [("", "empty"), (" \n", "empty"), ("x" * (LIMIT + 1), "MB")]
)
def test_what_cannot_be_sent_is_refused(body: str, message: str) -> None:
    """A message has something in it, and has an end."""
    with pytest.raises(Refused, match=message):
        mail(body)


def test_a_full_disk_leaves_nothing_half(box: Box) -> None:
    """The writer hears of it; no reader sees a part of it."""
    box.put(mail("first"))
    code = (
        "import resource, sys\n"
        "sys.dont_write_bytecode = True\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n" + WRITER
    )
    done = _write(box, code, "5000", "1")
    assert done.returncode == 1
    assert f"cannot use the mailbox `{box.folder}`" in done.stderr
    assert len(box.waiting()) == 1
    assert not list((box.folder / "tmp").iterdir())


def _write(box: Box, code: str, *args: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-c", code, str(box.folder), *args]
    return subprocess.run(argv, capture_output=True, text=True, check=False)


def test_a_folder_that_cannot_be_used_is_told(box: Box) -> None:
    """A file in the box's place is an error of ours, with its path."""
    box.folder.write_text("")
    with pytest.raises(MdtmuxError, match=str(box.folder)):
        box.put(mail())


def test_old_halves_are_swept(box: Box) -> None:
    """What a killed writer left is removed once nobody can be writing it."""
    box.put(mail())
    old, young = box.folder / "tmp" / "old", box.folder / "tmp" / "young"
    for path in (old, young):
        path.write_text("half")
    os.utime(old, (time.time() - 3600, time.time() - 3600))
    assert box.sweep() == 1
    assert young.exists()


def _start(box: Box, size: int, count: int) -> subprocess.Popen[bytes]:
    argv = [sys.executable, "-c", WRITER, str(box.folder), str(size), str(count)]
    return subprocess.Popen(argv, stdout=subprocess.PIPE)


def test_many_writers_and_readers_lose_and_double_nothing(box: Box) -> None:
    """Eight senders write while the receiver reads and acks all the time."""
    writers = [_start(box, 300, 50) for _ in range(8)]
    got: list[str] = []

    def drained() -> bool:
        done = all(writer.poll() is not None for writer in writers)
        for entry in box.waiting():
            message = entry.load()
            assert message is not None
            assert len(message.body) == 301
            got.append(message.id)
            assert box.ack(entry)
        return done and not box.waiting()

    until(drained, seconds=40, what="all mail")
    told = [line for writer in writers for line in _told(writer)]
    assert sorted(got) == sorted(told)
    assert len(got) == 400
    assert sorted(one.id for one in box.archived()) == sorted(got)


def _laid(box: Box) -> int:
    return sum(1 for _ in box.folder.glob("new/*"))


def _more(box: Box, before: int) -> bool:
    return _laid(box) > before + 3


def _told(writer: subprocess.Popen[bytes]) -> list[str]:
    assert writer.stdout is not None
    with writer.stdout as out:
        lines = out.read().decode().split("\n")
    writer.wait()
    # The last one may be cut: the writer was killed in the middle of telling.
    return [line for line in lines if len(line) == 12]


@pytest.mark.parametrize("size", [300, 200_000])
def test_killed_writers_tear_nothing(box: Box, size: int) -> None:
    """What a writer has told of is there, whole and once, whenever it is killed."""
    told: list[str] = []
    for kill in range(12):
        writers = [_start(box, size, 100_000) for _ in range(3)]
        before = _laid(box)
        until(partial(_more, box, before), what=f"messages of round {kill}")
        for writer in writers:
            os.kill(writer.pid, signal.SIGKILL)
            told += _told(writer)
    found = [entry.load() for entry in box.waiting()]
    ids = [message.id for message in found if message is not None]
    assert len(ids) == len(found), "a message is torn"
    assert len(set(ids)) == len(ids)
    assert set(told) <= set(ids)
    assert {len(one.body) for one in found if one is not None} == {size + 1}
