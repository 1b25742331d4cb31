"""OpenClaw is read as it was recorded, and its words are not taken for its state."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtmux.agents.base import Activity, Reading
from mdtmux.agents.openclaw import OPENCLAW
from mdtmux.system.screen import Screen
from tests.agents.recorded import inserted, made, names, recorded

IDLE = " local ready | idle"
WRAPPED = "a human types words that wrap over the rows of a\nnarrow screen"
LIMIT = "run error: ⚠️ The usage limit has been reached: quota exhausted"
# Name, activity, dialog, draft, a part of the evidence.
READ: list[tuple[str, str, str | None, str | None, str]] = [
    ("idle", "idle", None, "", IDLE),
    ("idle-200x50", "idle", None, "", IDLE),
    ("idle-50x15", "idle", None, "", IDLE),
    ("idle-after", "idle", None, "", IDLE),
    ("tool-run", "idle", None, "", IDLE),
    ("shell-refused", "idle", None, "", IDLE),
    ("interrupted", "idle", None, "", " local ready | aborted"),
    ("draft", "idle", None, "a human types this", IDLE),
    ("draft-50x15", "idle", None, WRAPPED, IDLE),
    ("draft-lines", "idle", None, "line one\nline two\n\nline four", IDLE),
    ("draft-pasted", "idle", None, "[paste #1 +301 lines]", IDLE),
    ("slash-menu", "idle", None, "/", IDLE),
    ("error-401", "idle", None, "", "auth or provider access failed for scripted."),
    ("busy", "busy", None, "", " ⠴ running • 0s | local ready"),
    ("busy-50x15", "busy", None, "", " ⠏ moseying… • 1s | local ready"),
    ("busy-draft", "busy", None, "queued words", " ⠹ running • 0s | local ready"),
    ("busy-queued", "busy", None, "", " ⠴ bamboozling… • 0s | local ready"),
    ("busy-tool", "busy", None, "", " ⠧ running • 2s | local ready"),
    ("retrying", "busy", None, "", " ⠙ finishing context • 4s | local ready"),
    ("limit", "limited", None, "", LIMIT),
    ("limit-50x15", "limited", None, "", LIMIT),
    ("menu-model", "waiting", "menu", None, "search: >"),
    ("menu-session", "waiting", "menu", None, "Filter: >"),
    ("menu-settings", "waiting", "menu", None, "a panel is open"),
    ("shell-ask", "waiting", "menu", None, "search: >"),
]


@pytest.mark.parametrize(
    ("name", "activity", "dialog", "draft", "evidence"), READ, ids=[r[0] for r in READ]
)
def test_a_recorded_screen_is_read(
    name: str, activity: str, dialog: str | None, draft: str | None, evidence: str
) -> None:
    """Each recorded state gives its activity, dialog, draft and evidence."""
    reading = OPENCLAW.read(recorded(f"openclaw-{name}"))
    accepts = dialog is None
    assert reading == Reading(
        Activity(activity), reading.evidence, dialog, draft, accepts
    )
    assert evidence in reading.evidence


def test_a_shell_line_accepts_nothing() -> None:
    """A draft that a shell would run is none for prompts."""
    reading = OPENCLAW.read(recorded("openclaw-shell-draft"))
    assert (reading.accepts, reading.draft) == (False, "!ls")


def test_every_recording_is_expected() -> None:
    """No recorded screen is left without an expectation."""
    expected = {f"openclaw-{row[0]}" for row in READ} | {"openclaw-shell-draft"}
    assert set(names("openclaw-")) == expected


def says(screen: Screen, *lines: str) -> Screen:
    """Return the screen after the agent has said these lines in its last turn.

    They stand above the CLI's own rows: the error and what the agent does.
    """
    own = OPENCLAW.read(screen).evidence[:12]
    rows = [row for row, line in enumerate(screen.lines) if own in line]
    grown = inserted(screen, rows[-1], ["\x1b[0m", *lines, ""])
    cursor, size = (screen.cursor_x, grown.cursor_y), (screen.width, grown.height)
    return made(list(grown.styled), cursor, size, screen.title)


ABOUT = " agent main | session one | scripted | deliver:off | tokens 9/200k (0%)"
QUOTES = [
    (" ⠴ running • 9s | local ready", ABOUT),
    (IDLE, ABOUT, "─" * 120, "", "─" * 120),
    (LIMIT, " local ready | error", ABOUT),
    ("run error: 429 too many requests",),
    ("─" * 120, "!ls", "─" * 120),
]
STATES = ("idle-after", "busy", "busy-tool", "draft", "limit", "interrupted")


@pytest.mark.parametrize("lines", QUOTES, ids=[q[0][:30] for q in QUOTES])
@pytest.mark.parametrize("state", STATES)
def test_what_the_agent_says_is_not_its_state(
    state: str, lines: tuple[str, ...]
) -> None:
    """Boxes, limits and signs of work in the agent's own text change nothing."""
    screen = recorded(f"openclaw-{state}")
    assert OPENCLAW.read(says(screen, *lines)) == OPENCLAW.read(screen)


