"""Gemini CLI is read as it was recorded, and its words are not taken for its state."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtmux.agents.base import Activity, Reading
from mdtmux.agents.gemini import GEMINI
from mdtmux.errors import Refused
from mdtmux.system.screen import Screen
from tests.agents.recorded import inserted, made, names, recorded

EMPTY = ">   Type your message"
# Name, activity, dialog, draft, a part of the evidence.
READ: list[tuple[str, str, str | None, str | None, str]] = [
    ("idle", "idle", None, "", EMPTY),
    ("idle-200x50", "idle", None, "", EMPTY),
    ("idle-50x15", "idle", None, "", EMPTY),
    ("idle-truecolor", "idle", None, "", EMPTY),
    ("idle-after", "idle", None, "", EMPTY),
    ("idle-after-200x50", "idle", None, "", EMPTY),
    ("idle-after-50x15", "idle", None, "", EMPTY),
    ("yolo", "idle", None, "", "*   Type your message"),
    ("quotes", "idle", None, "", "*   Type your message"),
    ("denied", "idle", None, "", EMPTY),
    ("interrupted", "idle", None, "", EMPTY),
    ("shortcuts", "idle", None, "", EMPTY),
    ("menu-help", "idle", None, "", EMPTY),
    ("draft", "idle", None, "a human types this", "> a human"),
    ("draft-200x50", "idle", None, "a human types this", "> a human"),
    ("draft-50x15", "idle", None, "a human types this", "> a human"),
    ("draft-lines", "idle", None, "line one\nline two", "> line one"),
    ("draft-blank", "idle", None, "one\n\n\nlast", "> one"),
    ("draft-pasted", "idle", None, "[Pasted Text: 31 lines]", "> [Pasted"),
    ("slash-menu", "idle", None, "/", "> /"),
    ("error-401", "idle", None, "", '"message":"scripted error 401"'),
    ("busy", "busy", None, "", "Thinking... (esc to cancel, 1s)"),
    ("busy-200x50", "busy", None, "", "Thinking... (esc to cancel, 1s)"),
    ("busy-50x15", "busy", None, "", "Thinking... (esc to cancel, 1s)"),
    ("busy-draft", "busy", None, "more work", "Thinking... (esc to cancel, 2s)"),
    ("busy-nocolor", "busy", None, "", "Thinking... (esc to cancel, 5s)"),
    ("busy-truecolor", "busy", None, "", "Thinking... (esc to cancel, 2s)"),
    ("draft-nocolor", "idle", None, "line one\nline two", "> line one"),
    ("draft-truecolor", "idle", None, "line one\nline two", "> line one"),
    ("yolo-busy", "busy", None, "", "Thinking... (esc to cancel, 2s)"),
    ("retrying-429", "busy", None, "", "Thinking... (esc to cancel, 3m 12s)"),
    ("limit", "limited", "limit", None, "Usage limit reached for all Pro models."),
    ("limit-switch", "limited", "limit", None, "Usage limit reached for gemini-3.5"),
    ("limit-stopped", "limited", None, "", "exhausted your daily quota"),
    ("approval-run", "waiting", "approval", None, "Allow execution of [Shell]?"),
    ("approval-run-200x50", "waiting", "approval", None, "Allow execution of"),
    ("approval-run-50x15", "waiting", "approval", None, "Allow execution of"),
    ("approval-write", "waiting", "approval", None, "Apply this change?"),
    ("question", "waiting", "question", None, "Which one?"),
    ("trust", "waiting", "trust", None, "Do you trust the files in this folder?"),
    ("trust-50x15", "waiting", "trust", None, "Do you trust the files in this"),
    ("loop", "waiting", "menu", None, "disable it for this session?"),
    ("menu-auth", "waiting", "login", None, "How would you like to authenticate"),
    ("menu-model", "waiting", "menu", None, "Select Model"),
    ("menu-settings", "waiting", "menu", None, "Settings"),
    ("menu-theme", "waiting", "menu", None, "Select Theme"),
]


@pytest.mark.parametrize(
    ("name", "activity", "dialog", "draft", "evidence"), READ, ids=[r[0] for r in READ]
)
def test_a_recorded_screen_is_read(
    name: str, activity: str, dialog: str | None, draft: str | None, evidence: str
) -> None:
    """Each recorded state gives its activity, dialog, draft and evidence."""
    reading = GEMINI.read(recorded(f"gemini-{name}"))
    accepts = dialog is None
    assert reading == Reading(
        Activity(activity), reading.evidence, dialog, draft, accepts
    )
    assert evidence in reading.evidence


@pytest.mark.parametrize(
    ("name", "draft"), [("shell-mode", "!"), ("shell-draft", "!ls")]
)
def test_shell_mode_accepts_nothing(name: str, draft: str) -> None:
    """In shell mode the input line is not one for prompts."""
    reading = GEMINI.read(recorded(f"gemini-{name}"))
    assert (reading.accepts, reading.draft) == (False, draft)


def test_every_recording_is_expected() -> None:
    """No recorded screen is left without an expectation."""
    expected = {f"gemini-{row[0]}" for row in READ}
    shell = {"gemini-shell-mode", "gemini-shell-draft"}
    assert set(names("gemini")) == expected | shell


COLOURLESS = [row[0] for row in READ]


def says(screen: Screen, *lines: str) -> Screen:
    """Return the screen after the agent has said these lines, above its input box."""
    rule = "─" * screen.width
    top = max(n for n, line in enumerate(screen.lines) if line == rule)
    place = max(n for n, line in enumerate(screen.lines[:top]) if not line.strip())
    # A full screen scrolls: as many rows leave at its top.
    first = f"\x1b[38;5;183m✦ \x1b[38;5;231m{lines[0]}"
    rows = ["", first, *(f"  {line}" for line in lines[1:])]
    grown = inserted(screen, place, rows)
    scrolled = made(
        list(grown.styled[len(rows) :]),
        (screen.cursor_x, screen.cursor_y),
        (screen.width, screen.height),
    )
    return replace(scrolled, title=screen.title)


QUOTES = [
    ("? Shell  touch x", "Allow execution of [Shell]?", "● 1. Allow once"),
    ("Which one?", "● 1.  Alpha", "Enter to select · ↑/↓ to navigate · Esc to cancel"),
    ("⠼ Thinking... (esc to cancel, 3s)",),
    ("x", "⠼ Thinking... (esc to cancel, 3s)"),
    ("x", "\x1b[38;5;217m✕ [API Error: 429 quota]\x1b[39m"),
    ("\x1b[38;5;217m✕ [API Error: You have exhausted your daily quota]\x1b[39m",),
    ("╭──────────╮", "│ Usage limit reached for x │", "│ ● 1. Stop", "╰──────────╯"),
    ("╭──────────╮", "│ Do you trust the files in this folder?", "╰──────────╯"),
    ("─" * 110, " Shift+Tab to accept edits", "", "> a draft of somebody", ""),
    ("Usage limit reached for gemini-3.5", "● 1. Keep trying", "  2. Stop"),
]


@pytest.mark.parametrize("lines", QUOTES, ids=[q[-1][:30] for q in QUOTES])
@pytest.mark.parametrize(
    "state", ["idle-after", "idle-after-50x15", "busy", "draft-lines", "draft-blank"]
)
def test_what_the_agent_says_is_not_its_state(
    state: str, lines: tuple[str, ...]
) -> None:
    """Menus, limits and boxes in the agent's own text change nothing."""
    screen = recorded(f"gemini-{state}")
    assert GEMINI.read(says(screen, *lines)) == GEMINI.read(screen)


