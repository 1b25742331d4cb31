"""The ring: every byte, never more than the buffer, and the pane never waits."""

from __future__ import annotations

import contextlib
import os
import random
import resource
import shutil
import signal
import socket
import stat
import subprocess
from pathlib import Path

import pytest

from mdtmux.record.reader import bracketed, read, size
from mdtmux.record.segments import segments
from mdtmux.record.writer import pipe_command
from tests.support.recording import Studio, contents, python
from tests.support.wait import until

_SHELLS = [
    shell
    for shell in (["/bin/sh"], ["dash"], ["bash", "--posix"])
    if shutil.which(shell[0])
]
_RANDOM = random.Random(7)
_STREAMS = {
    "tiny": [_RANDOM.randbytes(_RANDOM.randrange(1, 8)) for _ in range(3000)],
    "flood": [_RANDOM.randbytes(4095) for _ in range(300)],
    "mixed": [_RANDOM.randbytes(int(2 ** _RANDOM.uniform(0, 16))) for _ in range(60)],
    "nothing but zeros": [b"\0" * 1000] * 200,
}


class Writer:
    """A ring writer as tmux starts it: a shell with one end of a socket as input."""

    def __init__(
        self, folder: Path, buffer: int, shell: list[str] | None = None
    ) -> None:
        ours, its = socket.socketpair()
        command = pipe_command(folder, buffer)
        if shell is not None:
            command = command.replace("/bin/sh", " ".join(shell), 1)
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", command], stdin=its.fileno(), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, restore_signals=False,
        )  # fmt: skip
        its.close()
        ours.settimeout(20)
        self._input = ours

    def write(self, *pieces: bytes) -> None:
        """Send the pieces, one write each."""
        for piece in pieces:
            self._input.sendall(piece)

    def close(self) -> int:
        """End the input and wait for the writer's end."""
        self._input.close()
        return self.process.wait(20)


@pytest.fixture
def studio(tidy: Path) -> Studio:
    """Return a tmux server of the test's own."""
    return Studio(tidy / "here")


@pytest.mark.parametrize("shell", _SHELLS, ids=lambda shell: str(shell[0]))
@pytest.mark.parametrize("stream", _STREAMS)
def test_the_ring_is_the_end_of_the_stream(
    world: Path, shell: list[str], stream: str
) -> None:
    """However a program writes, the newest 0.6 to 1 buffer is there, byte for byte."""
    folder, pieces, buffer = world / "ring", _STREAMS[stream], 100_000
    writer = Writer(folder, buffer, shell)
    writer.write(*pieces)
    assert writer.close() == 0
    sent, kept = b"".join(pieces), contents(folder)
    assert sent.endswith(kept)
    assert len(kept) <= buffer
    assert len(kept) >= min(len(sent), 0.6 * buffer)


@pytest.mark.parametrize("buffer", [3, 50, 1000])
def test_a_tiny_buffer_is_kept_to(world: Path, buffer: int) -> None:
    """A buffer of a few bytes works like any other."""
    folder, data = world / "ring", bytes(range(256)) * 2
    writer = Writer(folder, buffer)
    writer.write(data)
    assert writer.close() == 0
    kept = contents(folder)
    assert data.endswith(kept)
    assert 0.6 * min(buffer, len(data)) <= len(kept) <= buffer


def test_it_never_takes_more_than_the_buffer(world: Path) -> None:
    """Also between two looks during a flood the files stay within the buffer."""
    folder, buffer = world / "ring", 60_000
    writer = Writer(folder, buffer)
    most = 0
    for _ in range(200):
        writer.write(b"x" * 4000)
        most = max(most, _size(folder))
    writer.close()
    assert 0 < most <= buffer


def _size(folder: Path) -> int:
    sizes = []
    for path in folder.glob("*"):
        # The recorder may take it away meanwhile.
        with contextlib.suppress(FileNotFoundError):
            sizes.append(path.stat().st_size)
    return sum(sizes)


def test_a_byte_is_on_disk_at_once(world: Path) -> None:
    """Nothing waits for a full block: one byte is there while the writer runs."""
    folder = world / "ring"
    writer = Writer(folder, 100_000)
    writer.write(b"a")
    until(lambda: contents(folder) == b"a", what="the byte")
    assert writer.close() == 0


