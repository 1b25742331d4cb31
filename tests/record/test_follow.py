"""Following a screen as lines: each once, when it is there to stay."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mdtmux.record.follow import SETTLE, Follower
from mdtmux.record.marks import Mark
from mdtmux.record.render import render

_LATER = SETTLE + 0.1


class Watch:
    """A follower with a clock that the test moves."""

    def __init__(self, width: int = 40, height: int = 6) -> None:
        self.follower = Follower((width, height))
        self.now = 0.0

    def see(self, data: bytes, after: float = 0.2) -> list[str]:
        """Let time pass, show the bytes and return the lines to print."""
        self.now += after
        self.follower.feed([(None, data)])
        return self.follower.take(self.now)


def test_lines_are_printed_as_they_end() -> None:
    """Of a program that prints, each line comes at once and once, blank ones too."""
    watch = Watch()
    assert watch.see(b"one\r\n") == ["one"]
    assert watch.see(b"two\r\n\r\nthr") == ["two", ""]
    assert watch.see(b"ee\r\n") == ["three"]
    assert watch.see(b"", _LATER) == []


def test_equal_lines_are_all_printed() -> None:
    """A program that says the same again is heard again, on and off the screen."""
    watch = Watch()
    assert watch.see(b"y\r\n" * 3) == ["y"] * 3
    assert watch.see(b"y\r\n" * 20) == ["y"] * 20
    assert watch.see(b"y\r\n") == ["y"]


def test_an_unfinished_line_is_printed_when_it_stands_still() -> None:
    """A prompt without a line break shows up, and again when it was completed."""
    watch = Watch()
    assert watch.see(b"password: ") == []
    assert watch.see(b"", _LATER) == ["password:"]
    assert watch.see(b"ok\r\n") == ["password: ok"]


def test_a_progress_bar_is_printed_when_it_is_done() -> None:
    """What is overwritten within a moment is not printed."""
    watch = Watch()
    for percent in range(0, 100, 10):
        assert watch.see(b"\r%d%%" % percent) == []
    assert watch.see(b"\rdone\r\n") == ["done"]


def test_a_repainted_row_is_printed_once() -> None:
    """Of a program that repaints, a row comes when it has settled, the clock never."""
    watch = Watch()
    printed = []
    for second in range(20):
        for _ in range(5):
            frame = b"\x1b[H\x1b[2KAnswer: 42\r\n\x1b[2KThinking %ds" % second
            printed += watch.see(frame)
    assert printed == ["Answer: 42"]


def test_a_row_that_moves_is_not_printed_again() -> None:
    """When the input box moves down for a new message only the message is new."""
    watch = Watch()
    box = b"\r\n----\r\n> \r\n----"
    assert watch.see(b"hello" + box) == ["hello", "----", ">"]
    assert watch.see(b"\x1b[A", 0.1) == []
    assert watch.see(b"", _LATER) == ["----"]
    assert watch.see(b"\x1b[2;1H\x1b[Jworld" + box) == []
    assert watch.see(b"", _LATER) == ["world"]


def test_a_repaint_after_clearing_the_full_screen_is_not_news() -> None:
    """A full-screen program that wipes and draws the same again prints nothing."""
    watch = Watch()
    assert watch.see(b"\x1b[?1049h\x1b[Htitle\r\nbody") == []
    assert watch.see(b"", _LATER) == ["title", "body"]
    assert watch.see(b"\x1b[2J\x1b[Htitle\r\nbody") == []
    assert watch.see(b"", _LATER) == []
    assert watch.see(b"\x1b[?1049l") == []


def test_what_was_there_before_is_skipped() -> None:
    """Lines that were printed as the tail are not printed again when they scroll."""
    watch = Watch()
    watch.follower.feed([(None, b"old 1\r\nold 2\r\nold 3\r\n")])
    watch.follower.skip()
    assert watch.see(b"new 1\r\n") == ["new 1"]
    assert watch.see(b"new\r\n" * 10) == ["new"] * 10


def test_a_wrapped_line_is_one_line() -> None:
    """A line longer than the screen comes whole, also when half has scrolled off."""
    watch = Watch(width=10, height=3)
    line = "0123456789" * 5
    assert watch.see(line.encode() + b"\r\n") == [line]
    assert watch.see(b"x\r\n" * 5) == ["x"] * 5


def test_a_new_run_is_followed_on() -> None:
    """After a restart the new program's lines come; the old ones are not repeated."""
    watch = Watch()
    assert watch.see(b"first\r\n\x1b[31m\x1b[?1049hpicture") == []
    watch.follower.feed([(Mark("2", 1, 0, 0.0, 0, 0), b""), (None, b"second\r\n")])
    assert watch.follower.take(watch.now) == ["picture", "first", "second"]


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=30), max_size=8))
def test_following_prints_what_rendering_shows(bursts: list[list[str]]) -> None:
    """For plain lines, however they come, following and reading at once agree."""
    watch = Watch()
    printed = []
    for burst in bursts:
        printed += watch.see("".join(f"{word}\r\n" for word in burst).encode())
    everything = "".join(f"{word}\r\n" for burst in bursts for word in burst)
    assert printed == render(everything.encode(), 40, 6)
