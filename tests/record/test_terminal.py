"""The terminal that reads recordings: tmux itself says what is right."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mdtmux.record.grid import Row
from mdtmux.record.terminal import Terminal
from tests.support import leaks
from tests.support.recording import Studio, contents
from tests.support.wait import until

_WIDTH, _HEIGHT = 40, 10
_TEXT = ["hello", "x" * 45, "é─│", "ab\tcd", "e\u0301", "word word"]
_CONTROLS = ["\r\n", "\n", "\r", "\b", "\x1b7", "\x1b8", "\x1bM", "\x1bD", "\x1bE"]
_MODES = ["\x1b[?7l", "\x1b[?7h", "\x1b[?6h", "\x1b[?6l", "\x1b[?25l", "\x1b[?1h"]
_SILENT = [
    "\x1b[1;31m", "\x1b[38:2::1:2:3m", "\x1b]0;title\x07", "\x1b]8;;http://x\x1b\\",
    "\x1bPq#0;2\x1b\\", "\x1b[>1u", "\x1b[?2026h", "\x1b_abc\x1b\\", "\x1b[ q", "\x1b=",
]  # fmt: skip
_ALTERNATE = ["\x1b[?1049h", "\x1b[?1049l"]
_small = st.sampled_from(["", *map(str, range(12))])
_places = st.tuples(st.integers(0, 12), st.integers(0, 44))
_sequences = st.one_of(
    st.builds("\x1b[{}{}".format, _small, st.sampled_from("ABCDEFGdSTXP@Z")),
    st.builds("\x1b[{}{}".format, st.sampled_from(["", "0", "1", "2"]), st.sampled_from("JK")),
    _places.map(lambda at: f"\x1b[{at[0]};{at[1]}H"),
)  # fmt: skip
# Whether lines outside the scroll region can be inserted differs between terminals:
# a stream has either.
_regions = st.one_of(
    st.tuples(st.integers(0, 5), st.integers(4, 12)).map(lambda at: f"\x1b[{at[0]};{at[1]}r"),
    st.just("\x1b[r"),
)  # fmt: skip
_inserts = st.builds("\x1b[{}{}".format, _small, st.sampled_from("LM"))


def _stream(special: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pieces = st.one_of(
        st.sampled_from(_TEXT),
        st.sampled_from(_TEXT),
        st.sampled_from(_CONTROLS),
        _sequences,
        special,
        st.sampled_from(_MODES + _SILENT + _ALTERNATE),
    )
    return st.lists(pieces, max_size=80).map("".join)


_streams = st.one_of(_stream(_regions), _stream(_inserts))


def _replay(data: bytes, *, pieces: int = 0) -> tuple[list[str], Terminal]:
    gone: list[str] = []
    terminal = Terminal(_WIDTH, _HEIGHT, lambda row: gone.append(row.text()))
    step = pieces or len(data) or 1
    for start in range(0, len(data), step):
        terminal.feed(data[start : start + step])
    return gone, terminal


def _screen(terminal: Terminal) -> list[str]:
    grid = terminal.alternate or terminal.main
    return [row.text() for row in grid.rows]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_streams)
def test_the_screen_is_what_tmux_shows(tidy: Path, stream: str) -> None:
    """Any mix of text, movement, erasing and scrolling ends as it does in tmux."""
    data = stream.encode()
    studio = Studio(tidy / "here")
    pane = studio.show(data, size=(_WIDTH, _HEIGHT))
    shown = studio.text(pane)[-_HEIGHT:]
    row = studio.pane(pane)
    leaks.end_server(studio.tmux.socket.path())
    _, terminal = _replay(data)
    grid = terminal.alternate or terminal.main
    assert _screen(terminal) == shown
    assert (grid.x, grid.y) == (row.cursor_x, row.cursor_y)


def test_wide_characters_wrap_as_in_tmux(tidy: Path) -> None:
    """A wide character does not fit into the last column, a mark takes no column."""
    text = (
        "日本語" * 10 + "\r\n" + "a日" * 20 + "\r\n" + "e\u0301" * 45 + "\r\n👍🏽é\r\n"
    )
    data = text.encode()
    studio = Studio(tidy / "here")
    pane = studio.show(data, size=(_WIDTH, _HEIGHT))
    assert _screen(_replay(data)[1])[:6] == studio.text(pane)[:6]


def test_what_scrolls_off_is_what_tmux_keeps(tidy: Path) -> None:
    """Lines that leave by scrolling, by a region, by clearing: history has them all."""
    data = (
        b"".join(b"line %d\r\n" % n for n in range(15))
        + b"\x1b[3;6r\x1b[6;1Hregion\r\n\r\n\x1b[r\x1b[2J\x1b[Hafter\r\n"
        + b"\x1b[2S\x1b[Htop\x1b[J" + b"y\r\n" * 20
    )  # fmt: skip
    studio = Studio(tidy / "here")
    pane = studio.show(data, size=(_WIDTH, _HEIGHT))
    kept = studio.text(pane)
    gone, terminal = _replay(data)
    assert gone + _screen(terminal) == kept


@pytest.mark.parametrize(
    ("command", "keys"),
    [
        (
            "less -R doc",
            ["Space", "Space", "b", "/", "100", "Enter", "-", "N", "Enter"],
        ),
        ("vi -u NONE doc", ["5j", "dd", "ix", "Escape", "G", "O", "new"]),
        ("top -b -n 1; exec cat", []),
        ("stty -echo; seq 80; exec cat", []),
    ],
)
def test_a_real_program_looks_as_in_tmux(
    tidy: Path, command: str, keys: list[str]
) -> None:
    """The recording of a real program, replayed, is the screen that tmux has."""
    if shutil.which(command.split()[0]) is None:
        pytest.skip(f"`{command.split()[0]}` is not installed")
    (tidy / "here/doc").write_text("".join(f"line {n}\n" for n in range(200)))
    studio, folder = Studio(tidy / "here"), tidy / "here/ring"
    inside = f"cd {tidy / 'here'}; {command}"
    pane = studio.start(["sh", "-c", inside], folder, size=(80, 24))
    until(lambda: contents(folder), what="first output")
    for key in keys:
        before = len(contents(folder))
        studio.tmux.keys(pane, key)
        until(partial(_grew, folder, before), what=f"an answer to {key}")

    def screens() -> tuple[list[str], list[str]]:
        terminal = Terminal(80, 24)
        terminal.feed(contents(folder))
        return _screen(terminal), studio.text(pane)[-24:]

    until(lambda: screens()[0] == screens()[1], what=lambda: f"{screens()}")


def _grew(folder: Path, before: int) -> bool:
    return len(contents(folder)) > before


@given(st.binary(max_size=400), st.integers(1, 7))
def test_any_bytes_in_any_pieces_give_the_same_screen(data: bytes, step: int) -> None:
    """How the bytes are cut into pieces does not show, and no bytes raise."""
    whole_gone, whole = _replay(data)
    gone, terminal = _replay(data, pieces=step)
    assert gone == whole_gone
    assert _screen(terminal) == _screen(whole)


@given(_streams, st.integers(1, 5))
def test_sequences_may_be_cut_anywhere(stream: str, step: int) -> None:
    """A sequence that arrives in pieces is the same sequence."""
    data = stream.encode()
    assert _replay(data, pieces=step)[0] == _replay(data)[0]
    assert _screen(_replay(data, pieces=step)[1]) == _screen(_replay(data)[1])


@given(st.lists(st.sampled_from(
    ["\x1b[999999999999999S", "\x1b[99999b", "\x1b[9999@", "x", "\x1b[9999T", "\x1bP",
     "\x1b[9999L", "\x1b[9999;9999H", "\x1b]", "\x1b[?1049h", "\x1b[5;2r", "日", "\t",
     "\x1b[4h", "\u0301" * 50, "\x1b[" + "1;" * 500 + "m", "\x1b(0", "\x0e", "\x1bH"]
)))  # fmt: skip
def test_large_numbers_are_bounded(pieces: list[str]) -> None:
    """No parameter makes rows longer than the screen or the screen higher."""
    _, terminal = _replay("".join(pieces).encode())
    for grid in (terminal.main, terminal.alternate or terminal.main):
        assert len(grid.rows) == _HEIGHT
        assert all(len(row.cells) <= _WIDTH for row in grid.rows)
        assert all(len(cell) <= 9 for row in grid.rows for cell in row.cells)
        assert 0 <= grid.x <= _WIDTH
        assert 0 <= grid.y < _HEIGHT


def test_line_drawing_is_shown_as_lines() -> None:
    """Programs that draw boxes with the terminal's own set get box characters."""
    _, terminal = _replay(b"\x1b(0lqk\x1b(B lqk \x1b)0\x0exx\x0fx")
    assert _screen(terminal)[0] == "┌─┐ lqk ││x"


