"""`logs`: what an agent wrote, as text, whatever became of it."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mdtmux.names import RunId
from mdtmux.record.marks import mark
from tests.support.cli import Result, run, start
from tests.support.recording import Studio, contents, make_office, make_ring, marks_of
from tests.support.wait import until


@pytest.fixture
def state(world: Path) -> Path:
    """Return the state folder of an office with agents `jim` and `pam`."""
    return make_office(world, "jim", "pam")


def _logs(*args: str) -> Result:
    done = run("logs", *args)
    assert done.code == 0, done.err
    return done


def test_the_newest_lines_of_an_agent_that_is_gone(state: Path) -> None:
    """Without any tmux server, after `down`, the recording is still there."""
    text = b"".join(b"\x1b[32mline %d\x1b[0m\r\n" % n for n in range(1000))
    make_ring(state / "record/jim", text)
    assert _logs("jim", "-n", "3").out == "line 997\nline 998\nline 999\n"
    assert len(_logs("jim").out.splitlines()) == 100
    assert _logs("jim", "-n", "0").out == ""


def test_an_agent_that_never_ran(state: Path) -> None:
    """No recording is no output and no error; the note goes to stderr."""
    done = _logs("pam")
    assert (done.out, done.err) == ("", "nothing has been recorded of `pam`\n")


def test_an_unknown_agent(state: Path) -> None:
    """A misspelled name is an error that suggests the nearest."""
    done = run("logs", "jimm")
    assert done.code == 2
    assert "did you mean `jim`?" in done.err


def test_json(state: Path) -> None:
    """`--json` has the lines and says whether older output was dropped."""
    make_ring(state / "record/jim", b"7mrest of a colour\nwhole\r\n", first=3)
    value = _logs("jim", "--json").json()
    assert isinstance(value, dict)
    assert value["lines"] == ["whole"]
    assert value["cut"] is True
    assert value["bytes"] == 26
    assert isinstance(value["last_output"], float)


def test_what_is_missing_is_said(state: Path) -> None:
    """When more lines were asked for than are left, the reason goes to stderr."""
    make_ring(state / "record/jim", b"...\r\n1\r\n2\r\n3\r\n", first=3)
    done = _logs("jim")
    assert done.out == "1\n2\n3\n"
    assert done.err == "older output is no longer recorded\n"
    assert _logs("jim", "-n", "3").err == ""
    make_ring(state / "record/pam", b"\x1b[mm" * 1_100_000)
    assert _logs("pam").err == "older output is too long to render; `--raw` has it\n"


def test_raw_is_every_byte(state: Path) -> None:
    """`--raw` alone gives the recorded bytes, control codes and all."""
    data = b"\x1b[31m\x00\xff\xfe\r\n\x1b[?1049h"
    make_ring(state / "record/jim", data[:5], data[5:])
    done = _logs("jim", "--raw")
    assert done.out.encode("utf-8", "surrogateescape") == data


@pytest.mark.parametrize(
    "flags", [["--raw", "-n", "5"], ["--raw", "--json"], ["-f", "--json"]]
)
def test_flags_that_exclude_each_other(state: Path, flags: list[str]) -> None:
    """What cannot be meant together is refused, and said."""
    done = run("logs", "jim", *flags)
    assert done.code == 2
    assert done.err.startswith("error: ")


def test_no_control_code_reaches_the_terminal(state: Path) -> None:
    """On a real terminal too the output is text and line breaks."""
    noise = bytes(range(256)) * 20 + b"\x1b]0;evil\x07\x1b[6n\x1bP+q\x1b\\shown\r\n"
    make_ring(state / "record/jim", noise)
    ours, its = pty.openpty()
    argv = [sys.executable, "-m", "mdtmux", "logs", "jim"]
    with subprocess.Popen(argv, stdout=its, stdin=its) as process:
        os.close(its)
        seen = b"".join(_chunks(ours))
        assert process.wait(20) == 0
    os.close(ours)
    assert seen.endswith(b"shown\r\n")
    rest = seen.decode().replace("\r\n", "")
    assert rest.isprintable(), repr(rest)


def _chunks(descriptor: int) -> Iterator[bytes]:
    while True:
        try:
            data = os.read(descriptor, 65536)
        except OSError:
            return
        if not data:
            return
        yield data


def test_each_run_is_read_on_its_own_screen(state: Path) -> None:
    """After a restart the new program's lines do not land among the old ones."""
    folder = state / "record/jim"
    mark(folder, RunId("one"), 80, 24)
    make_ring(folder, b"\x1b[?1049h\x1b[5;1Hfive")
    mark(folder, RunId("two"), 80, 24)
    with (folder / "seg.1").open("ab") as file:
        file.write(b"second\r\n")
    assert _logs("jim").out.split() == ["five", "second"]


