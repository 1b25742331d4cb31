"""Qwen Code is read as it was recorded, and its words are not taken for its state."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtmux.agents.base import Activity, Reading
from mdtmux.agents.qwen import QWEN
from mdtmux.errors import Refused
from mdtmux.system.screen import Screen
from tests.agents.recorded import inserted, made, names, recorded

EMPTY = ">   Type your message"
# Name, activity, dialog, draft, a part of the evidence.
READ: list[tuple[str, str, str | None, str | None, str]] = [
    ("idle", "idle", None, "", EMPTY),
    ("idle-200x50", "idle", None, "", EMPTY),
    ("idle-50x15", "idle", None, "", EMPTY),
    ("idle-after", "idle", None, "", EMPTY),
    ("idle-after-200x50", "idle", None, "", EMPTY),
    ("idle-after-50x15", "idle", None, "", EMPTY),
    ("old-idle-after", "idle", None, "", "*   Type your message"),
    ("yolo", "idle", None, "", "*   Type your message"),
    ("quotes", "idle", None, "", "* heard 1532 characters"),
    ("suggestion", "idle", None, "", "> heard 1532 characters"),
    ("denied", "idle", None, "", EMPTY),
    ("interrupted", "idle", None, "SLOW 20 please", "> SLOW 20"),
    ("draft", "idle", None, "a human types this", "> a human"),
    ("draft-200x50", "idle", None, "a human types this", "> a human"),
    ("draft-50x15", "idle", None, "a human types this", "> a human"),
    ("draft-lines", "idle", None, "line one\nline two", "> line one"),
    ("draft-blank", "idle", None, "one\n\n\nlast", "> one"),
    ("draft-pasted", "idle", None, "[Pasted Content 303 chars]", "> [Pasted"),
    ("slash-menu", "idle", None, "/", "> /"),
    ("error-401", "idle", None, "", "[API Error: 401 scripted error 401]"),
    ("shortcuts", "idle", None, "", "[API Error: 401"),
    ("busy", "busy", None, "", "Navigating the slime mold... (1s"),
    ("busy-200x50", "busy", None, "", "Engaging cognitive processors... (1s"),
    ("busy-50x15", "busy", None, "", "(1s · esc to cancel)"),
    ("busy-draft", "busy", None, "more work", "(2s · esc to cancel)"),
    ("busy-nocolor", "busy", None, "", "s · esc to cancel)"),
    ("busy-truecolor", "busy", None, "", "Poking the bear... (3s"),
    ("draft-nocolor", "idle", None, "line one\nline two", "> line one"),
    ("draft-truecolor", "idle", None, "line one\nline two", "> line one"),
    ("yolo-busy", "busy", None, "", "aligning the pixels... (1s"),
    ("old-busy", "busy", None, "", "existential crises... (1s"),
    ("retrying-429", "busy", None, "", "Confuzzling the options... (49s"),
    ("limit", "limited", None, "", "will reset at 18:00 Please retry after"),
    ("limit-retrying", "limited", None, "", "Rate limit reached for requests]"),
    ("approval-run", "waiting", "approval", None, "Allow execution of: 'touch'?"),
    ("approval-run-200x50", "waiting", "approval", None, "Allow execution of"),
    ("approval-run-50x15", "waiting", "approval", None, "Allow execution of"),
    ("approval-write", "waiting", "approval", None, "Apply this change?"),
    ("question", "waiting", "question", None, "Which one?"),
    ("trust", "waiting", "trust", None, "Do you trust this folder?"),
    ("trust-50x15", "waiting", "trust", None, "Trusting a folder allows"),
    ("loop", "waiting", "menu", None, "disable it for this session?"),
    ("menu-auth", "waiting", "login", None, "Connect a Provider"),
    ("menu-help", "waiting", "menu", None, "Qwen Code   general"),
    ("menu-model", "waiting", "menu", None, "Select Model"),
    ("menu-settings", "waiting", "menu", None, "Settings    Status"),
    ("menu-theme", "waiting", "menu", None, "Select Theme"),
]


@pytest.mark.parametrize(
    ("name", "activity", "dialog", "draft", "evidence"), READ, ids=[r[0] for r in READ]
)
def test_a_recorded_screen_is_read(
    name: str, activity: str, dialog: str | None, draft: str | None, evidence: str
) -> None:
    """Each recorded state gives its activity, dialog, draft and evidence."""
    reading = QWEN.read(recorded(f"qwen-{name}"))
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
    reading = QWEN.read(recorded(f"qwen-{name}"))
    assert (reading.accepts, reading.draft) == (False, draft)


def test_every_recording_is_expected() -> None:
    """No recorded screen is left without an expectation."""
    expected = {f"qwen-{row[0]}" for row in READ}
    shell = {"qwen-shell-mode", "qwen-shell-draft"}
    assert set(names("qwen")) == expected | shell


COLOURLESS = [row[0] for row in READ if row[0] not in ("suggestion", "quotes")]


def says(screen: Screen, *lines: str) -> Screen:
    """Return the screen after the agent has said these lines, above its input box."""
    rule = "─" * screen.width
    top = [n for n, line in enumerate(screen.lines) if line == rule][-2]
    place = max(n for n, line in enumerate(screen.lines[:top]) if not line.strip())
    # A full screen scrolls: as many rows leave at its top.
    first = [f"  \x1b[38;5;183m◆\ufe0e\x1b[39m {lines[0]}"]
    rows = ["", *first, *(f"    {line}" for line in lines[1:])]
    grown = inserted(screen, place, rows)
    scrolled = made(
        list(grown.styled[len(rows) :]),
        (screen.cursor_x, screen.cursor_y),
        (screen.width, screen.height),
    )
    return replace(scrolled, title=screen.title)


QUOTES = [
    ("? Shell touch x", "Allow execution of: 'touch'?", "\u203a 1. Yes, allow once"),
    ("⠏ Waiting for user confirmation...",),
    ("Which one?", "\u276f 1. Alpha", "↑/↓: Navigate | Enter: Select | Esc: Cancel"),
    ("⠼ Calibrating the flux capacitor... (3s · esc to cancel)",),
    ("\x1b[38;5;217m✕ [API Error: 429 quota] (Press Ctrl+Y to retry)\x1b[39m",),
    ("x", "\x1b[38;5;217m✕ [API Error: 429 rate limit reached]\x1b[39m"),
    ("✕ [API Error: 429 quota] (Retrying in 9s…)", "↻ Retrying in 9 seconds…"),
    (
        "╭──────────╮",
        "│ Do you trust this folder?",
        "│ \u203a 1. Trust",
        "╰──────────╯",
    ),
    ("─" * 100, ">   Type your message or @path/to/file", "─" * 100, "footer"),
    ("─" * 100, "> a draft of somebody", "─" * 100),
    ("Usage limit reached for qwen", "● 1. Keep trying"),
]


@pytest.mark.parametrize("lines", QUOTES, ids=[q[-1][:30] for q in QUOTES])
@pytest.mark.parametrize(
    "state", ["idle-after", "idle-after-50x15", "busy", "draft-lines", "suggestion"]
)
def test_what_the_agent_says_is_not_its_state(
    state: str, lines: tuple[str, ...]
) -> None:
    """Menus, limits and boxes in the agent's own text change nothing."""
    screen = recorded(f"qwen-{state}")
    assert QWEN.read(says(screen, *lines)) == QWEN.read(screen)


