"""Menus take digits, arrows, Enter and Escape, and drop everything else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mdtmux.agents.base import Activity
from tests.agents.clerk.terminal import CLERK_ARGV, Start, Terminal, clerk, events
from tests.agents.clerk.terminal import terminal as open_terminal
from tests.support.wait import until


def _answers() -> list[tuple[object, object]]:
    return [(e["kind"], e["answer"]) for e in events("dialog-answered")]


def _ask(seen: Terminal, prompt: str) -> None:
    seen.submit(prompt)
    seen.until(Activity.WAITING)


def test_a_command_needs_approval() -> None:
    """`run` shows the command and waits; nothing has run until Yes."""
    with clerk() as seen:
        _ask(seen, "run touch made")
        reading = seen.reading()
        assert reading.dialog == "approval"
        assert reading.evidence == "Do you want to proceed?"
        assert not reading.accepts
        assert reading.draft is None
        assert "  touch made" in seen.text()
        assert not Path("made").exists()
        seen.send("\r")
        seen.see("● done")
        assert Path("made").exists()
        assert _answers() == [("approval", "Yes")]


@pytest.mark.parametrize("keys", ["3", "\x1b", "\x1b[B\x1b[B\r", "\x1b[A\r", "\x03"])
def test_no_runs_nothing(keys: str) -> None:
    """The number of No, Escape, the arrows to it and Control-C deny the command."""
    with clerk() as seen:
        _ask(seen, "run touch made")
        seen.send(keys)
        seen.see("denied")
        seen.until(Activity.IDLE)
        assert not Path("made").exists()
        assert _answers() == [("approval", "No")]


def test_letters_and_pastes_are_dropped_and_logged() -> None:
    """Text that was meant for the draft is gone, and Enter still takes Yes."""
    with clerk() as seen:
        _ask(seen, "run touch made")
        seen.send("please wait")
        seen.paste("3\nhold on")
        assert seen.reading().activity == Activity.WAITING
        seen.send("\r")
        seen.see("● done")
        assert seen.reading().draft == ""
        answered = events("dialog-answered")
        assert [e["with_text"] for e in answered] == ["please wait3\nhold on"]


def test_an_enter_in_the_same_read_as_text_answers_a_dialog() -> None:
    """Text and Enter in one write lose the text and approve: the known danger."""
    with clerk() as seen:
        _ask(seen, "run touch made")
        seen.send("hold on\r")
        until(lambda: _answers() == [("approval", "Yes")], what="the answer")


def test_yes_always_asks_no_more() -> None:
    """The second option waives further questions."""
    with clerk() as seen:
        _ask(seen, "run touch one\nrun touch two")
        seen.send("2")
        seen.see("● done")
        assert Path("two").exists()
        assert _answers() == [("approval", "Yes, always")]


def test_auto_never_asks() -> None:
    """`--auto` runs commands at once."""
    with clerk("--auto") as seen:
        seen.submit("run touch made")
        seen.see("● done")
        assert Path("made").exists()
        assert _answers() == []


def test_a_draft_survives_a_dialog() -> None:
    """What stands in the draft while a question opens is still there after it."""
    with clerk() as seen:
        seen.submit("sleep 0.5\nask ready?")
        seen.until(Activity.BUSY)
        seen.send("half a thou")
        seen.until(Activity.WAITING)
        seen.send("1")
        seen.draft("half a thou")


def test_questions_have_their_own_options() -> None:
    """`ask` with options shows them, and the answer goes into the transcript."""
    with clerk() as seen:
        _ask(seen, "ask Which one? | Alpha | Beta | Gamma")
        assert seen.reading().dialog == "question"
        assert seen.reading().evidence == "? Which one?"
        seen.send("2")
        seen.see("● Which one? Beta")
        assert _answers() == [("question", "Beta")]


def test_a_dismissed_question_ends_the_work() -> None:
    """Escape answers nothing; what follows is not done."""
    with clerk() as seen:
        _ask(seen, "ask Go on?\nsay went on")
        seen.send("\x1b")
        seen.see("the question was dismissed")
        assert "● went on" not in seen.text()


def _trusting(check: Callable[[Terminal], None]) -> None:
    argv = (*CLERK_ARGV, "--log", "clerk.jsonl", "--trust-dialog", "--", "say begun")
    with open_terminal(Start(argv)) as seen:
        assert seen.until(Activity.WAITING).dialog == "trust"
        check(seen)


def test_a_folder_is_trusted_before_anything_else() -> None:
    """`--trust-dialog` holds back the first prompt until somebody says yes."""

    def check(seen: Terminal) -> None:
        assert "begun" not in seen.text()
        seen.send("1")
        seen.see("● begun")

    _trusting(check)


@pytest.mark.parametrize("key", ["2", "\x1b"])
def test_a_folder_that_is_not_trusted_ends_the_program(key: str) -> None:
    """No leaves with status 1."""

    def check(seen: Terminal) -> None:
        seen.send(key)
        assert seen.ended() == 1

    _trusting(check)
