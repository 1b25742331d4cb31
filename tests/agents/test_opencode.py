"""OpenCode is read as it was recorded, and its words are not taken for its state."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtmux.agents.base import Activity, Reading
from mdtmux.agents.opencode import OPENCODE
from mdtmux.errors import Refused
from mdtmux.system.screen import Screen
from tests.agents.recorded import inserted, made, names, recorded

MODE = "Build · Fake Model"
RETRY = "[retrying in"
# Name, activity, dialog, draft, a part of the evidence.
READ: list[tuple[str, str, str | None, str | None, str]] = [
    ("idle", "idle", None, "", MODE),
    ("idle-200x50", "idle", None, "", MODE),
    ("idle-50x15", "idle", None, "", MODE),
    ("idle-after", "idle", None, "", MODE),
    ("denied", "idle", None, "", MODE),
    ("interrupted", "idle", None, "", MODE),
    ("error-toast", "idle", None, "", MODE),
    ("firstrun", "idle", None, "", "Big Pickle OpenCode Zen"),
    ("draft", "idle", None, "a human types this", MODE),
    ("draft-home", "idle", None, "a human types this", MODE),
    ("draft-lines", "idle", None, "line one\nline two", MODE),
    ("draft-pasted", "idle", None, "[Pasted ~30 lines]", MODE),
    ("slash-menu", "idle", None, "/", MODE),
    ("busy", "busy", None, "", "esc interrupt"),
    ("busy-esc", "busy", None, "", "esc again to interrupt"),
    ("busy-200x50", "busy", None, "", "esc interrupt"),
    ("busy-50x15", "busy", None, "", "⬝⬝⬝⬝"),
    ("retrying", "busy", None, "", f"Internal server error {RETRY}"),
    ("limit-retrying", "limited", None, "", f"rate limit {RETRY}"),
    ("limit", "limited", None, "", f"The usage limit has been reached {RETRY}"),
    ("approval-write", "waiting", "approval", None, "→ Edit b.txt"),
    ("approval-run", "waiting", "approval", None, "# Shell command"),
    ("approval-200x50", "waiting", "approval", None, "# Shell command"),
    ("approval-external", "waiting", "approval", None, "external directory /etc"),
    ("approval-always", "waiting", "approval", None, "△ Always allow"),
    ("question", "waiting", "question", None, "Which option should I use?"),
    ("palette", "waiting", "menu", None, "Commands"),
    ("help", "waiting", "menu", None, "Help"),
    ("sessions", "waiting", "menu", None, "Sessions"),
    ("menu-200x50", "waiting", "menu", None, "Select model"),
]


@pytest.mark.parametrize(
    ("name", "activity", "dialog", "draft", "evidence"), READ, ids=[r[0] for r in READ]
)
def test_a_recorded_screen_is_read(
    name: str, activity: str, dialog: str | None, draft: str | None, evidence: str
) -> None:
    """Each recorded state gives its activity, dialog, draft and evidence."""
    reading = OPENCODE.read(recorded(f"opencode-{name}"))
    accepts = dialog is None
    assert reading == Reading(
        Activity(activity), reading.evidence, dialog, draft, accepts
    )
    assert evidence in reading.evidence


def test_shell_mode_accepts_nothing() -> None:
    """In shell mode the input line is not one for prompts."""
    reading = OPENCODE.read(recorded("opencode-shell-mode"))
    assert (reading.accepts, reading.draft) == (False, "!")


def test_before_the_first_paint_it_is_unknown() -> None:
    """Text sent now would be lost."""
    reading = OPENCODE.read(recorded("opencode-booting"))
    assert (reading.activity, reading.accepts) == (Activity.UNKNOWN, False)


def test_every_recording_is_expected() -> None:
    """No recorded screen is left without an expectation."""
    expected = {f"opencode-{row[0]}" for row in READ}
    assert set(names("opencode")) == expected | {
        "opencode-shell-mode",
        "opencode-booting",
    }


def says(screen: Screen, *lines: str) -> Screen:
    """Return the screen after the agent has said these lines, above its input box."""
    end = next(row for row, line in enumerate(screen.lines) if "╹▀▀▀" in line)
    top = end
    while screen.lines[top - 1].strip().startswith("┃"):
        top -= 1
    # A full screen scrolls: as many rows leave at its top.
    rows = [f"     {line}" for line in lines]
    grown = inserted(screen, top - 1, rows)
    return made(
        list(grown.styled[len(rows) :]),
        (screen.cursor_x, screen.cursor_y),
        (screen.width, screen.height),
    )


QUOTES = [
    ("△ Permission required", "  # Shell command", " Allow once   Allow always"),
    ("1. Alpha", "2. Beta", "↑↓ select  enter submit  esc dismiss"),
    ("The usage limit has been reached [retrying in 7s attempt #3]  esc interrupt",),
    ("⬝⬝⬝⬝⬝⬝⬝⬝  esc interrupt",),
    ("Commands                                     esc",),
    ("┃", "┃  Ask anything…", "┃", "┃  Build · Model", "╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀"),
    ("┃", "┃  △ Permission required", "┃   Allow once   Reject  enter confirm", "┃"),
]


@pytest.mark.parametrize("lines", QUOTES, ids=[q[-1][:30] for q in QUOTES])
@pytest.mark.parametrize("state", ["idle-after", "busy", "draft"])
def test_what_the_agent_says_is_not_its_state(
    state: str, lines: tuple[str, ...]
) -> None:
    """Menus, limits and boxes in the agent's own text change nothing."""
    screen = recorded(f"opencode-{state}")
    assert OPENCODE.read(says(screen, *lines)) == OPENCODE.read(screen)


