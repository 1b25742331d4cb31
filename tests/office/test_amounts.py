"""Durations: one grammar, a range, and no number that means something else."""

from __future__ import annotations

import pytest

from tests.support.office_files import agent, agent_fault


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90),
        ("10m", 600),
        ("2h", 7200),
        ("5", 5),
        ("0.5s", 0.5),
        ("'1.5'", 1.5),
        ("007", 7),
    ],
)
def test_durations(text: str, seconds: float) -> None:
    """As the manual writes them."""
    assert agent(f"ready: {{timeout: {text}}}").ready.timeout == seconds


@pytest.mark.parametrize(
    "text",
    [
        "12:30",
        "-5s",
        ".inf",
        ".nan",
        "5€",
        "1e3",
        "1_000",
        "2026-01-02",
        "5 x",
        "no",
        "0x10",
    ],
)
def test_durations_that_are_not_understood(text: str) -> None:
    """A value that YAML would have turned into another number is refused (C58)."""
    assert agent_fault(f"ready: {{timeout: {text}}}") == (
        f"ready > timeout: `{text}` is not understood; write it like 90s, 10m or 2h"
    )


@pytest.mark.parametrize("text", ["0", "2d", "99999999999999h"])
def test_durations_out_of_range(text: str) -> None:
    """A range keeps a slip of the pen from waiting for ever."""
    assert agent_fault(f"ready: {{timeout: {text}}}") == (
        f"ready > timeout: `{text}` is not between 0s and 1d"
    )


@pytest.mark.parametrize("text", ["[5s]", "{a: b}", ""])
def test_durations_that_are_something_else(text: str) -> None:
    """A list, a mapping or nothing is no duration."""
    message = agent_fault(f"stop: {{timeout: {text}}}")
    assert message.startswith(
        "stop > timeout: expected a duration like 90s, 10m or 2h, got "
    )