@given(
    st.lists(st.text(st.characters(exclude_categories=["C"])), min_size=1, max_size=9)
)
def test_no_text_of_the_agent_changes_its_state(lines: list[str]) -> None:
    """Whatever an idle agent has said, it is idle and its input box is empty."""
    screen = recorded("openclaw-idle-after")
    assert OPENCLAW.read(says(screen, *lines)) == OPENCLAW.read(screen)


@pytest.mark.parametrize("name", [row[0] for row in READ if row[1] != "idle"])
def test_a_half_painted_screen_is_not_idle(name: str) -> None:
    """A screen of which the lower rows are missing does not turn an agent idle."""
    screen = recorded(f"openclaw-{name}")
    for last in range(len(screen.styled)):
        cut = list(screen.styled[:last])
        cursor = (screen.cursor_x, screen.cursor_y)
        size = (screen.width, screen.height)
        reading = OPENCLAW.read(made(cut, cursor, size, screen.title))
        assert reading.activity is not Activity.IDLE


STATUS = [
    (" gateway connected | idle", "idle"),
    (" connected | tools expanded", "idle"),
    (" local ready | auth", "unknown"),
    (" starting local runtime | idle", "unknown"),
    (" gateway disconnected: closed | idle", "unknown"),
    (" ⠙ starting up • 1m 3s | gateway starting", "busy"),
]


@pytest.mark.parametrize(("status", "activity"), STATUS)
def test_only_a_state_that_is_known_is_idle(status: str, activity: str) -> None:
    """While it connects or asks for a login it is not ready."""
    screen = recorded("openclaw-idle")
    styled = [status if IDLE.strip() in row else row for row in screen.styled]
    shown = made(styled, (0, screen.cursor_y), (120, 40))
    reading = OPENCLAW.read(shown)
    assert (reading.activity, reading.accepts) == (activity, activity != "unknown")


def test_a_box_without_the_rows_above_it_is_unknown() -> None:
    """What stands at the end of the screen is not what the agent does."""
    rows = ["─" * 80, "", "─" * 80, *[""] * 20, IDLE]
    assert OPENCLAW.read(made(rows, (0, 1))).activity is Activity.UNKNOWN


def test_a_dead_pane_is_unknown() -> None:
    """What is left on the screen of a program that has ended is no state."""
    screen = replace(recorded("openclaw-idle-after"), dead=True)
    assert OPENCLAW.read(screen).activity is Activity.UNKNOWN


@given(st.lists(st.text(max_size=60), max_size=30), st.text(max_size=9))
def test_any_screen_can_be_read(rows: list[str], title: str) -> None:
    """No screen makes reading raise."""
    screen = made([row.replace("\n", " ") for row in rows], title=title)
    OPENCLAW.read(screen)
    OPENCLAW.holds(screen, "text")


# Verified against 2026.9.6: so typed, one Enter submits it as a prompt.
LITERAL = [
    ("hello", "hello"),
    ("stop", "stop"),
    ("/help", "\u200b/help"),
    ("\n/exit", "\u200b\n/exit"),
    ("/etc/hosts is a file", "/etc/hosts is a file"),
    ("!ls", "\u200b!ls"),
    ("look at @README", "look at @README "),
    ("a path C:\\", "a path C:\\ "),
]


@pytest.mark.parametrize(("text", "typed"), LITERAL)
def test_a_text_is_typed_so_that_it_arrives(text: str, typed: str) -> None:
    """What would be a command, a list of files or a break is kept from being one."""
    assert OPENCLAW.literal(text) == typed


HOLDS = [
    ("draft", "a human types this", True),
    ("draft", "quite another text", None),
    ("draft-pasted", "word line\n" * 300, True),
    ("idle-after", "gone", False),
    ("menu-model", "text", None),
]


@pytest.mark.parametrize(("name", "text", "held"), HOLDS)
def test_the_input_box_tells_whether_it_holds_a_text(
    name: str, text: str, held: bool | None
) -> None:
    """Text and placeholders are held; a panel does not tell."""
    assert OPENCLAW.holds(recorded(f"openclaw-{name}"), text) is held