def test_a_running_agent_is_read_at_its_panes_size(state: Path, tidy: Path) -> None:
    """A program that draws to its pane's last row reads as it looks there."""
    studio, folder = Studio(tidy / "here"), state / "record/jim"
    mark(folder, RunId("r1"), 200, 50)
    code = "printf '\\033[10;1Hbottom\\r\\nbelow'; exec cat"
    studio.start(
        ["sh", "-c", code], folder, size=(40, 10), marks=marks_of(state, "jim")
    )
    studio.wait_for(folder, b"below")
    assert _logs("jim").out.splitlines()[-2:] == ["bottom", "below"]
    assert _logs("jim").out.count("\n") == 11


def test_follow_prints_what_comes_until_it_is_interrupted(
    state: Path, tidy: Path
) -> None:
    """`-f` gives the tail, then each new line once, also over a restart; ^C is 130."""
    studio, folder = Studio(tidy / "here"), state / "record/jim"
    mark(folder, RunId("r1"))
    shell = [
        "sh",
        "-c",
        "stty -echo; echo ready; while read line; do echo got $line; done",
    ]
    pane = studio.start(shell, folder, marks=marks_of(state, "jim"))
    studio.wait_for(folder, b"ready\r\n")
    process = start("logs", "jim", "-f", "-n", "5")
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    for word in ("one", "two"):
        studio.tmux.keys(pane, word, "Enter")
        assert process.stdout.readline() == f"got {word}\n"
    mark(folder, RunId("r2"))
    studio.tmux.call(
        "respawn-pane", "-k", "-t", pane, "--", "sh", "-c", "echo again; exec cat"
    )
    assert process.stdout.readline() == "again\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (out, err.strip()) == ("", "interrupted")
    assert process.returncode == 130


def test_follow_waits_for_an_agent_that_was_not_started_yet(state: Path) -> None:
    """`-f` on an empty recording waits and then prints; raw gives the bytes."""
    folder = state / "record/pam"
    plain, raw = start("logs", "pam", "-f"), start("logs", "pam", "-f", "--raw")
    make_ring(folder, b"\x1b[1mfirst\x1b[0m\n")
    assert plain.stdout is not None
    assert raw.stdout is not None
    assert plain.stdout.readline() == "first\n"
    assert raw.stdout.readline() == "\x1b[1mfirst\x1b[0m\n"
    for process in (plain, raw):
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)


def test_a_flood_is_bounded_and_read_fast_enough_to_wait_for(
    state: Path, tidy: Path
) -> None:
    """Colour frames at full speed: the ring keeps its size, `logs` has no ESC in it."""
    studio, folder = Studio(tidy / "here"), state / "record/jim"
    code = (
        "i=0; while [ $i -lt 30000 ]; do i=$((i+1));"
        " printf '\\033[H\\033[38;2;9;9;9mframe %06d\\033[0m\\033[K\\r\\n' $i; done;"
        " echo '[end]'; exec cat"
    )
    studio.start(
        ["sh", "-c", code], folder, buffer=100_000, marks=marks_of(state, "jim")
    )
    until(lambda: contents(folder).endswith(b"[end]\r\n"), seconds=30, what="the end")
    assert 60_000 <= sum(path.stat().st_size for path in folder.glob("*")) <= 100_500
    done = _logs("jim", "-n", "20")
    assert done.out == "frame 030000\n[end]\n"
