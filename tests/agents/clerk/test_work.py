"""Each instruction does what the manual says."""

from __future__ import annotations

import hashlib
import os
import re
import signal
from pathlib import Path

import psutil
import pytest

from mdtmux.agents.base import Activity
from tests.agents.clerk.terminal import (
    CLERK_ARGV,
    Start,
    clerk,
    events,
    terminal,
)
from tests.support.wait import until


def test_prose_gets_a_receipt_with_lines_bytes_and_digest() -> None:
    """The answer proves which text arrived."""
    text = "Please look at\nthe ünit tests,\nthen report."
    data = text.encode()
    with clerk() as seen:
        seen.submit(text)
        digest = hashlib.sha256(data).hexdigest()[:8]
        seen.see(f"● OK (3 lines, {len(data)} bytes, sha {digest})")
        assert events("done") == []


def test_prose_among_instructions_gets_its_receipt_first() -> None:
    """A mixed prompt is answered and then followed."""
    with clerk() as seen:
        text = seen.result("Dear clerk,\nwrite a.txt x\nthank you")
        assert text.index("OK (3 lines") < text.index("wrote a.txt")


def test_prose_mode_follows_nothing() -> None:
    """`--prose` takes every prompt as prose."""
    with clerk("--prose") as seen:
        seen.submit("write a.txt x")
        seen.see("OK (1 line, 13 bytes")
        assert not Path("a.txt").exists()


def test_write_and_append_make_files() -> None:
    """Text, escapes and indented lines end up in the file, with a newline."""
    with clerk() as seen:
        prompt = (
            "write sub/a.txt one\\ttwo\nappend sub/a.txt\n  three\n    four\n\n  é\n"
        )
        seen.result(prompt)
        wanted = "one\ttwo\nthree\n  four\n\né\n"
        assert Path("sub/a.txt").read_text(encoding="utf-8") == wanted


@pytest.mark.parametrize("path", ["../out.txt", "/tmp/mdt-out.txt", "link/out.txt"])
def test_nothing_is_written_outside_the_working_folder(path: str) -> None:
    """Paths that lead out, links included, are refused and stop the rest."""
    Path("link").symlink_to("/tmp")
    with clerk() as seen:
        text = seen.result(f"write {path} x\nwrite inside.txt x")
        assert "is outside the working folder" in text
        assert not Path("inside.txt").exists()
        assert events("done") == []


def test_a_failing_command_stops_the_rest() -> None:
    """Output and exit status are shown; what follows is not done."""
    with clerk("--auto") as seen:
        text = seen.result("run echo to-out; echo to-err >&2; exit 3\nsay more")
        assert "to-out" in text
        assert "to-err" in text
        assert "failed: run echo" in text
        assert "exit 3" in text
        assert "● more" not in text


def test_long_output_is_cut_and_counted() -> None:
    """Only the last lines of a command's output are shown."""
    with clerk("--auto", height=40) as seen:
        text = seen.result("run seq 1000")
        assert "… +988 lines" in text
        assert "1000" in text


def test_a_command_that_leaves_a_child_does_not_hold_the_clerk_up() -> None:
    """The end of the command counts, not of what it started."""
    with clerk("--auto") as seen:
        seen.result("run sleep 300 & echo $! > pid")
        os.kill(int(Path("pid").read_text()), signal.SIGKILL)


def test_an_interrupt_ends_the_command() -> None:
    """Escape kills the command with what it started."""
    with clerk("--auto") as seen:
        seen.submit("run sleep 300 & echo $! > pid; sleep 301")
        until(lambda: Path("pid").exists() and Path("pid").read_text(), what="the pid")
        pid = int(Path("pid").read_text())
        seen.send("\x1b")
        seen.until(Activity.IDLE)
        until(lambda: not _lives(pid), what="the end of the child")


def _lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_sleep_and_cpu_take_their_time() -> None:
    """`cpu` uses a core while it lasts; keys still work meanwhile."""
    with clerk() as seen:
        before = psutil.Process(seen.pid).cpu_times()
        seen.submit("cpu 60")
        seen.until(Activity.BUSY)

        def used() -> float:
            now = psutil.Process(seen.pid).cpu_times()
            return now.user + now.system - before.user - before.system

        until(lambda: used() > 0.5, what="half a second of work")
        seen.send("typed meanwhile")
        seen.draft("typed meanwhile")
        seen.send("\x1b")
        seen.until(Activity.IDLE)


def test_memory_grows_and_is_given_back() -> None:
    """`memory` holds what it says until `memory 0`."""
    with clerk() as seen:
        before = psutil.Process(seen.pid).memory_info().rss
        assert "holding 50 MB" in seen.result("memory 50")
        assert psutil.Process(seen.pid).memory_info().rss > before + 45_000_000
        seen.submit("memory 0")
        seen.see("holding 0 MB")


@pytest.mark.parametrize("amount", ["3000", "200KB", "100KB color"])
def test_a_flood_ends_with_its_sum(amount: str) -> None:
    """So many lines or bytes are written, and the screen is whole afterwards."""
    with clerk() as seen:
        before = len(seen.raw)
        text = seen.result(f"flood {amount}")
        lines, size = map(int, re.findall(r"(\d+) lines, (\d+) bytes", text)[-1])
        assert len(seen.raw) - before >= size
        assert lines == 3000 or size >= 100_000
        assert seen.reading().draft == ""


def test_a_flood_without_end_can_be_interrupted() -> None:
    """`flood forever` goes on until Escape."""
    with clerk() as seen:
        seen.submit("flood forever")
        until(lambda: len(seen.text()) and len(seen.raw) > 300_000, what="much output")
        seen.send("\x1b")
        seen.until(Activity.IDLE)
        assert "Interrupted" in seen.text()