@given(
    st.lists(st.text(st.characters(exclude_categories=["C"])), min_size=1, max_size=9)
)
def test_no_text_of_the_agent_changes_its_state(lines: list[str]) -> None:
    """Whatever an idle agent has said, it is idle and its input line is empty."""
    screen = recorded("qwen-idle-after")
    assert QWEN.read(says(screen, *lines)) == QWEN.read(screen)


@pytest.mark.parametrize("dialog", ["approval-run", "approval-write", "question"])
@pytest.mark.parametrize("lines", QUOTES, ids=[q[-1][:30] for q in QUOTES])
def test_what_was_said_does_not_name_a_dialog(
    dialog: str, lines: tuple[str, ...]
) -> None:
    """An open dialog is the one it is, whatever stands above it."""
    screen = recorded(f"qwen-{dialog}")
    above = inserted(screen, 0, [f"    {line}" for line in lines])
    assert QWEN.read(above) == QWEN.read(screen)


@pytest.mark.parametrize("title", ["✳\ufe0e Qwen - repo", "✳ Qwen - repo"])
def test_a_title_that_asks_is_waiting(title: str) -> None:
    """Whatever else the screen shows: nothing is typed then."""
    screen = replace(recorded("qwen-idle-after"), title=title)
    reading = QWEN.read(screen)
    assert (reading.activity, reading.accepts) == (Activity.WAITING, False)