@given(
    st.lists(st.text(st.characters(exclude_categories=["C"])), min_size=1, max_size=9)
)
def test_no_text_of_the_agent_changes_its_state(lines: list[str]) -> None:
    """Whatever an idle agent has said, it is idle and its input line is empty."""
    screen = recorded("gemini-idle-after")
    assert GEMINI.read(says(screen, *lines)) == GEMINI.read(screen)


@pytest.mark.parametrize("dialog", ["approval-run", "approval-write", "question"])
@pytest.mark.parametrize("lines", QUOTES, ids=[q[-1][:30] for q in QUOTES])
def test_what_was_said_does_not_name_a_dialog(
    dialog: str, lines: tuple[str, ...]
) -> None:
    """An open dialog is the one it is, whatever stands above it."""
    screen = recorded(f"gemini-{dialog}")
    above = inserted(screen, 0, [f"  {line}" for line in lines])
    assert GEMINI.read(above) == GEMINI.read(screen)


@pytest.mark.parametrize("title", ["✋  Action Required (repo)"])
def test_a_title_that_asks_is_waiting(title: str) -> None:
    """Whatever else the screen shows: nothing is typed then."""
    screen = replace(recorded("gemini-idle-after"), title=title)
    reading = GEMINI.read(screen)
    assert (reading.activity, reading.accepts) == (Activity.WAITING, False)


