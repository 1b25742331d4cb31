"""What screens prove about a text, for a program that no kind reads."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtmux.delivery.echo import appeared, only_part, tail
from mdtmux.delivery.look import Look
from mdtmux.delivery.proof import After, Line, Typed, after_enter, holds
from mdtmux.names import PaneId
from mdtmux.system.screen import Pane, Screen
from tests.support.panes import Echoing, Plain

PANE = Pane(
    session="s", window_id="@0", pane=PaneId("%0"), pid=1, dead=False,
    status=None, signal=None, dead_time=None, in_mode=False, width=40, height=10,
    cursor_x=0, cursor_y=0, history_size=0, alternate=False, tty="",
    active=True, window_active=True, server_pid=1, piped=False, buffer=0, command="x",
    office="o", agent="a", run="r", title="",
)  # fmt: skip


def look(*rows: str, history: int = 0) -> Look:
    """Return a look with the cursor at the end of the last row."""
    y = len(rows) - 1
    screen = Screen(rows, rows, len(rows[y]), y, 40, 10, history, "", dead=False)
    return Look(PANE, screen)


def typed(text: str, clean: Look, shown: Look, *, still: bool = True) -> Typed:
    """Return the moment before Enter, in a raw terminal."""
    return Typed(text, clean, shown, still, canonical=False)


PROMPT = look("> ")


@pytest.mark.parametrize(
    ("text", "before", "after", "unread", "found"),
    [
        ("hello", look("> hello"), look("> hello", "ok", "> "), 0, After.SUBMITTED),
        ("hello", look("> hello"), look("> hello"), 0, After.STANDS),
        ("hello", look("> hello"), look("> hello", ""), 0, After.UNCLEAR),
        ("hello", look("> hello"), look("> hello", "ok", "> "), 5, After.UNCLEAR),
        ("hello", PROMPT, look("> ", "> "), 0, After.SUBMITTED),
        ("hello", PROMPT, look("> "), 0, After.UNCLEAR),
        ("hello", PROMPT, look("> ", history=1), 0, After.SUBMITTED),
        (">", PROMPT, look("> "), 0, After.UNCLEAR),
        (">", PROMPT, look("> ", "> "), 0, After.SUBMITTED),
        ("a b", look("> a b"), look("redrawn", "> a b"), 0, After.STANDS),
        ("l1\nl2", look("> l1", "l2"), look("> l1", "l2", "> "), 0, After.SUBMITTED),
        ("x", look("> [Pasted text #1]"), look("> [Pasted text #1]"), 0, After.STANDS),
    ],
)
def test_an_unknown_program(
    text: str, before: Look, after: Look, unread: int, found: After
) -> None:
    """The text has left when the screen moved on from it, or prompts again without it."""
    moment = typed(text, PROMPT, before)

    assert after_enter(Plain(), moment, after, Line(unread)).after is found


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        (look("> hello", ""), look("> hello", "", "> "), After.SUBMITTED),
        (look("lost 5"), look("lost 1"), After.UNCLEAR),
        (look("> ", "hello!!! "), look("> ", "hello!!! ", "tick"), After.UNCLEAR),
        (PROMPT, look("> hello"), After.UNCLEAR),
        (PROMPT, look("Run it?", "> 1. Yes", "  2. No"), After.UNCLEAR),
        (look("> hello"), look("> hello", "[ Yes ]  [ No ]"), After.UNCLEAR),
        (look("> *****"), look("> "), After.SUBMITTED),
    ],
)
def test_only_a_text_that_was_seen_to_leave_is_proof(
    before: Look, after: Look, found: After
) -> None:
    """Late echoes, answers to any key and questions that come up prove nothing."""
    moment = typed("hello", PROMPT, before)

    assert after_enter(Plain(), moment, after, Line(0)).after is found


@pytest.mark.parametrize("after", [look("> "), look("Session expired", "", "> ")])
def test_a_dialog_that_drops_the_text_and_goes_at_enter_proves_nothing(
    after: Look,
) -> None:
    """The prompt that comes up was not there before: Enter may have been an answer."""
    dialog = look("Session expired", "hit a key")
    moment = typed("hello", dialog, dialog)

    assert after_enter(Plain(), moment, after, Line(0)).after is After.UNCLEAR


def test_a_text_that_left_its_prompt_is_proof_beside_a_spinner() -> None:
    """The cursor is on the empty prompt again; caught elsewhere, it proves nothing."""
    clean = look("| working", "> ")
    moment = typed("hello", clean, look("/ working", "> hello"), still=False)
    back = look("- working", "> hello", "ok", "> ")
    caught = look("> hello", "- working")

    assert after_enter(Plain(), moment, back, Line(0)).after is After.SUBMITTED
    assert after_enter(Plain(), moment, caught, Line(0)).after is After.UNCLEAR


def test_a_screen_that_moves_by_itself_proves_nothing() -> None:
    """A movement after Enter counts only on a screen that stood still before."""
    moment = typed("hello", PROMPT, look("> ", "."), still=False)

    assert (
        after_enter(Plain(), moment, look("> ", ".."), Line(0)).after is After.UNCLEAR
    )


@pytest.mark.parametrize(
    ("unread", "found"),
    [(0, After.SUBMITTED), (6, After.UNCLEAR), (None, After.UNCLEAR)],
)
def test_a_line_mode_program_has_to_read_the_line(
    unread: int | None, found: After
) -> None:
    """The terminal echoes the line itself; only its being read counts."""
    moment = dataclasses.replace(
        typed("hello", look(""), look("hello")), canonical=True
    )

    assert after_enter(Plain(), moment, look("hello", ""), Line(unread)).after is found


@pytest.mark.parametrize(
    ("row", "found"),
    [("> hello", After.STANDS), ("> ", After.SUBMITTED), ("...", After.SUBMITTED)],
)
def test_a_kind_that_reads_its_input_line_decides(row: str, found: After) -> None:
    """The draft on the screen tells, and so does the sign of being at work."""
    moment = typed("hello", PROMPT, look("> hello"), still=False)

    assert after_enter(Echoing(), moment, look(row), Line(0)).after is found


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a long line that wraps somewhere", ("> a long line that", "wraps somewhere")),
        ("in a box", ("│ > in a box   │",)),
        ("l1\nl2\n\nl4", ("> l1", "  l2", "", "  l4")),
        ("big\n" * 900, ("> [Pasted text #1 +899 lines]",)),
    ],
)
def test_the_echo_of_a_text_is_seen(text: str, rows: tuple[str, ...]) -> None:
    """However a program wraps or frames it, the end of the text or a placeholder shows."""
    assert appeared(PROMPT.screen, look(*rows).screen, text)
    assert not appeared(look(*rows).screen, look(*rows).screen, text)


@pytest.mark.parametrize(
    ("text", "row", "part"),
    [
        ("please do it now and never the other", "> please do it now and", True),
        ("please do it now and never the other", "> never the other", True),
        ("please do it", "> please do it", False),
        ("please do it \U000e8c84", "> please do it", False),
        ("please do it", "> other words", False),
        ("please do it", "> ", False),
        ("a line\nand a second one", "> and a second one", False),
        ("word " * 30 + "and the end of it all", "> word and the end of it all", False),
    ],
)
def test_a_part_of_a_text_is_told_from_all_of_it(
    text: str, row: str, part: bool
) -> None:
    """All counts that a terminal can show; what does not fit may have been scrolled."""
    wide = dataclasses.replace(look(row).screen, width=100)
    assert only_part(PROMPT.screen, wide, text) is part


def test_characters_that_the_terminal_leaves_out_are_no_difference() -> None:
    """A new emoji that is not drawn does not make a text that stands there another."""
    assert holds(Echoing(), look("> go  on").screen, "go \U000e8c84 on") is True
    assert holds(Echoing(), look("> other").screen, "go \U000e8c84 on") is False
    assert holds(Echoing(), look("> ").screen, "go \U000e8c84 on") is False


@given(st.text(max_size=3000), st.lists(st.text(max_size=50), min_size=1, max_size=9))
def test_any_text_and_screen_can_be_judged(text: str, rows: list[str]) -> None:
    """Nothing on a screen makes it raise, and the tail is short."""
    moment = typed(text, PROMPT, look(*rows))
    after_enter(Plain(), moment, look(*reversed(rows)), Line(None))
    assert len(tail(text)) <= 20
