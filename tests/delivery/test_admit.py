"""When text may be typed, decided from what was seen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mdtmux.agents.base import Activity, Reading
from mdtmux.delivery.admit import Facts, hold, misfit, unreachable
from mdtmux.delivery.look import Look
from mdtmux.delivery.target import Options, Target
from mdtmux.delivery.text import prepare
from mdtmux.names import AgentName, PaneId, RunId
from mdtmux.system.interpreters import Reads
from mdtmux.system.processes import Identity
from mdtmux.system.screen import Pane, Screen
from mdtmux.system.terminal import Foreground
from tests.support.panes import Echoing, Plain

PANE = Pane(
    session="s", window_id="@0", pane=PaneId("%0"), pid=7, dead=False,
    status=None, signal=None, dead_time=None, in_mode=False, width=40, height=10,
    cursor_x=0, cursor_y=0, history_size=0, alternate=False, tty="",
    active=True, window_active=True, server_pid=1, piped=False, buffer=0, command="x",
    office="o", agent="a", run="r", title="",
)  # fmt: skip
TARGET = Target(
    office="o", agent=AgentName("a"), kind=Plain(), pane=PaneId("%0"), run=RunId("r"),
    process=Identity(7, 1.0), server_pid=1, state=Path("state"), bracketed=lambda: True,
)  # fmt: skip
READS = replace(TARGET, kind=Echoing())
UNKNOWN = Reading(Activity.UNKNOWN, "", None, None, accepts=False)
IDLE = Reading(Activity.IDLE, "> ", None, "", accepts=True)
BASH = Foreground(9, ("bash",), Reads.COMMANDS)


def seen(reading: Reading = UNKNOWN, *rows: str, pane: Pane = PANE) -> Facts:
    """Return facts of a live full-screen program with that reading and screen."""
    screen = Screen(rows, rows, 0, 0, 40, 10, 0, "", dead=False)
    return Facts(Look(pane, screen), reading, True, None, False, True)


def test_a_program_made_for_input_may_be_typed_into() -> None:
    """An unknown program that asks for bracketed paste or reads raw is let through."""
    assert hold(TARGET, seen(), Options()) is None
    assert hold(TARGET, replace(seen(), bracketed=None), Options()) is None
    assert hold(TARGET, replace(seen(), canonical=True), Options()) is None


def test_nothing_known_needs_force_or_a_pattern() -> None:
    """A program in line mode is typed into by force or by its own ready pattern."""
    facts = replace(seen(UNKNOWN, "name? "), canonical=True, bracketed=None)

    held = hold(TARGET, facts, Options())

    assert held is not None
    assert held.later
    assert hold(TARGET, facts, Options(force=True)) is None
    assert hold(replace(TARGET, ready=r"name\? *$"), facts, Options()) is None


@pytest.mark.parametrize(
    ("reading", "word", "forced"),
    [
        (IDLE, None, True),
        (Reading(Activity.BUSY, "...", None, "", accepts=True), "busy", True),
        (Reading(Activity.LIMITED, "5h", None, "", accepts=True), "usage limit", True),
        (UNKNOWN, "input line", True),
        (
            Reading(Activity.WAITING, "Trust?", "trust", None, accepts=False),
            "trust",
            False,
        ),
        (Reading(Activity.WAITING, "", None, None, accepts=False), "question", False),
        (Reading(Activity.IDLE, "> x", None, "x", accepts=True), "draft", False),
    ],
)
def test_what_a_kind_reads_decides(
    reading: Reading, word: str | None, forced: bool
) -> None:
    """Busy and unknown give way to force; a question and a draft never do."""
    held = hold(READS, seen(reading), Options())

    assert (held is None) == (word is None)
    if held is not None:
        assert word is not None
        assert word in held.reason
        assert held.later
    assert (hold(READS, seen(reading), Options(force=True)) is None) == forced


def test_a_bare_question_needs_force_or_a_pattern() -> None:
    """A question with the cursor behind it may be anything: it gives way to force."""
    facts = seen(UNKNOWN, "Delete all of it?")
    asking = replace(facts.look.screen, cursor_x=17)
    facts = replace(facts, look=replace(facts.look, screen=asking))

    held = hold(TARGET, facts, Options())

    assert held is not None
    assert "may wait for an answer" in held.reason
    assert hold(TARGET, facts, Options(force=True)) is None
    assert hold(replace(TARGET, ready=r"\?$"), facts, Options()) is None


def test_a_menu_on_any_screen_holds_even_by_force() -> None:
    """What looks like an open menu is not typed into."""
    facts = seen(UNKNOWN, "Run it?", "> 1. Yes", "  2. No")

    assert hold(TARGET, facts, Options(force=True)) is not None


@pytest.mark.parametrize(
    ("pane", "word"),
    [
        (replace(PANE, office="p"), "does not run any more"),
        (replace(PANE, agent="b"), "does not run any more"),
        (replace(PANE, run=""), "does not run any more"),
        (replace(PANE, server_pid=2), "does not run any more"),
        (replace(PANE, dead=True, status=3), "status 3"),
        (replace(PANE, dead=True, signal=9), "signal 9"),
        (replace(PANE, pid=8), "has ended"),
    ],
)
def test_another_pane_and_an_ended_one_are_out_of_reach(pane: Pane, word: str) -> None:
    """Every mark of the run must be true of the pane; force changes nothing."""
    for held in (
        hold(TARGET, seen(pane=pane), Options(force=True)),
        unreachable(TARGET, seen(pane=pane)),
    ):
        assert held is not None
        assert word in held.reason
        assert not held.later


def test_a_dead_process_and_a_shell_are_out_of_reach() -> None:
    """A recycled pid is not the process; a shell would execute the text."""
    for facts in (replace(seen(IDLE), alive=False), replace(seen(IDLE), reader=BASH)):
        held = hold(READS, facts, Options(force=True))
        assert held is not None
        assert not held.later


@pytest.mark.parametrize(
    ("text", "bracketed", "canonical", "fits"),
    [
        ("one", None, True, True),
        ("one\n", None, True, True),
        ("one\ntwo", None, False, False),
        ("one\ntwo", False, False, False),
        ("one\ntwo", True, False, True),
        ("x" * 4095, None, True, True),
        ("x" * 4096, None, True, False),
        ("é" * 2048, None, True, False),
        ("x" * 4090, True, True, False),
        ("x" * 9000, None, False, True),
        ("x" * 9000, True, False, True),
    ],
)
def test_what_fits_the_terminal(
    text: str, bracketed: bool | None, canonical: bool, fits: bool
) -> None:
    """Several lines need paste marks; line mode keeps 4095 bytes of a line."""
    facts = replace(seen(), bracketed=bracketed, canonical=canonical)

    assert (misfit(prepare(text), facts) is None) == fits