@pytest.mark.parametrize("state", ["idle-after", "denied", "error-401"])
def test_a_title_that_works_is_busy(state: str) -> None:
    """The row with the seconds may be missing, or be in another language."""
    screen = replace(recorded(f"gemini-{state}"), title="✦  Working… (repo)")
    reading = GEMINI.read(screen)
    assert (reading.activity, reading.evidence) == (Activity.BUSY, "✦  Working… (repo)")


@pytest.mark.parametrize("name", COLOURLESS)
def test_colours_are_not_needed(name: str) -> None:
    """With NO_COLOR the rows tell; only a suggestion cannot be told from a draft then."""
    screen = recorded(f"gemini-{name}")
    assert GEMINI.read(replace(screen, styled=screen.lines)) == GEMINI.read(screen)


@pytest.mark.parametrize("name", [row[0] for row in READ if row[1] != "idle"])
def test_a_title_is_not_needed(name: str) -> None:
    """Where the CLI does not set the title, the rows tell."""
    screen = recorded(f"gemini-{name}")
    untitled = GEMINI.read(replace(screen, title=""))
    assert untitled == GEMINI.read(screen)


@pytest.mark.parametrize("name", [row[0] for row in READ if row[1] != "idle"])
def test_a_half_painted_screen_is_not_idle(name: str) -> None:
    """A screen of which the lower rows are missing does not turn an agent idle."""
    screen = recorded(f"gemini-{name}")
    for last in range(len(screen.styled)):
        cut = list(screen.styled[:last])
        cursor = (screen.cursor_x, screen.cursor_y)
        reading = GEMINI.read(made(cut, cursor, (screen.width, screen.height)))
        assert reading.activity is not Activity.IDLE


@pytest.mark.parametrize("name", ["menu-theme", "menu-model", "trust"])
def test_a_dialog_without_its_lower_edge_is_unknown(name: str) -> None:
    """Rows of a frame alone prove nothing."""
    screen = recorded(f"gemini-{name}")
    end = max(n for n, line in enumerate(screen.lines) if line.strip())
    cut = made(list(screen.styled[:end]), size=(screen.width, screen.height))
    assert GEMINI.read(cut).activity is Activity.UNKNOWN


def test_without_its_rule_a_prompt_is_no_input_box() -> None:
    """A prompt of the past looks like the box: the rule above it is what counts."""
    screen = recorded("gemini-idle-after")
    rows = [row for row in screen.styled if "─" * 20 not in row]
    size = (screen.width, screen.height)
    assert GEMINI.read(made(rows, size=size)).activity is Activity.UNKNOWN


def test_a_program_that_has_ended_is_unknown() -> None:
    """What a dead pane shows is history."""
    screen = replace(recorded("gemini-idle-after"), dead=True)
    assert GEMINI.read(screen) == Reading(
        Activity.UNKNOWN, "", None, None, accepts=False
    )


@given(st.lists(st.text(max_size=60), max_size=30), st.text(max_size=5))
def test_any_screen_can_be_read(rows: list[str], title: str) -> None:
    """No screen makes reading raise."""
    screen = made([row.replace("\n", " ") for row in rows], title=title)
    GEMINI.read(screen)
    GEMINI.holds(screen, "text")


def test_a_file_that_quotes_a_dialog_is_an_approval() -> None:
    """What is to be written stands in a frame of its own, which names nothing."""
    screen = recorded("gemini-approval-write")
    quote = "Usage limit reached for x"
    styled = [row.replace("written for made.txt", quote) for row in screen.styled]
    for title in (screen.title, ""):
        reading = GEMINI.read(replace(made(styled, size=(120, 40)), title=title))
        assert (reading.activity, reading.dialog) == (Activity.WAITING, "approval")


def test_a_prompt_close_above_the_rule_is_not_its_status() -> None:
    """A prompt of the past begins with its sign, a status with a spinner."""
    screen = recorded("gemini-idle-after")
    top = max(n for n, line in enumerate(screen.lines) if line == "─" * 120)
    said = inserted(screen, top, [" > wait a bit (esc to cancel, 3s)"])
    assert GEMINI.read(said).activity is Activity.IDLE


