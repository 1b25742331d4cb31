"""Where a program that no kind reads takes its input, and what stands there."""

from __future__ import annotations

import dataclasses
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from mdtmux.agents.kinds import kind_of
from mdtmux.delivery.gate import deliver
from mdtmux.delivery.receipt import Outcome, Receipt
from mdtmux.delivery.target import Options, Target
from mdtmux.office.model import Marks, Ready
from tests.agents.agents import PLAIN
from tests.support.panes import Desk
from tests.support.wait import until

ODD = Path(__file__).parents[1] / "support" / "odd_tui.py"
LINES = "while True: print('TOOK', input('you> '), flush=True)"
ASKS = """
import sys
input('you> ')
print(sys.argv[1], flush=True)
print('TOOK', input(sys.argv[2]), flush=True)
"""
# Python's readline reads raw and asks for bracketed paste.
RAW = "import readline\n"
BY_READY = (Marks(), "^you>")
BY_IDLE = (Marks(idle="^you> "), None)
SHOWN = {"rows": ">", "box": ">", "gutter": "L1"}
Says = tuple[Marks, str | None]


def sit(desk: Desk, says: Says, *argv: str, shown: str = "you>") -> Target:
    """Start a command as a custom agent with these marks and wait for its prompt."""
    marks, ready = says
    kind = kind_of(dataclasses.replace(PLAIN, marks=marks, ready=Ready(ready)))
    target = desk.sit("a", argv=argv, kind=kind)
    show(desk, target, shown)
    return dataclasses.replace(target, ready=ready)


def show(desk: Desk, target: Target, shown: str) -> None:
    """Wait until the screen shows the words."""
    until(lambda: shown in desk.tmux.screen(target.pane).text(), what=shown)


def sent(desk: Desk, target: Target, text: str, *, force: bool = False) -> Receipt:
    """Deliver and return the receipt."""
    return deliver(desk.tmux, target, text, Options(force=force, timeout=20.0))


@pytest.mark.parametrize("reads", ["", RAW])
@pytest.mark.parametrize("says", [BY_READY, BY_IDLE])
@pytest.mark.parametrize(
    ("printed", "question"),
    [
        ("@@ -1 +1 @@", "(1/1) Stage this hunk [y,n,q,a,d,e,?]? "),
        ("one file", "What shall the file be named? "),
        ("1) all of it\n2) nothing", "Choice: "),
        ("one file\nWhat shall it be named?", ""),
    ],
)
def test_a_prompt_higher_up_is_no_input_line(
    desk: Desk, reads: str, says: Says, printed: str, question: str
) -> None:
    """A question is not answered by a text because an older prompt shows above it."""
    target = sit(desk, says, sys.executable, "-c", reads + ASKS, printed, question)
    desk.tmux.call("send-keys", "-t", target.pane, "go", "Enter")
    show(desk, target, (question or printed).splitlines()[-1].strip())

    got = sent(desk, target, "the next text")

    assert got.outcome is Outcome.REFUSED, got
    assert "TOOK" not in desk.tmux.screen(target.pane).text()


@pytest.mark.parametrize("reads", ["", RAW])
@pytest.mark.parametrize("says", [BY_READY, BY_IDLE])
def test_the_same_prompt_again_takes_the_next_text(
    desk: Desk, reads: str, says: Says
) -> None:
    """A program that answers and prompts again is typed into as often as wanted."""
    target = sit(desk, says, sys.executable, "-c", reads + LINES)

    for text in ("hello over there", "the next text"):
        got = sent(desk, target, text)
        assert got.outcome is Outcome.SUBMITTED, got
        show(desk, target, f"TOOK {text}\nyou>")


@pytest.mark.parametrize("reads", ["", RAW])
@pytest.mark.parametrize(
    "says", [BY_READY, BY_IDLE, (Marks(), "^you"), (Marks(), "> $")]
)
def test_a_draft_behind_any_prompt_that_is_told_is_left_alone(
    desk: Desk, reads: str, says: Says
) -> None:
    """With `ready` alone, too, nothing is glued to what somebody has half typed."""
    target = sit(desk, says, sys.executable, "-c", reads + LINES)
    desk.tmux.call("send-keys", "-t", target.pane, "-l", "rm -rf precious ")
    show(desk, target, "precious")

    got = sent(desk, target, "hello", force=True)

    assert got.outcome is Outcome.REFUSED, got
    assert "draft" in got.reason
    assert "TOOK" not in desk.tmux.screen(target.pane).text()


@pytest.mark.parametrize(
    ("stops", "prompt"),
    [
        ("breakpoint()", "(Pdb)"),
        ("import code; code.interact(banner='', local={})", ">>>"),
    ],
)
@pytest.mark.parametrize("says", [BY_READY, (Marks(idle="^you> "), r"^\(Pdb|^>>>")])
def test_an_interpreter_inside_an_agent_is_not_typed_into(
    desk: Desk, stops: str, prompt: str, says: Says
) -> None:
    """A debugger or REPL that the agent's own program has opened executes no text."""
    script = desk.base / "agent.py"
    script.write_text(f"input('you> ')\n{stops}\n")
    target = sit(desk, says, sys.executable, str(script))
    desk.tmux.call("send-keys", "-t", target.pane, "go", "Enter")
    show(desk, target, prompt)

    for force in (False, True):
        got = sent(desk, target, "open('PWNED', 'w')", force=force)
        assert got.outcome is Outcome.REFUSED, got
    assert "interpreter's prompt" in got.reason
    assert "PWNED" not in desk.tmux.screen(target.pane).text()