@pytest.mark.parametrize("state", ["idle-after", "denied", "error-401"])
def test_a_title_that_works_is_busy(state: str) -> None:
    """The row with the seconds may be missing, or be in another language."""
    screen = replace(recorded(f"qwen-{state}"), title="◐\ufe0e Qwen - repo")
    reading = QWEN.read(screen)
    assert (reading.activity, reading.evidence) == (
        Activity.BUSY,
        "◐\ufe0e Qwen - repo",
    )


@pytest.mark.parametrize("name", COLOURLESS)
def test_colours_are_not_needed(name: str) -> None:
    """With NO_COLOR the rows tell; only a suggestion cannot be told from a draft then."""
    screen = recorded(f"qwen-{name}")
    assert QWEN.read(replace(screen, styled=screen.lines)) == QWEN.read(screen)


@pytest.mark.parametrize("name", [row[0] for row in READ if row[1] != "idle"])
def test_a_title_is_not_needed(name: str) -> None:
    """Where the CLI does not set the title, the rows tell."""
    screen = recorded(f"qwen-{name}")
    untitled = QWEN.read(replace(screen, title=""))
    assert untitled == QWEN.read(screen)


@pytest.mark.parametrize("name", [row[0] for row in READ if row[1] != "idle"])
def test_a_half_painted_screen_is_not_idle(name: str) -> None:
    """A screen of which the lower rows are missing does not turn an agent idle."""
    screen = recorded(f"qwen-{name}")
    for last in range(len(screen.styled)):
        cut = list(screen.styled[:last])
        cursor = (screen.cursor_x, screen.cursor_y)
        reading = QWEN.read(made(cut, cursor, (screen.width, screen.height)))
        assert reading.activity is not Activity.IDLE


@pytest.mark.parametrize("name", ["menu-theme", "menu-model", "trust"])
def test_a_dialog_without_its_lower_edge_is_unknown(name: str) -> None:
    """Rows of a frame alone prove nothing."""
    screen = recorded(f"qwen-{name}")
    end = max(n for n, line in enumerate(screen.lines) if line.strip())
    cut = made(list(screen.styled[:end]), size=(screen.width, screen.height))
    assert QWEN.read(cut).activity is Activity.UNKNOWN


def test_without_its_rule_a_prompt_is_no_input_box() -> None:
    """A prompt of the past looks like the box: the rule above it is what counts."""
    screen = recorded("qwen-idle-after")
    rows = [row for row in screen.styled if "─" * 20 not in row]
    size = (screen.width, screen.height)
    assert QWEN.read(made(rows, size=size)).activity is Activity.UNKNOWN


def test_a_program_that_has_ended_is_unknown() -> None:
    """What a dead pane shows is history."""
    screen = replace(recorded("qwen-idle-after"), dead=True)
    assert QWEN.read(screen) == Reading(Activity.UNKNOWN, "", None, None, accepts=False)


@given(st.lists(st.text(max_size=60), max_size=30), st.text(max_size=5))
def test_any_screen_can_be_read(rows: list[str], title: str) -> None:
    """No screen makes reading raise."""
    screen = made([row.replace("\n", " ") for row in rows], title=title)
    QWEN.read(screen)
    QWEN.holds(screen, "text")


@pytest.mark.parametrize("place", [7, 18, 60])
def test_a_suggestion_is_no_draft_wherever_its_cursor_stands(place: int) -> None:
    """It stands in the colour of the footers, with or without a drawn cursor."""
    screen = recorded("qwen-suggestion")
    row = next(n for n, line in enumerate(screen.lines) if line.startswith("> heard"))
    styled = list(screen.styled)
    styled[row] = f"> \x1b[38;5;103m{'say what is next '.ljust(place)}\x1b[39m"
    assert QWEN.read(made(styled, size=(120, 40))).draft == ""


def test_a_suggestion_behind_typed_text_is_no_draft() -> None:
    """Only what a human has typed counts."""
    screen = recorded("qwen-suggestion")
    row = next(n for n, line in enumerate(screen.lines) if line.startswith("> heard"))
    styled = list(screen.styled)
    styled[row] = "> \x1b[39mmake tes\x1b[48;5;252mt\x1b[38;5;103m\x1b[49m and more"
    assert QWEN.read(made(styled, size=(120, 40))).draft == "make test"


