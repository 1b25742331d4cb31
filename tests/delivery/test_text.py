"""What may be typed, and what is taken out of it."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtmux.delivery.text import LIMIT, prepare
from mdtmux.errors import Refused


@pytest.mark.parametrize(
    ("given_text", "text", "dropped"),
    [
        ("one\r\ntwo\rthree\n", "one\ntwo\nthree\n", 0),
        ("a\tb", "a\tb", 0),
        ("a\x1b[201~b\x00\x07\x7f", "a[201~b", 4),
        ("a\x9bb\u00a0", "ab\u00a0", 1),
        (b"caf\xc3\xa9", "café", 0),
        ("caf\udcc3\udca9", "café", 0),
    ],
)
def test_line_breaks_are_made_lf_and_controls_are_dropped(
    given_text: str | bytes, text: str, dropped: int
) -> None:
    """CRLF and CR become LF; other control characters are dropped and counted."""
    got = prepare(given_text)

    assert (got.text, got.dropped, got.bytes) == (text, dropped, len(text.encode()))


@pytest.mark.parametrize(
    ("text", "lines"), [("a", 1), ("a\n", 1), ("a\nb", 2), ("a\n\n", 2)]
)
def test_lines_are_counted_as_people_do(text: str, lines: int) -> None:
    """A last line break does not begin another line."""
    assert prepare(text).lines == lines


@pytest.mark.parametrize("text", ["", "\n\n", " \t", "\x1b\x00", b""])
def test_nothing_visible_is_refused(text: str | bytes) -> None:
    """An empty text would be a bare Enter, which can approve something."""
    with pytest.raises(Refused, match="no text to send"):
        prepare(text)


@pytest.mark.parametrize("text", [b"\xff\xfe", b"ok \xc3", "a\udcff", "b\ud800c"])
def test_what_is_not_utf8_is_refused(text: str | bytes) -> None:
    """Bytes that are no text are refused with their place."""
    with pytest.raises(Refused, match="not UTF-8"):
        prepare(text)


def test_the_limit_is_told_before_anything_is_typed() -> None:
    """A text above the limit is refused with both sizes; one at the limit is taken."""
    assert prepare(b"x" * LIMIT).bytes == LIMIT
    with pytest.raises(Refused, match=r"at most 16\.0MB"):
        prepare(b"x" * (LIMIT + 1))


@given(st.text())
def test_nothing_but_controls_is_ever_lost(text: str) -> None:
    """What stays is the text without controls, in order; LF and TAB stay."""
    unix = text.replace("\r\n", "\n").replace("\r", "\n")
    kept = "".join(c for c in unix if c in "\n\t" or unicodedata.category(c) != "Cc")
    try:
        got = prepare(text)
    except Refused:
        assert not kept.strip() or "\\ud" in ascii(text)
        return
    assert got.text == kept
    assert got.dropped == len(unix) - len(kept)