@pytest.mark.parametrize("force", [False, True])
def test_a_shell_by_another_name_is_not_typed_into(desk: Desk, force: bool) -> None:
    """A copy of a shell under any name shows a shell's prompt, which is believed."""
    shell = desk.base / "mysh"
    shutil.copy(shutil.which("bash") or "", shell)
    target = sit(desk, (Marks(), None), str(shell), "--norc", shown="mysh")

    got = sent(desk, target, "touch PWNED", force=force)

    assert got.outcome is Outcome.REFUSED, got
    assert "PWNED" not in desk.tmux.screen(target.pane).text()


@pytest.mark.parametrize("says", [(Marks(), r"^\$"), (Marks(idle=r"^\$ "), None)])
def test_an_agents_own_dollar_prompt_can_be_told(desk: Desk, says: Says) -> None:
    """Where the office file's pattern matches the row, `$ ` is the agent's input line."""
    script = "while True: print('TOOK', input('$ '), flush=True)"
    target = sit(desk, says, sys.executable, "-c", script, shown="$")

    assert sent(desk, target, "hello").outcome is Outcome.SUBMITTED
    show(desk, target, "TOOK hello")


@pytest.mark.parametrize(
    ("mode", "says"),
    [
        ("rows", (Marks(), None)),
        ("rows", (Marks(idle="^> "), None)),
        ("box", (Marks(), None)),
        ("box", (Marks(idle=r"^\| > "), None)),
        ("gutter", (Marks(), None)),
        ("gutter", (Marks(idle=r"^L\d+ "), None)),
    ],
)
def test_an_enter_that_begins_a_new_row_is_no_submission(
    desk: Desk, mode: str, says: Says
) -> None:
    """In an input of several rows the text still stands above the new row's prompt."""
    target = sit(desk, says, sys.executable, str(ODD), "a", mode, shown=SHOWN[mode])

    got = sent(desk, target, "hello world one")
    more = sent(desk, target, "another text")

    assert more.outcome is Outcome.REFUSED, more
    assert got.id in more.reason
    assert (got.outcome, got.enters) == (Outcome.UNPROVEN, 1), got
    assert "Enter began a new row below the text" in got.reason
    assert "Enter" not in (got.hint or "")
    assert desk.submitted("a") == []


@pytest.mark.parametrize("says", [(Marks(), None), (Marks(idle="^> "), None)])
def test_a_question_below_a_text_that_still_shows_is_no_submission(
    desk: Desk, says: Says
) -> None:
    """The text is where it was typed, and the cursor is at no prompt: it may wait there."""
    target = sit(desk, says, sys.executable, str(ODD), "a", "below", shown=">")

    got = sent(desk, target, "hello world one")

    assert (got.outcome, got.enters) == (Outcome.UNPROVEN, 1), got
    assert "still shows where it was typed" in got.reason
    assert "Enter" not in (got.hint or "")
    assert desk.submitted("a") == []


def test_a_line_editor_that_goes_to_work_has_taken_the_text(desk: Desk) -> None:
    """It gives the terminal its line mode back, though the text still shows above."""
    target = sit(
        desk, (Marks(), None), sys.executable, str(ODD), "a", "editor", shown=">"
    )

    got = sent(desk, target, "hello world one")

    assert (got.outcome, got.evidence) == (
        Outcome.SUBMITTED,
        "the program has closed its line editor",
    )
    assert desk.submitted("a") == ["hello world one"]


def test_a_line_that_is_thrown_away_unread_is_no_submission(desk: Desk) -> None:
    """The terminal's queue is empty, but the program has not read what was in it."""
    target = sit(
        desk, (Marks(), None), sys.executable, str(ODD), "a", "flush", shown="at work"
    )

    got = sent(desk, target, "hello world one", force=True)

    assert got.outcome is Outcome.UNPROVEN, got
    assert "did not read it" in got.reason


@pytest.mark.parametrize(
    "then", ["sleep 600", "exec sh -i", "exec {again}", "while :; do {again}; done"]
)
def test_a_program_that_crashes_at_enter_has_taken_nothing(
    desk: Desk, then: str
) -> None:
    """What a wrapper shows afterwards is no sign of it, be it a shell or a new run."""
    again = shlex.join((sys.executable, str(ODD), "a", "crash"))
    shell = f"{again}; {then.format(again=again)}"
    target = sit(desk, (Marks(), None), "sh", "-c", shell, shown=">")

    got = sent(desk, target, "hello world one")

    assert got.outcome is Outcome.UNPROVEN, got
    assert "Enter was pressed" in got.reason
    assert desk.submitted("a") == []


@pytest.mark.parametrize("mode", ["limit", "modal"])
def test_a_text_of_which_only_a_part_shows_is_not_submitted(
    desk: Desk, mode: str
) -> None:
    """Half a request may ask for the opposite: Enter is not pressed."""
    target = sit(desk, (Marks(), None), sys.executable, str(ODD), "a", mode, shown=">")

    got = sent(desk, target, "please do it now and never the other")

    assert (got.outcome, got.enters) == (Outcome.UNPROVEN, 0), got
    assert "does not show whole" in got.reason
    assert desk.submitted("a") == []