def test_a_rule_far_above_a_prompt_makes_no_box() -> None:
    """The box follows its rule closely."""
    rows = ["─" * 120, *([" note"] * 8), " > a prompt of the past", "", " footer"]
    assert GEMINI.read(made(rows, size=(120, 40))).activity is Activity.UNKNOWN


def test_an_error_before_the_last_prompt_is_over() -> None:
    """A prompt that came after it and was interrupted leaves an idle agent."""
    screen = recorded("gemini-limit-stopped")
    place = max(n for n, line in enumerate(screen.lines) if "details." in line) + 1
    after = inserted(screen, place, ["", " > go on", "", "\u2139 Request cancelled."])
    assert GEMINI.read(screen).activity is Activity.LIMITED
    assert GEMINI.read(after).activity is Activity.IDLE


@pytest.mark.parametrize(
    "text", ["  Press 'i' for INSERT mode.", "  Press 'Esc' for NORMAL mode."]
)
def test_a_hint_of_its_vim_mode_is_no_draft(text: str) -> None:
    """The empty box shows how to begin."""
    screen = recorded("gemini-idle-after")
    hint = "  Type your message or @path/to/file"
    styled = [row.replace(hint, text) for row in screen.styled]
    assert styled != list(screen.styled)
    assert GEMINI.read(made(styled, size=(120, 40))).draft == ""


def test_a_hint_that_a_human_has_typed_is_a_draft() -> None:
    """Typed text begins right behind the sign."""
    screen = recorded("gemini-idle-after")
    styled = [row.replace("  Type your", "Type your") for row in screen.styled]
    reading = GEMINI.read(made(styled, size=(120, 40)))
    assert reading.draft == "Type your message or @path/to/file"


def test_a_box_between_rules_is_read() -> None:
    """Without colours the box has rules above and below in place of its ground."""
    screen = recorded("gemini-draft-lines")
    first = max(n for n, line in enumerate(screen.lines) if line == " > line one")
    styled = list(screen.styled)
    styled[first - 1] = styled[first + 2] = "─" * screen.width
    reading = GEMINI.read(made(styled, size=(120, 40)))
    assert (reading.activity, reading.draft) == (Activity.IDLE, "line one\nline two")


# Verified against 0.61.0: with this text in the box, one Enter submits it.
LITERAL = [
    ("hello", "hello"),
    ("# Title\nbody", "# Title\nbody"),
    ("/etc/hosts is a file", "/etc/hosts is a file"),
    ("// comment", "// comment"),
    ("/* c */", "/* c */"),
    ("!ls", " !ls"),
    ("?", "?"),
    ("look at @README", "look at @README "),
    ("@README.md please", "@README.md please"),
    ("mail me@example.com", "mail me@example.com"),
    ("a path C:\\", "a path C:\\ "),
    ("exit", "exit"),
    ("quit", "quit"),
]


@pytest.mark.parametrize(("text", "arrives"), LITERAL)
def test_a_text_is_typed_so_that_it_arrives(text: str, arrives: str) -> None:
    """What would open a shell or a list of completions is kept from doing so."""
    assert GEMINI.literal(text) == arrives


@pytest.mark.parametrize(
    "text", ["/help", " /help", "\n/help", "/help\nmore", "/tmp", "  /quit", "/"]
)
def test_a_command_is_refused(text: str) -> None:
    """Nothing escapes a slash command; `/tmp` is completed to one."""
    with pytest.raises(Refused, match="for a command"):
        GEMINI.literal(text)


HOLDS = [
    ("draft", "a human types this", True),
    ("draft", "quite another text", None),
    ("draft-lines", "line one\nline two", True),
    ("draft-blank", "one\n\n\nlast", True),
    ("draft-pasted", "word line\n" * 30 + "end", True),
    ("idle-after", "gone", False),
    ("idle", "Type your message or @path/to/file", False),
    ("approval-run", "text", None),
]


@pytest.mark.parametrize(("name", "text", "held"), HOLDS)
def test_the_input_box_tells_whether_it_holds_a_text(
    name: str, text: str, held: bool | None
) -> None:
    """Text and placeholders are held; a hint is not; a dialog does not tell."""
    assert GEMINI.holds(recorded(f"gemini-{name}"), text) is held