def test_a_box_with_nothing_below_it_is_unknown() -> None:
    """The screen is not painted to its end."""
    screen = recorded("qwen-idle-after")
    end = max(n for n, line in enumerate(screen.lines) if line == "─" * 120)
    cut = made(list(screen.styled[: end + 1]), size=(120, 40))
    assert QWEN.read(cut).activity is Activity.UNKNOWN


def test_rows_that_are_not_indented_make_no_box() -> None:
    """Between two rules may stand something else than a draft."""
    screen = recorded("qwen-draft-lines")
    styled = [row.replace("  line two", "line two") for row in screen.styled]
    assert styled != list(screen.styled)
    assert QWEN.read(made(styled, size=(120, 40))).activity is Activity.UNKNOWN


@pytest.mark.parametrize("sign", [">", "\u25c6\ufe0e", "\u25cf\ufe0e"])
def test_words_close_above_the_box_are_not_its_status(sign: str) -> None:
    """What was said begins with a sign of its own, even where no blank row follows."""
    screen = recorded("qwen-idle-after")
    top = min(n for n, line in enumerate(screen.lines) if line == "─" * 120)
    said = inserted(screen, top, [f"  {sign} it took long (3s · and some)"])
    assert QWEN.read(said).activity is Activity.IDLE


def test_a_retry_that_is_no_limit_is_busy() -> None:
    """The reason of a retry decides."""
    screen = recorded("qwen-limit-retrying")
    styled = [row.replace("Rate limit reached", "Bad gateway") for row in screen.styled]
    other = replace(made(styled, size=(120, 40)), title=screen.title)
    assert QWEN.read(other).activity is Activity.BUSY


def test_an_error_in_other_words_is_told_by_its_colour() -> None:
    """Whatever the CLI's language, the text has the colour of its cross."""
    screen = recorded("qwen-limit")
    styled = [row.replace("Quota exhausted: ", "") for row in screen.styled]
    assert styled != list(screen.styled)
    assert QWEN.read(made(styled, size=(120, 40))).activity is Activity.LIMITED


def test_a_tool_that_failed_is_no_error_of_the_provider() -> None:
    """A tool's name stands behind the same cross, in another colour."""
    screen = recorded("qwen-limit")
    styled = [
        row.replace("✕\x1b[39m \x1b[38;5;217mQuota", "✕\x1b[39m Shell echo Quota")
        for row in screen.styled
    ]
    assert styled != list(screen.styled)
    assert QWEN.read(made(styled, size=(120, 40))).activity is Activity.IDLE


# Verified against 0.24.4: with this text in the box, one Enter submits it.
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
    ("exit\nx", "exit\nx"),
    ("exit now", "exit now"),
]


@pytest.mark.parametrize(("text", "arrives"), LITERAL)
def test_a_text_is_typed_so_that_it_arrives(text: str, arrives: str) -> None:
    """What would open a shell or a list of completions is kept from doing so."""
    assert QWEN.literal(text) == arrives


@pytest.mark.parametrize(
    "text",
    ["/help", " /help", "\n/help", "/nosuch word", "/a.b", "/help\nmore", "/tmp", "/",
     "exit", " quit ", ":q"],
)  # fmt: skip
def test_a_command_is_refused(text: str) -> None:
    """Nothing escapes a slash command or a word that ends the program."""
    with pytest.raises(Refused, match="for a command"):
        QWEN.literal(text)


HOLDS = [
    ("draft", "a human types this", True),
    ("draft", "quite another text", None),
    ("draft-lines", "line one\nline two", True),
    ("draft-blank", "one\n\n\nlast", True),
    ("draft-pasted", "word line\n" * 30 + "end", True),
    ("idle-after", "gone", False),
    ("suggestion", "heard 1532 characters, sha 53e6d97a", False),
    ("approval-run", "text", None),
]


@pytest.mark.parametrize(("name", "text", "held"), HOLDS)
def test_the_input_box_tells_whether_it_holds_a_text(
    name: str, text: str, held: bool | None
) -> None:
    """Text and placeholders are held; a suggestion is not; a dialog does not tell."""
    assert QWEN.holds(recorded(f"qwen-{name}"), text) is held