def test_only_the_user_can_read_it(world: Path) -> None:
    """Folders are 0700 and files 0600, whatever the umask of tmux's server is."""
    old = os.umask(0)
    try:
        writer = Writer(world / "state" / "ring", 1000)
        writer.write(b"secret")
        writer.close()
    finally:
        os.umask(old)
    modes = {
        path: stat.S_IMODE(path.stat().st_mode) for path in (world / "state").rglob("*")
    }
    assert modes.pop(world / "state" / "ring") == 0o700
    assert modes
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE((world / "state").stat().st_mode) == 0o700


def test_a_new_writer_goes_on(world: Path) -> None:
    """After `down` and `up` the numbering and the bytes go on where they stopped."""
    folder = world / "ring"
    for round_ in range(6):
        writer = Writer(folder, 90_000)
        writer.write(*(b"%d-%05d\n" % (round_, line) for line in range(1500)))
        writer.close()
    kept = contents(folder)
    whole = b"".join(b"%d-%05d\n" % (r, n) for r in range(6) for n in range(1500))
    assert whole.endswith(kept)
    assert 54_000 <= len(kept) <= 90_000


def test_many_short_runs_do_not_push_out_history(world: Path) -> None:
    """A crash loop that prints a line each time keeps all its lines."""
    folder = world / "ring"
    for run in range(8):
        writer = Writer(folder, 90_000)
        writer.write(b"run %d died\n" % run)
        writer.close()
    assert contents(folder).splitlines() == [b"run %d died" % n for n in range(8)]


def test_a_smaller_buffer_takes_hold(world: Path) -> None:
    """When the office file asks for less, the next writer keeps to it."""
    folder = world / "ring"
    for buffer in (300_000, 30_000):
        writer = Writer(folder, buffer)
        writer.write(*[b"x" * 999 + b"\n"] * 400)
        writer.close()
    assert size(folder) <= 30_000


def test_it_survives_a_hangup(world: Path) -> None:
    """A SIGHUP or SIGINT to the writer and its dd loses nothing."""
    folder = world / "ring"
    writer = Writer(folder, 100_000)
    writer.write(b"before ")
    until(lambda: contents(folder) == b"before ", what="the first bytes")
    for pid in (writer.process.pid, *_children(writer.process.pid)):
        os.kill(pid, signal.SIGHUP)
        os.kill(pid, signal.SIGINT)
    writer.write(b"after")
    assert writer.close() == 0
    assert contents(folder) == b"before after"


def _children(pid: int) -> list[int]:
    listed = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True
    ).stdout
    rows = (row.split() for row in listed.splitlines())
    return [int(child) for child, parent in rows if int(parent) == pid]


def test_a_pane_costs_two_small_processes(world: Path) -> None:
    """A shell and a dd, no Python; nothing else runs while the pane is quiet."""
    writer = Writer(world / "ring", 100_000)
    writer.write(b"a")
    until(lambda: contents(world / "ring") == b"a", what="the byte")
    children = _children(writer.process.pid)
    assert len(children) == 1
    assert _children(children[0]) == []
    assert writer.close() == 0


def test_a_removed_folder_is_made_again(world: Path) -> None:
    """Removing an agent's recording starts a new one; the pane goes on."""
    folder = world / "record" / "a"
    writer = Writer(folder, 9_000)
    writer.write(b"x" * 1000)
    until(lambda: size(folder) == 1000, what="the first bytes")
    shutil.rmtree(folder)
    writer.write(*[b"y" * 1000] * 50, b"end")
    assert writer.close() == 0
    assert contents(folder).endswith(b"yend")
    assert size(folder) <= 9_000


def test_a_removed_state_folder_stays_removed(world: Path) -> None:
    """Who removes the whole state gets it back from no writer, and no pane hangs."""
    folder = world / "state" / "record" / "a"
    writer = Writer(folder, 9_000)
    writer.write(b"x" * 1000)
    until(lambda: size(folder) == 1000, what="the first bytes")
    shutil.rmtree(world / "state")
    writer.write(*[b"y" * 1000] * 300)
    assert writer.close() == 0
    assert not (world / "state").exists()


