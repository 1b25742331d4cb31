"""Amounts that nobody can mean: told in a sentence, never a crash."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.cli import run
from tests.support.recording import make_office, make_ring

HUGE = "9" * 20


@pytest.mark.parametrize("number", [HUGE, "1" * 5000, "-1"])
@pytest.mark.parametrize("verb", ["logs", "capture"])
def test_more_lines_than_can_be_counted(world: Path, verb: str, number: str) -> None:
    """A usage error that names the option; all that there is can be had by less."""
    make_ring(make_office(world, "jim") / "record/jim", b"one\r\ntwo\r\n")

    done = run(verb, "jim", "-n", number)

    assert (done.code, done.out) == (2, "")
    assert "--lines" in done.err
    assert run(verb, "jim", "-n", "1000000000").out.startswith("one\ntwo\n")


@pytest.mark.parametrize("verb", ["up", "down", "stop", "restart", "send", "wait"])
def test_longer_than_any_clock_runs(world: Path, verb: str) -> None:
    """A usage error before anything is done."""
    make_office(world, "jim")

    done = run(verb, "jim", "--timeout", HUGE)

    assert done.code == 2
    assert f"`{HUGE}` is too long; 10000d is the most" in done.err


@pytest.mark.parametrize("columns", [HUGE, "9" * 5000, "0"])
def test_a_terminal_of_any_width(columns: str) -> None:
    """Help is laid out for a width that can be, whatever COLUMNS says."""
    assert run("--help", env={"COLUMNS": columns}).code == 0