@given(
    st.lists(st.text(st.characters(exclude_categories=["C"])), min_size=1, max_size=9)
)
def test_no_text_of_the_agent_changes_its_state(lines: list[str]) -> None:
    """Whatever an idle agent has said, it is idle and its input line is empty."""
    screen = recorded("opencode-idle-after")
    assert OPENCODE.read(says(screen, *lines)) == OPENCODE.read(screen)


def test_a_dialog_above_which_a_box_is_quoted_is_waiting() -> None:
    """An open dialog is seen although the agent has drawn an input box before."""
    quoted = ["     ┃", "     ┃  x", "     ┃  Build", "     ╹" + "▀" * 40, ""]
    screen = inserted(recorded("opencode-approval-run"), 0, quoted)
    assert OPENCODE.read(screen).dialog == "approval"


def test_a_cursor_outside_the_box_accepts_nothing() -> None:
    """Without the cursor in its input box the reading is unknown."""
    screen = replace(recorded("opencode-idle-after"), cursor_x=0, cursor_y=0)
    reading = OPENCODE.read(screen)
    assert (reading.activity, reading.accepts) == (Activity.UNKNOWN, False)


def test_a_suggestion_that_a_human_has_typed_is_a_draft() -> None:
    """The text of the placeholder with the cursor behind it was typed."""
    screen = replace(recorded("opencode-idle"), cursor_x=60)
    assert OPENCODE.read(screen).draft == 'Ask anything… "Fix a TODO in the codebase"'


@pytest.mark.parametrize("name", [row[0] for row in READ if row[1] != "idle"])
def test_a_half_painted_screen_is_not_idle(name: str) -> None:
    """A screen of which the lower rows are missing does not turn an agent idle."""
    screen = recorded(f"opencode-{name}")
    for last in range(len(screen.styled)):
        cut = list(screen.styled[:last])
        cursor = (screen.cursor_x, screen.cursor_y)
        reading = OPENCODE.read(made(cut, cursor, (screen.width, screen.height)))
        assert reading.activity is not Activity.IDLE


@given(st.lists(st.text(max_size=60), max_size=30))
def test_any_screen_can_be_read(rows: list[str]) -> None:
    """No screen makes reading raise."""
    screen = made([row.replace("\n", " ") for row in rows])
    OPENCODE.read(screen)
    OPENCODE.holds(screen, "text")


# Verified against 1.18.33: with this text in the box, one Enter submits it.
LITERAL = [
    ("hello", "hello"),
    ("# Title\nbody", "# Title\nbody"),
    ("/help", " /help"),
    ("/init\nmore", " /init\nmore"),
    ("/tmp", " /tmp"),
    ("!ls", " !ls"),
    ("look at @README.md", "look at @README.md "),
    ("a\n@READ", "a\n@READ "),
    ("mail me@example.com", "mail me@example.com"),
    ("@README.md please", "@README.md please"),
    ("exit\nx", "exit\nx"),
    ("EXIT", "EXIT"),
]


@pytest.mark.parametrize(("text", "typed"), LITERAL)
def test_a_text_is_typed_so_that_it_arrives(text: str, typed: str) -> None:
    """What would open a shell or a list of completions is kept from doing so."""
    assert OPENCODE.literal(text) == typed


@pytest.mark.parametrize("text", ["exit", "quit", ":q", "exit \n"])
def test_a_word_that_ends_the_program_is_refused(text: str) -> None:
    """`exit` alone is never a prompt."""
    with pytest.raises(Refused, match="for a command"):
        OPENCODE.literal(text)


HOLDS = [
    ("draft", "a human types this", True),
    ("draft", "quite another text", None),
    ("draft-lines", "line one\nline two", True),
    ("draft-pasted", "word line\n" * 30, True),
    ("idle-after", "gone", False),
    ("idle", 'Ask anything… "Fix a TODO in the codebase"', False),
    ("approval-run", "text", None),
]


@pytest.mark.parametrize(("name", "text", "held"), HOLDS)
def test_the_input_box_tells_whether_it_holds_a_text(
    name: str, text: str, held: bool | None
) -> None:
    """Text and placeholders are held; a suggestion is not; a dialog does not tell."""
    assert OPENCODE.holds(recorded(f"opencode-{name}"), text) is held
