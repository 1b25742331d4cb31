"""Recorded bytes as text: what was written, without what only a terminal can read."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtmux.record.marks import Mark
from mdtmux.record.render import render, transcript
from tests.support.recording import TUI, Studio, contents, python
from tests.support.wait import until

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_lines = st.lists(
    st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), max_size=60)
)


@given(st.one_of(st.binary(max_size=500), st.text(max_size=300).map(str.encode)))
def test_no_control_character_is_left(data: bytes) -> None:
    """Any bytes give lines that a terminal shows as they are."""
    assert not any(_CONTROL.search(line) for line in render(data, 40, 10))


@given(_lines, st.integers(2, 90), st.integers(1, 30))
def test_plain_lines_come_out_as_they_went_in(
    lines: list[str], width: int, height: int
) -> None:
    """Text printed line by line is the same text, whatever the terminal's size."""
    text = "\r\n".join(lines)
    expected = text.rstrip("\r\n").split("\r\n") if text.strip("\r\n") else []
    assert render(text.encode(), width, height) == expected


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"no end of line", ["no end of line"]),
        (b"\x1b[1;31mred\x1b[0m \x1b[38;5;120mgreen\x1b[m\r\n", ["red green"]),
        (b"  10%\r  50%\r 100% done\r\nnext", [" 100% done", "next"]),
        (b"abc\b\bX\r\n", ["aXc"]),
        (b"a\tb", ["a       b"]),
        (b"\x1b]0;title\x07x\x1b]8;;http://e\x1b\\link\x1b]8;;\x1b\\", ["xlink"]),
        (b"long line\r\x1b[Kshort\r\n", ["short"]),
        (b"a\x1b7b\x1b8c", ["ac"]),
        ("日本語 é 👍\r\n".encode(), ["日本語 é 👍"]),
        (b"bad \xff\xfe bytes", ["bad \ufffd\ufffd bytes"]),
        (b"one\r\n\r\n\r\ntwo\r\n\r\n\r\n", ["one", "", "", "two"]),
        (b"cut \xe6\x97", ["cut"]),
        (b"cut \x1b[38;5", ["cut"]),
        (b"\x1b[2J\x1b[Hmenu\x1b[3;1H> 1. Yes\x1b[2J\x1b[Hdone", ["menu", "", "> 1. Yes", "done"]),
    ],
)  # fmt: skip
def test_common_output(data: bytes, lines: list[str]) -> None:
    """Colours, progress bars, titles, links, marks and repaints read as they looked."""
    assert render(data, 80, 24) == lines


def test_at_most_the_newest_lines() -> None:
    """The limit counts lines, blank ones within the text too."""
    data = b"".join(b"%d\r\n\r\n" % n for n in range(500)) + b"end"
    assert render(data, 80, 24, 4) == ["498", "", "499", "", "end"][1:]
    assert render(data, 80, 24, 0) == []
    assert render(b"x\r\n" * 3 + b"\r\n" * 100, 80, 24, 2) == ["x", "x"]


def test_a_wrapped_line_is_one_line() -> None:
    """A path that was too long for the pane can be searched for."""
    path = "/" + "a" * 1000
    assert render(f"at {path}\r\nnext\r\n".encode(), 80, 24) == [f"at {path}", "next"]


def test_the_last_screen_of_a_full_screen_program() -> None:
    """What was printed before, then the picture; nothing of the frames between."""
    frames = (b"\x1b[H\x1b[Kframe %d\x1b[3;1H\x1b[Kbody" % n for n in range(1000))
    data = b"starting\r\n\x1b[?1049h" + b"".join(frames)
    assert render(data, 80, 24) == ["starting", "frame 999", "", "body"]


def test_each_run_begins_on_its_own_screen() -> None:
    """Of two programs in one pane the second does not draw over the first."""
    first = Mark("1", 1, 0, 0.0, 80, 24)
    second = Mark("2", 1, 9, 0.0, 20, 5)
    runs = [(first, b""), (None, b"\x1b[5;1Hdied here\x1b[?1049h"),
            (second, b""), (None, b"\x1b[1;30Hx" + b"y" * 5)]  # fmt: skip
    assert transcript(runs, (80, 24)) == [
        "",
        "",
        "",
        "",
        "died here",
        " " * 19 + "xyyyyy",
    ]


@pytest.mark.parametrize(
    "piece",
    [b"y\r\n", b"x" * 79 + b"\r\n", b"\x1b[38;2;1;2;3mx", b"\rprogress 10%",
     b"\x1b[5;1H\x1b[Kthinking", b"\x1bP" + b"z" * 50, b"\x00", "語".encode()],
)  # fmt: skip
def test_the_work_grows_with_the_bytes_alone(piece: bytes) -> None:
    """Two megabytes of any pattern are rendered, with the lines asked for in memory."""
    data = piece * (2_000_000 // len(piece))
    assert len(render(data, 200, 50, 20)) <= 20


def test_a_real_agent_reads_as_it_looked(tidy: Path) -> None:
    """The stand-in agent's greeting and prompt, recorded in tmux, read as its screen."""
    studio, folder = Studio(tidy / "here"), tidy / "here/ring"
    agent = [*python("")[:1], TUI, "a", "echo", "say=hello\\nworld"]
    pane = studio.start(agent, folder)
    until(lambda: ">" in studio.text(pane), what="the prompt")
    studio.tmux.keys(pane, "fix it")
    until(lambda: contents(folder).endswith(b"fix it"), what="the echo")
    lines = render(contents(folder), 100, 30)
    assert lines == list(itertools.takewhile(bool, studio.text(pane)))
    assert lines == ["hello", "world", "> fix it"]
