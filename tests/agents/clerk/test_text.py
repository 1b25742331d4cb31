"""Text takes the columns that it is said to take, and moves no cursor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtmux.agents.clerk.text import clean, clip, width, wrap


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("", 0),
        ("abc", 3),
        ("é", 1),
        ("e\u0301", 1),
        ("你好", 4),
        ("🙂", 2),
        ("\u200b", 0),
    ],
)
def test_widths(text: str, columns: int) -> None:
    """Wide characters take two columns, marks that combine take none."""
    assert width(text) == columns


@given(st.text())
def test_clean_text_stays_in_its_row(text: str) -> None:
    """No control character, tab or line break is left, and cleaning is final."""
    shown = clean(text)
    assert shown.isprintable() or not any(c in shown for c in "\t\n\r\x1b\x7f\x9b")
    assert clean(shown) == shown


@given(st.text().map(clean), st.integers(2, 40))
def test_wrapping_loses_nothing(text: str, columns: int) -> None:
    """The rows fit, and together they are the text."""
    rows = wrap(text, columns)
    assert "".join(rows) == text
    assert all(width(row) <= columns for row in rows)


@given(st.text().map(clean), st.integers(0, 40))
def test_clipping_fits(text: str, columns: int) -> None:
    """A text that is cut says so."""
    cut = clip(text, columns)
    assert width(cut) <= columns
    assert cut == text or cut == "" or cut.endswith("…")