def test_a_full_disk_holds_up_nobody(world: Path) -> None:
    """When files cannot grow, output is dropped and the program goes on writing."""
    folder = world / "ring"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, hard))
    try:
        writer = Writer(folder, 90_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    writer.write(*[b"x" * 1000] * 1000)
    assert writer.close() == 0
    assert contents(folder) == b"x" * 5000


def test_it_understands_the_report_of_another_dd(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """BSD's dd says `bytes transferred` and `secs`; nothing is lost or doubled."""
    folder, real = world / "bin", shutil.which("dd")
    folder.mkdir()
    script = folder / "dd"
    text = "s/bytes* .*copied.*/bytes transferred in 0.1 secs (8 bytes\\/sec)/"
    script.write_text(
        f'#!/bin/sh\nexec 3>&1\n{{ {real} "$@" 2>&1 >&3; }} | sed "{text}" >&2\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    writer = Writer(world / "ring", 30_000)
    pieces = [b"%07d\n" % number for number in range(8000)]
    writer.write(*pieces)
    writer.close()
    monkeypatch.undo()
    kept = contents(world / "ring")
    assert b"".join(pieces).endswith(kept)
    assert 18_000 <= len(kept) <= 30_000


@pytest.mark.parametrize("before", range(0, 60, 9))
def test_what_was_dropped_is_still_known_of_bracketed_paste(
    world: Path, before: int
) -> None:
    """A program that asked once, megabytes ago, has still asked; wherever it stood."""
    folder = world / "ring"
    writer = Writer(folder, 30_000)
    writer.write(b"\x1b[?2004l", *[b"y" * 1000] * before, b"\x1b[?1004;2004h")
    writer.write(*[b"z" * 1000] * 100)
    writer.close()
    assert b"2004" not in contents(folder)
    assert bracketed(folder) is True
    assert size(folder) <= 30_000


@pytest.mark.parametrize(
    "name",
    [
        "log dir's é",
        "a#{pane_id}b",
        "100%H%%",
        "##[bold]#S",
        'q"$HOME`x`\\',
        "-n ~ ; &",
    ],
)
def test_any_folder_can_be_recorded_into(studio: Studio, name: str) -> None:
    """A folder's name passes tmux's formats and times, and the shell, as it is."""
    folder = studio.base / name
    studio.start(["sh", "-c", "printf 'hello from the first byte'; exec cat"], folder)
    kept = studio.wait_for(folder, b"first byte")
    assert kept == b"hello from the first byte"
    assert segments(folder) == [1]


def test_every_byte_of_a_pane_is_recorded(studio: Studio) -> None:
    """Binary and text of a real pane, from its first byte, are what was written."""
    folder, sent = studio.base / "ring", studio.base / "sent"
    data = random.Random(1).randbytes(30_000).replace(b"\x1bP", b"") + b"\n[end]"
    sent.write_bytes(data)
    shown = f"stty raw -echo; cat {sent}; exec cat >/dev/null"
    studio.start(["sh", "-c", shown], folder)
    assert studio.wait_for(folder, b"\n[end]") == data


def test_a_flooding_pane_keeps_its_end(studio: Studio) -> None:
    """After 5 MB the ring holds the last lines without a gap."""
    folder = studio.base / "ring"
    code = "print(*(f'{n:07d}' for n in range(600_000)), sep='\\n'); print('[end]'); input()"
    studio.start(python(code), folder, buffer=300_000)
    kept = studio.wait_for(folder, b"[end]\r\n").split(b"\r\n")[:-2]
    assert 180_000 < size(folder) <= 300_000
    numbers = [int(line) for line in kept[1:]]
    assert numbers == list(range(numbers[0], 600_000))


def test_a_restart_in_the_same_pane_goes_into_the_same_ring(studio: Studio) -> None:
    """The pipe survives `respawn-pane`: each run's output stands there once."""
    folder = studio.base / "ring"
    pane = studio.start(["sh", "-c", "echo one; exit 3"], folder)
    studio.wait_for(folder, b"one\r\n")
    until(lambda: studio.pane(pane).dead, what="end of the first run")
    studio.tmux.call("respawn-pane", "-t", pane, "--", "sh", "-c", "echo two; exec cat")
    assert studio.wait_for(folder, b"two\r\n") == b"one\r\ntwo\r\n"


def test_the_writer_ends_with_its_pane(studio: Studio) -> None:
    """When a pane is gone its writer ends by itself, with all bytes written."""
    folder = studio.base / "ring"
    keep = studio.start(["cat"])
    pane = studio.start(["sh", "-c", "echo bye; exec cat"], folder)
    studio.wait_for(folder, b"bye\r\n")
    server = studio.pane(keep).server_pid
    assert len(_children(server)) == 3
    studio.tmux.call("kill-pane", "-t", pane)
    until(lambda: len(_children(server)) == 1, what="end of the writer")
    assert read(folder).data == b"bye\r\n"
