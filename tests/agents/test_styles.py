"""Styles of cells: what is drawn dim is told from what was typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtmux.agents.styles import (
    PLAIN,
    Style,
    between,
    is_red,
    row_cells,
    width,
    written_text,
)
from tests.agents.recorded import made, names, recorded


def styles(row: str) -> list[Style]:
    """Return the styles of a row's cells."""
    return [cell.style for cell in row_cells(made([row]), 0)]


CODES = [
    ("\x1b[2mx", Style(dim=True)),
    ("\x1b[2m\x1b[22mx", PLAIN),
    ("\x1b[7mx", Style(reverse=True)),
    ("\x1b[0;2mx", Style(dim=True)),
    ("\x1b[31mx", Style(colour="31")),
    ("\x1b[38;5;2mx", Style(colour="38;5;2")),
    ("\x1b[38;2;7;2;1mx", Style(colour="38;2;7;2;1")),
    ("\x1b[38:2:7:2:1mx", Style(colour="38;2;7;2;1")),
    ("\x1b[48;5;2mx", PLAIN),
    ("\x1b[48;2;1;2;7mx", PLAIN),
    ("\x1b[58;5;2mx", PLAIN),
    ("\x1b[31m\x1b[39mx", PLAIN),
    ("\x1b[2;7;31m\x1b[mx", PLAIN),
    ("\x1b]8;;http://x\x1b\\x\x1b]8;;\x1b\\", PLAIN),
    ("\x0ex\x0f", PLAIN),
    ("\x1b[38mx", Style(colour="38")),
]


@pytest.mark.parametrize(("row", "style"), CODES)
def test_codes_are_read(row: str, style: Style) -> None:
    """Attributes and foreground colours are kept, everything else is passed over."""
    assert styles(row) == [style]


def test_a_style_goes_on_in_the_next_row() -> None:
    """A style that goes on is not repeated at the start of the next row."""
    screen = made(["\x1b[2mone", "two", "\x1b[0mthree"])
    assert row_cells(screen, 1)[0].style == Style(dim=True)
    assert row_cells(screen, 2)[0].style == PLAIN


def test_a_row_that_is_not_there_has_no_cells() -> None:
    """Numbers outside the screen give nothing."""
    assert row_cells(made(["a"]), 7) == ()
    assert row_cells(made(["a"]), -1) == ()


WRITTEN = [
    ("typed\x1b[7m \x1b[0m", "typed "),
    ("\x1b[7mR\x1b[0;2mesend it\x1b[0m", ""),
    ("\x1b[7mP\x1b[0;2mress\x1b[0m \x1b[2mup\x1b[0m", " "),
    ("ty\x1b[7mp\x1b[0med", "typed"),
    ("\x1b[7mx\x1b[0m", "x"),
]


@pytest.mark.parametrize(("row", "text"), WRITTEN)
def test_ghost_text_is_left_out(row: str, text: str) -> None:
    """Dim text and the cursor's first character of it are not what was written."""
    assert written_text(row_cells(made([row]), 0)) == text


def test_columns_are_counted() -> None:
    """Wide characters take two columns, combining ones none."""
    assert [width(text) for text in ("ab", "你好", "e\u0301", "🙂")] == [2, 4, 1, 2]
    assert between("ab你cd", 2, 5) == "你c"


COLOURS = [
    ("31", True),
    ("91", True),
    ("38;5;1", True),
    ("38;5;9", True),
    ("38;5;167", True),
    ("38;2;204;102;102", True),
    ("", False),
    ("33", False),
    ("38;5;3", False),
    ("38;5;214", False),
    ("38;2;255;255;0", False),
    ("38;2;138;190;183", False),
    ("38;5", False),
    ("38;2;1", False),
    ("38", False),
]


@pytest.mark.parametrize(("colour", "red"), COLOURS)
def test_red_is_known_in_every_palette(colour: str, red: bool) -> None:
    """Sixteen colours, 256 and true colour each have reds."""
    assert is_red(colour) is red


@pytest.mark.parametrize("name", names(""))
def test_cells_are_the_plain_row(name: str) -> None:
    """The characters of the cells are those of the plain row."""
    screen = recorded(name)
    for number, line in enumerate(screen.lines):
        cells = row_cells(screen, number)
        assert "".join(cell.char for cell in cells).rstrip() == line


@given(st.lists(st.text(), max_size=5))
def test_any_bytes_can_be_read(rows: list[str]) -> None:
    """No sequence of codes makes it raise."""
    screen = made(rows)
    for number in range(len(rows)):
        written_text(row_cells(screen, number))