@pytest.mark.parametrize("how", ["", "setsid", "detached", "setsid term-ignoring"])
def test_children_are_left_behind(how: str) -> None:
    """`fork` leaves processes that live on, in the way that was asked for."""
    with clerk() as seen:
        seen.result(f"fork 2 {how}".strip())
        (event,) = events("fork")
        pids = event["pids"]
        assert isinstance(pids, list)
        until(lambda: all(_sleeps(pid) for pid in pids), what="two sleepers")
        session, parent = os.getsid(seen.pid), seen.pid
        for pid in pids:
            assert (os.getsid(pid) == session) == (how == "")
            assert (psutil.Process(pid).ppid() == parent) == (how != "detached")
        seen.send("\x04")
        seen.ended()
        for pid in pids:
            if "term-ignoring" in how:
                os.kill(pid, signal.SIGTERM)
            assert _sleeps(pid)
            os.kill(pid, signal.SIGKILL)


def _sleeps(pid: int) -> bool:
    return psutil.Process(pid).cmdline()[:1] == ["sleep"]


def test_a_child_that_ends_is_no_zombie() -> None:
    """Children left behind are reaped while the clerk lives."""
    with clerk() as seen:
        seen.result("fork 1")
        (event,) = events("fork")
        pids = event["pids"]
        assert isinstance(pids, list)
        os.kill(pids[0], signal.SIGKILL)
        until(lambda: not psutil.pid_exists(pids[0]), what="the reaping")


@pytest.mark.parametrize(("prompt", "status"), [("exit 7", 7), ("exit", 0)])
def test_exit_ends_with_that_status(prompt: str, status: int) -> None:
    """`exit` is a clean end, logged."""
    with clerk() as seen:
        seen.submit(prompt)
        assert seen.ended() == status
        assert [event["status"] for event in events("exit")] == [status]


def test_crash_is_a_kill() -> None:
    """`crash` ends by signal 9, with no word of goodbye."""
    with clerk() as seen:
        seen.submit("crash")
        assert seen.ended() == -signal.SIGKILL
        assert events("exit") == []


def test_fail_shows_an_error_and_lives_on() -> None:
    """A failed request is a notice; the program is idle afterwards."""
    with clerk() as seen:
        text = seen.result("fail 529\nsay more")
        assert "API error 529: overloaded" in text
        assert "● more" not in text


def test_a_limit_without_time_stays_until_the_next_prompt() -> None:
    """The notice replaces the idle sign, and the draft takes text."""
    with clerk() as seen:
        seen.submit("limit 3:45pm (UTC)")
        reading = seen.until(Activity.LIMITED)
        assert reading.evidence == "■ Usage limit reached · resets 3:45pm (UTC)"
        assert reading.accepts
        seen.submit("say again")
        seen.see("● again")
        assert seen.until(Activity.IDLE).draft == ""


def test_escape_takes_a_limit_away() -> None:
    """Where nothing is typed into a limited agent, a key ends the notice."""
    with clerk() as seen:
        seen.submit("limit")
        seen.until(Activity.LIMITED)
        seen.send("\x1b")
        seen.until(Activity.IDLE)


def test_a_limit_with_a_time_ends_by_itself() -> None:
    """`limit 300ms` waits and then goes on with the work."""
    with clerk() as seen:
        seen.submit("limit 500ms\nsay went on")
        reading = seen.until(Activity.LIMITED)
        assert reading.evidence == "■ Usage limit reached · retrying in 500ms"
        seen.see("● went on")
        seen.until(Activity.IDLE)


def test_thinking_takes_time() -> None:
    """`--think` keeps the clerk busy for each prompt."""
    with clerk("--think", "60s") as seen:
        seen.submit("hello")
        seen.until(Activity.BUSY)
        assert "OK" not in seen.text()


def test_a_script_opens_and_reacts() -> None:
    """`--script` runs its lines at start and answers matching prompts."""
    Path("script").write_text(
        "# opening\nsay opened\non ^ping (\\d+): say pong\non slow:\n  sleep 60\n",
        encoding="utf-8",
    )
    with clerk("--script", "script") as seen:
        seen.see("● opened")
        seen.submit("ping 7")
        seen.see("● pong")
        seen.submit("something slow")
        seen.until(Activity.BUSY)


def test_a_faulty_script_is_refused() -> None:
    """A line that is no instruction ends the start with status 2."""
    Path("script").write_text("jump around\n", encoding="utf-8")
    with terminal(Start((*CLERK_ARGV, "--script", "script"))) as seen:
        assert seen.ended() == 2
        assert "`jump around` is not an instruction" in seen.text()


@pytest.mark.parametrize(
    "prompt",
    ["write a\0b x", "memory " + "9" * 400, "run a\0b", f"write {'x' * 300} x"],
)
def test_an_impossible_instruction_fails_and_nothing_else(prompt: str) -> None:
    """What cannot be done is a failure of the prompt, never of the program."""
    with clerk("--auto") as seen:
        seen.result(prompt)
        assert len(events("failed")) == 1
        seen.submit("say alive")
        seen.see("● alive")


def test_an_endless_sleep_can_be_interrupted() -> None:
    """A time beyond what the system can wait for is only long."""
    with clerk() as seen:
        seen.submit("sleep " + "9" * 30)
        seen.until(Activity.BUSY)
        seen.send("\x1b")
        seen.until(Activity.IDLE)


def test_a_log_that_cannot_be_written_is_told_at_the_start() -> None:
    """The start is refused with status 2 instead of losing events."""
    with terminal(Start((*CLERK_ARGV, "--log", "no/such/folder/log"))) as seen:
        assert seen.ended() == 2
        assert "cannot write the log" in seen.text()