def test_a_wide_character_is_never_half() -> None:
    """Writing over half of it blanks the other half."""
    rows = []
    for stream in ("日本\x1b[2Gx", "日本\x1b[3Gx", "日本\x1b[2G\x1b[K", "日本\x1b[2X"):
        row = Row()
        terminal = Terminal(_WIDTH, _HEIGHT)
        terminal.feed(stream.encode())
        row = terminal.main.rows[0]
        rows.append(row.text())
    assert rows == [" x本", "日x", "", "日本"]


def test_what_a_full_screen_program_showed_last_is_kept() -> None:
    """When it leaves its screen, also after wiping it, the last picture is told."""
    for leaving in (b"\x1b[?1049l", b"\x1b[2J\x1b[?1049l", b"\x1b[H\x1b[J\x1b[?1049l"):
        gone, terminal = _replay(
            b"before\r\n\x1b[?1049h\x1b[Hfirst\x1b[2J\x1b[Hlast picture" + leaving
        )
        assert gone == ["last picture"]
        assert [row.text() for row in terminal.rows()] == ["before"]


def test_a_new_program_begins_on_a_blank_screen() -> None:
    """After a restart modes, screens and half a sequence of the old one are gone."""
    gone, terminal = _replay(b"old\x1b[?1049h\x1b[?7l\x1b[5;8r\x1b(0pic\xe6\x97")
    terminal.restart(20, 5)
    terminal.feed(b"new")
    assert gone == ["⎻␉␌".replace("␉␌", "ic"), "old"]
    assert [row.text() for row in terminal.main.rows] == ["new", "", "", "", ""]
    assert terminal.main.width == 20


def test_repainting_is_told_from_printing() -> None:
    """Only a program that moves the cursor to other rows counts as one that repaints."""
    for stream, repaints in ((b"a\r\x1b[Kb\x1b[1mc\n", False), (b"\x1b[A", True),
                             (b"\x1b[H", True), (b"\x1b[?1049h", True)):  # fmt: skip
        assert _replay(stream)[1].addressed is repaints
