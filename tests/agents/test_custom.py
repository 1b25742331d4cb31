"""Any command is read by the marks of its office file, and by nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtmux.agents.base import Activity, Kind
from mdtmux.agents.kinds import kind_of
from mdtmux.errors import UsageError
from mdtmux.office.model import Marks, Ready
from mdtmux.system.screen import Screen
from tests.agents.agents import PLAIN
from tests.agents.recorded import made

MARKS = Marks(idle="^> ", busy="^working", waiting="^Approve", limited="^out of credit")


def kind(marks: Marks = MARKS, ready: str | None = None) -> Kind:
    """Return the kind of a custom agent with these marks."""
    return kind_of(replace(PLAIN, marks=marks, ready=Ready(ready)))


def screen(*rows: str, x: int | None = None) -> Screen:
    """Return a screen with the cursor at the end of its last row, or in column `x`."""
    return made(list(rows), (len(rows[-1]) if x is None else x, len(rows) - 1))


READ = [
    (("hello", "> "), "idle", None, True),
    (("working 3s", "> "), "busy", None, True),
    (("out of credit until 4pm", "> "), "limited", None, True),
    (("Approve this? ", "> "), "waiting", "question", False),
    (("working 3s", "Approve this?"), "waiting", "question", False),
    (("hello",), "unknown", None, False),
    (("> 1. Yes", "  2. No"), "waiting", None, False),
    (("Overwrite it? [y/N]",), "waiting", None, False),
]


@pytest.mark.parametrize(("rows", "activity", "dialog", "accepts"), READ)
def test_the_marks_are_read(
    rows: tuple[str, ...], activity: str, dialog: str | None, accepts: bool
) -> None:
    """Marks give the activity: waiting before limited before busy before idle."""
    reading = kind().read(screen(*rows))
    found = (str(reading.activity), reading.dialog, reading.accepts)
    assert found == (activity, dialog, accepts)
    assert reading.activity is Activity.UNKNOWN or reading.evidence in [
        row.rstrip() for row in rows
    ]


def test_a_mark_high_up_is_history() -> None:
    """Only the bottom rows count."""
    rows = ["working on it", *(f"row {n}" for n in range(20)), "> "]
    assert kind().read(screen(*rows)).activity is Activity.IDLE


def test_without_marks_nothing_is_claimed() -> None:
    """A command without marks is unknown, and does not claim to accept."""
    blind = kind(Marks())
    reading = blind.read(screen("> "))
    assert not blind.reads_screen
    assert (reading.activity, reading.accepts, reading.draft) == (
        Activity.UNKNOWN,
        False,
        None,
    )


def test_without_marks_an_open_menu_is_told() -> None:
    """Typing into a menu answers it: it is waiting, with no name for the dialog."""
    reading = kind(Marks()).read(screen("Run it?", "> 1. Yes", "  2. No"))
    assert (reading.activity, reading.dialog) == (Activity.WAITING, None)


def test_the_ready_pattern_is_the_sign_of_readiness() -> None:
    """With `ready.pattern` the input line accepts when the pattern shows."""
    waits = kind(Marks(), "^ready$")
    assert waits.read(screen("ready")).accepts
    assert not waits.read(screen("starting")).accepts


def test_a_blank_at_the_end_of_a_prompt_counts() -> None:
    """`> $` matches a prompt, although tmux cuts blanks at the end of a row."""
    assert kind(Marks(idle="> $")).read(screen("x> ")).activity is Activity.IDLE


DRAFTS = [
    (screen("> "), ""),
    (screen("> hello there"), "hello there"),
    (screen("> \x1b[2mType a message\x1b[0m", x=2), ""),
    (screen("> Type a message", x=2), ""),
    (screen("> hello \x1b[2m(ghost)\x1b[0m", x=8), "hello"),
    (screen("some row"), None),
]


@pytest.mark.parametrize(("shown", "draft"), DRAFTS)
def test_a_draft_stands_behind_the_idle_mark(shown: Screen, draft: str | None) -> None:
    """What follows the mark on the cursor's row was typed, unless it is ghost text."""
    assert kind().read(shown).draft == draft


BESIDE = [
    ("^you", screen("you> "), ""),
    ("^you", screen("you> rm -rf x"), "rm -rf x"),
    ("> $", screen("you> "), ""),
    ("> $", screen("you> rm -rf x"), "rm -rf x"),
    ("> $", screen("print a > b"), None),
    ("^>", screen("> Type a message", x=2), ""),
    (r"^\| >", screen("| >          |", x=4), ""),
    (r"^\| >", screen("| > hello    |", x=9), "hello"),
    (".*", screen("anything"), ""),
]


@pytest.mark.parametrize(("pattern", "shown", "draft"), BESIDE)
def test_without_idle_the_ready_pattern_marks_the_input_line(
    pattern: str, shown: Screen, draft: str | None
) -> None:
    """A draft is seen behind `ready.pattern` too, but a text is not proven by it."""
    ready = kind(Marks(), pattern)
    assert ready.read(shown).draft == draft
    assert ready.holds(shown, "hello") is None


INPUTS = [
    (("you> a", "Choice: "), None, False),
    (("you> a", "Which one?", ""), None, False),
    (("you> a", "done", "you> "), None, True),
    (("you> ", "-- status --"), (5, 0), True),
    (("you> ", "-- status --", ""), None, True),
    (("you> ", "-- status --"), None, False),
]


@pytest.mark.parametrize(("rows", "cursor", "accepts"), INPUTS)
def test_an_input_line_is_where_the_cursor_is(
    rows: tuple[str, ...], cursor: tuple[int, int] | None, accepts: bool
) -> None:
    """A mark above the cursor's last row is history; rows below it are a frame."""
    shown = made(list(rows), cursor or (len(rows[-1]), len(rows) - 1))
    assert kind(Marks(), "^you>").read(shown).accepts == accepts
    reading = kind(Marks(idle="^you>")).read(shown)
    assert (reading.activity is Activity.IDLE) == accepts


def test_the_draft_tells_whether_a_text_is_held() -> None:
    """A text is held while it stands behind the mark; without marks nothing tells."""
    assert kind().holds(screen("> do it"), "do it") is True
    assert kind().holds(screen("> "), "do it") is False
    assert kind().holds(screen("working"), "do it") is None
    assert kind(Marks()).holds(screen("> do it"), "do it") is None


def test_a_bad_pattern_is_named() -> None:
    """A pattern that cannot be compiled names agent, key and pattern."""
    with pytest.raises(UsageError, match=r"`jim`: screen\.busy `\(`"):
        kind(Marks(busy="("))


def test_text_is_typed_as_it_is() -> None:
    """Nothing is known of what a custom command takes for a command."""
    assert kind().literal("/help") == "/help"


@given(st.lists(st.text(max_size=60), max_size=30), st.integers(0, 90))
def test_any_screen_can_be_read(rows: list[str], x: int) -> None:
    """No screen makes reading raise."""
    shown = made([row.replace("\n", " ") for row in rows], (x, max(0, len(rows) - 1)))
    kind().read(shown)
    kind().holds(shown, "text")
