"""The history limit: few enough lines for the memory that a pane may take."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtmux.record.history import history_limit


@pytest.mark.parametrize(("width", "lines"), [(200, 309), (100, 665), (80, 840)])
def test_two_megabytes_in_lines(width: int, lines: int) -> None:
    """At 2 MB and usual widths: the screen's own 50 rows are counted in."""
    assert history_limit(2_000_000, width) == lines


@given(st.integers(0, 10**9), st.integers(1, 1000), st.integers(1, 300))
def test_the_worst_lines_fit_unless_the_buffer_is_tiny(
    buffer: int, width: int, height: int
) -> None:
    """History and screen of the costliest cells stay within the buffer."""
    limit = history_limit(buffer, width, height)
    assert 100 <= limit <= 50_000
    assert limit == 100 or (limit + height) * (32 + 24 * width) <= buffer
