"""The scripted stand-in for agent CLIs does what its options say."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import psutil
import pytest

from tests.agents.clerk.terminal import Start, Terminal, events, terminal
from tests.support import tui
from tests.support.wait import until

LOG = "fx.jsonl"


def _start(*options: str) -> Start:
    argv = (sys.executable, str(Path(tui.__file__).resolve()), "a", *options)
    return Start(argv, env={"FX_LOG": LOG})


def _submits(seen: Terminal, count: int) -> list[object]:
    def enough() -> bool:
        seen.drain()
        return len(events("submit", LOG)) >= count

    until(enough, what=f"{count} submits")
    return [event["text"] for event in events("submit", LOG)]


def test_it_logs_its_start_and_asks_for_bracketed_paste() -> None:
    """The first event has folder, arguments and some variables."""
    with terminal(_start("say=hello\\nyou")) as seen:
        seen.see("you\n>")
        assert b"\x1b[?2004h" in seen.raw
        (event,) = events("start", LOG)
        assert event["cwd"] == str(Path.cwd())
        assert event["argv"] == ["a", "say=hello\\nyou"]
        assert event["agent"] == "a"


def test_pastes_and_enter_are_told_apart() -> None:
    """Line breaks inside a paste submit nothing and are logged as newlines."""
    with terminal(_start()) as seen:
        seen.see(">")
        seen.paste("one\ntwo")
        seen.send("\r")
        assert _submits(seen, 1) == ["one\ntwo"]


def test_without_brackets_each_line_is_a_submit() -> None:
    """`nobracket` splits several lines, as such programs do."""
    with terminal(_start("nobracket")) as seen:
        seen.see(">")
        assert b"\x1b[?2004h" not in seen.raw
        seen.send("one\rtwo\r")
        assert _submits(seen, 2) == ["one", "two"]


def test_an_enter_in_a_burst_is_swallowed_on_demand() -> None:
    """`swallow` makes a newline of an Enter that comes with other bytes."""
    with terminal(_start("swallow", "echo")) as seen:
        seen.see(">")
        seen.send("hello\r")
        seen.see("hello")
        assert events("submit", LOG) == []
        seen.send("\r")
        assert _submits(seen, 1) == ["hello\n"]


def test_a_megabyte_arrives() -> None:
    """Reading is quick enough for any size."""
    text = "0123456789abcde\n" * 65536
    with terminal(_start()) as seen:
        seen.see(">")
        seen.paste(text)
        seen.send("\r")
        assert _submits(seen, 1) == [text]


@pytest.mark.parametrize("kind", ["trust", "menu"])
def test_a_dialog_takes_the_first_enter(kind: str) -> None:
    """What was meant as a prompt is logged as its answer."""
    with terminal(_start(f"dialog={kind}")) as seen:
        seen.see("1. Yes")
        seen.paste("do it")
        seen.send("\r")
        until(lambda: events("dialog-answered", LOG), what="the answer")
        (event,) = events("dialog-answered", LOG)
        assert (event["kind"], event["with_text"]) == (kind, "do it")
        seen.send("next\r")
        assert _submits(seen, 1) == ["next"]


def test_early_input_is_lost() -> None:
    """`boot` flushes what was typed before it was over."""
    with terminal(_start("boot=0.5")) as seen:
        until(lambda: events("start", LOG), what="the start")
        seen.send("early\r")
        assert b"\x1b[?2004h" not in seen.raw
        seen.see(">")
        seen.send("late\r")
        assert _submits(seen, 1) == ["late"]


def test_it_ends_when_told() -> None:
    """`after` and `exit` set when and how; busy prints dots until then."""
    with terminal(_start("after=0.5", "exit=3", "busy")) as seen:
        assert seen.ended() == 3
        assert "> ..." in seen.text()
        assert len(events("exit", LOG)) == 1


def test_control_c_ends_it() -> None:
    """Control-C is logged and the status is 130."""
    with terminal(_start()) as seen:
        seen.see(">")
        seen.send("\x03")
        assert seen.ended() == 130
        assert len(events("ctrl-c", LOG)) == 1


def test_a_child_outlives_it() -> None:
    """`child` leaves a process in a session of its own."""
    with terminal(_start("child")) as seen:
        seen.see(">")
        (child,) = psutil.Process(seen.pid).children()
        until(lambda: child.cmdline() == ["sleep", "86399"], what="the child")
        assert os.getsid(child.pid) == child.pid
        seen.send("\x03")
        seen.ended()
        assert child.is_running()
        os.kill(child.pid, signal.SIGKILL)
