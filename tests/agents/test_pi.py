"""Pi is read as it was recorded, and its words are not taken for its state."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtmux.agents.base import Activity, Reading
from mdtmux.agents.pi import PI
from mdtmux.system.screen import Screen
from tests.agents.recorded import inserted, made, names, recorded

USED = "0.0%/200k (auto)"
WORKING = "── ⠙ Working ─"
WRAPPED = "a human types words that wrap over the rows of a\nnarrow screen"
TYPED = "\n".join(f"typed row {row}" for row in range(1, 10))
AFTER = "Error: Retry failed after 3 attempts: "
RUNNING = " ⠴ Running... (escape/ctrl+c to cancel)"
AUTH = " Select authentication method:"
# Name, activity, dialog, draft, a part of the evidence.
READ: list[tuple[str, str, str | None, str | None, str]] = [
    ("idle", "idle", None, "", USED),
    ("idle-200x50", "idle", None, "", USED),
    ("idle-50x15", "idle", None, "", USED),
    ("idle-after", "idle", None, "", "↑9 ↓1 $0.000 0.0%/200k"),
    ("said", "idle", None, "", USED),
    ("hotkeys", "idle", None, "", USED),
    ("tool-write", "idle", None, "", USED),
    ("shell-done", "idle", None, "", USED),
    ("draft", "idle", None, "a human types this", USED),
    ("draft-lines", "idle", None, "line one\nline two\n\nline four", USED),
    ("draft-pasted", "idle", None, "[paste #1 +301 lines]", USED),
    ("draft-50x15", "idle", None, WRAPPED, USED),
    ("interrupted", "idle", None, "queued words", USED),
    ("slash-menu", "idle", None, "/", USED),
    ("at-menu", "idle", None, "see @R", USED),
    ("error-400", "idle", None, "", "Error: 400: {"),
    ("error-401", "idle", None, "", "Error: 401: {"),
    ("error-500", "idle", None, "", f"{AFTER}500: {{"),
    ("busy", "busy", None, "", WORKING),
    ("busy-200x50", "busy", None, "", "── ⠦ Working ─"),
    ("busy-50x15", "busy", None, "", "── ⠧ Working ─"),
    ("busy-truecolor", "busy", None, "", "── ⠏ Working ─"),
    ("busy-tool", "busy", None, "", "── ⠴ Working ─"),
    ("busy-draft", "busy", None, "queued words", "── ⠏ Working ─"),
    ("busy-queued", "busy", None, "", "── ⠇ Working ─"),
    ("shell-busy", "busy", None, "", RUNNING),
    ("retrying", "busy", None, "", "── ⠋ Retrying (1/3) in 1s..."),
    ("retrying-50x15", "limited", None, "", "Error: 429: {"),
    ("error-429", "limited", None, "", f"{AFTER}429: {{"),
    ("limit", "limited", None, "", "Error: 429: {"),
    ("limit-50x15", "limited", None, "", f"{AFTER}429: {{"),
    ("limit-truecolor", "limited", None, "", f"{AFTER}429: {{"),
    ("trust", "waiting", "trust", None, " Trust project folder?"),
    ("login", "waiting", "login", None, "0.0%/0 (auto)"),
    ("menu-login", "waiting", "login", None, AUTH),
    ("menu-model", "waiting", "menu", None, "Only showing models from configured"),
    ("menu-settings", "waiting", "menu", None, "→ Auto-compact"),
    ("menu-resume", "waiting", "menu", None, "Resume Session (Current Folder)"),
    ("menu-tree", "waiting", "menu", None, "  • assistant: 429: {"),
    ("old-idle", "idle", None, "", USED),
    ("old-idle-50x15", "idle", None, "", USED),
    ("old-idle-after", "idle", None, "", USED),
    ("old-said", "idle", None, "", USED),
    ("old-draft-pasted", "idle", None, "[paste #1 +301 lines]", USED),
    ("old-interrupted", "idle", None, "queued words", USED),
    ("old-error-401", "idle", None, "", "Error: 401 scripted error 401"),
    ("old-busy", "busy", None, "", " ⠙ Working..."),
    ("old-busy-50x15", "busy", None, "", " ⠸ Working..."),
    ("old-busy-tool", "busy", None, "", " ⠴ Working..."),
    ("old-busy-draft", "busy", None, "queued words", " ⠏ Working..."),
    ("old-busy-queued", "busy", None, "", " ⠏ Working..."),
    ("old-shell-busy", "busy", None, "", RUNNING),
    ("old-retrying", "busy", None, "", " ⠏ Retrying (1/3) in 1s..."),
    ("old-retrying-50x15", "limited", None, "", "Error: 429 The usage limit"),
    ("old-limit", "limited", None, "", f"{AFTER}429 The usage limit"),
    ("old-login", "waiting", "login", None, "0.0%/0 (auto)"),
    ("old-menu-model", "waiting", "menu", None, "Only showing models from configured"),
    ("old-menu-settings", "waiting", "menu", None, "→ Auto-compact"),
]
SCROLLED = ("draft-scrolled", "draft-scrolled-up", "old-draft-scrolled-up")
SHELL = ("shell-draft", "old-shell-draft")
# In a low pane a part of a menu is out of sight; a list takes 0.74.2 its cursor.
CLOSED: list[tuple[str, str | None]] = [
    ("menu-50x15", None),
    ("old-menu-50x15", None),
    ("old-slash-menu", "/"),
    ("old-at-menu", "see @R"),
]


@pytest.mark.parametrize(
    ("name", "activity", "dialog", "draft", "evidence"), READ, ids=[r[0] for r in READ]
)
def test_a_recorded_screen_is_read(
    name: str, activity: str, dialog: str | None, draft: str | None, evidence: str
) -> None:
    """Each recorded state gives its activity, dialog, draft and evidence."""
    reading = PI.read(recorded(f"pi-{name}"))
    accepts = dialog is None
    assert reading == Reading(
        Activity(activity), reading.evidence, dialog, draft, accepts
    )
    assert evidence in reading.evidence


@pytest.mark.parametrize(("name", "draft"), CLOSED)
def test_a_screen_that_takes_no_prompt_is_unknown(name: str, draft: str | None) -> None:
    """Where the cursor is not in the input box, nothing is typed."""
    reading = PI.read(recorded(f"pi-{name}"))
    assert reading == Reading(Activity.UNKNOWN, "", None, draft, accepts=False)


@pytest.mark.parametrize("name", SCROLLED)
def test_a_draft_that_is_scrolled_is_no_sign_of_work(name: str) -> None:
    """A rule that tells how many rows are hidden is a rule like the others."""
    reading = PI.read(recorded(f"pi-{name}"))
    assert (reading.activity, reading.accepts) == (Activity.IDLE, True)
    assert reading.draft is not None
    assert f"\n\n{TYPED}\n" in reading.draft or reading.draft.endswith(TYPED)


@pytest.mark.parametrize("name", SHELL)
def test_a_shell_line_accepts_nothing(name: str) -> None:
    """A draft that a shell would run is none for prompts."""
    reading = PI.read(recorded(f"pi-{name}"))
    assert (reading.accepts, reading.draft) == (False, "!ls")


def test_every_recording_is_expected() -> None:
    """No recorded screen is left without an expectation."""
    rows = (*(row[0] for row in READ), *SCROLLED, *SHELL, *(row[0] for row in CLOSED))
    assert set(names("pi-")) == {f"pi-{name}" for name in rows}


def says(screen: Screen, lines: tuple[str, ...], indent: str = " ") -> Screen:
    """Return the screen after the agent has said these lines in its last turn.

    They stand above the CLI's own rows: its sign of work and its error.
    """
    reading = PI.read(screen)
    own = reading.evidence.strip()[:12]
    rows = [row for row, line in enumerate(screen.lines) if line.strip()[:12] == own]
    end = rows[-1] if rows else screen.cursor_y - 1
    if reading.activity is Activity.IDLE:
        end = screen.cursor_y - 1
    said = ["\x1b[0m", *(f"{indent}{line}" for line in lines), ""]
    grown = inserted(screen, end, said)
    # A full screen scrolls: as many rows leave at its top.
    cursor, size = (screen.cursor_x, screen.cursor_y), (screen.width, screen.height)
    return made(list(grown.styled[len(said) :]), cursor, size, screen.title)


QUOTES = [
    ("Working", "⠋ Working..."),
    (f"{WORKING}{'─' * 106}",),
    ("\x1b[38;5;6m⠋ Working...\x1b[39m",),
    ("⠋ \x1b[38;5;6mWorking...\x1b[39m",),
    ("\x1b[38;5;6m⠋\x1b[39m Working...",),
    ("⠴ Running... (escape/ctrl+c to cancel)", "─" * 119),
    (f"{AFTER}429: too many requests",),
    ("x", "Error: 429 The usage limit has been reached"),
    ("\x1b[38;5;6mError: 429 usage limit\x1b[39m",),
    ("Error: 429 \x1b[31musage limit\x1b[39m",),
    ("─" * 119, "", " Trust project folder?", "", " → Trust", "", "─" * 119),
    ("─" * 119, "", "─" * 119, "~/repo (main)", "0.0%/0 (auto)"),
    ("Steering: more words", "↳ Alt+Up to edit all queued messages"),
]
STATES = (
    "idle-after", "busy", "busy-tool", "draft", "error-401", "error-429", "limit",
    "old-idle-after", "old-busy", "old-limit", "shell-busy",
)  # fmt: skip


@pytest.mark.parametrize("lines", QUOTES, ids=[q[-1][:30] for q in QUOTES])
@pytest.mark.parametrize("state", STATES)
def test_what_the_agent_says_is_not_its_state(
    state: str, lines: tuple[str, ...]
) -> None:
    """Menus, limits and signs of work in the agent's own text change nothing."""
    screen = recorded(f"pi-{state}")
    expected = PI.read(screen)
    if state == "error-401":
        # The agent has spoken after the error.
        expected = replace(expected, evidence=screen.lines[-1])
    assert PI.read(says(screen, lines)) == expected


@pytest.mark.parametrize("state", ["idle-after", "busy", "old-busy"])
def test_text_that_is_not_indented_is_not_its_state(state: str) -> None:
    """A setting takes the indent away: a rule across the screen is still no box."""
    screen = recorded(f"pi-{state}")
    for lines in (["─" * 120], [f"{WORKING}{'─' * 107}"], ["─" * 120, "", "─" * 120]):
        assert PI.read(says(screen, tuple(lines), "")) == PI.read(screen)


@given(
    st.lists(st.text(st.characters(exclude_categories=["C"])), min_size=1, max_size=9)
)
def test_no_text_of_the_agent_changes_its_state(lines: list[str]) -> None:
    """Whatever an idle agent has said, it is idle and its input box is empty."""
    screen = recorded("pi-idle-after")
    assert PI.read(says(screen, tuple(lines))) == PI.read(screen)


@pytest.mark.parametrize("name", [row[0] for row in READ if row[1] != "idle"])
def test_a_half_painted_screen_is_not_idle(name: str) -> None:
    """A screen of which the lower rows are missing does not turn an agent idle."""
    screen = recorded(f"pi-{name}")
    for last in range(len(screen.styled)):
        cut = list(screen.styled[:last])
        cursor = (screen.cursor_x, screen.cursor_y)
        size = (screen.width, screen.height)
        reading = PI.read(made(cut, cursor, size, screen.title))
        assert reading.activity is not Activity.IDLE


def test_a_menu_in_place_of_the_box_is_none() -> None:
    """With the cursor off the box, an idle agent accepts nothing."""
    screen = replace(recorded("pi-idle-after"), cursor_x=0, cursor_y=0)
    reading = PI.read(screen)
    assert (reading.activity, reading.accepts) == (Activity.UNKNOWN, False)


def test_a_draft_that_begins_with_blank_rows_is_a_draft() -> None:
    """A menu begins so too, but has no cursor among its rows."""
    screen = recorded("pi-draft-lines")
    styled = ["" if "line one" in row else row for row in screen.styled]
    shown = made(styled, (9, 36), (120, 40))
    assert PI.read(shown).draft == "line two\n\nline four"


def test_a_draft_of_a_rule_is_a_draft() -> None:
    """A rule that a human types is shorter than one of the box."""
    screen = recorded("pi-draft")
    styled = [row.replace("a human types this", "─" * 119) for row in screen.styled]
    assert PI.read(made(styled, (119, 36), (120, 40))).draft == "─" * 119


def test_a_dead_pane_is_unknown() -> None:
    """What is left on the screen of a program that has ended is no state."""
    screen = replace(recorded("pi-idle-after"), dead=True)
    assert PI.read(screen).activity is Activity.UNKNOWN


@given(st.lists(st.text(max_size=60), max_size=30), st.text(max_size=9))
def test_any_screen_can_be_read(rows: list[str], title: str) -> None:
    """No screen makes reading raise."""
    screen = made([row.replace("\n", " ") for row in rows], title=title)
    PI.read(screen)
    PI.holds(screen, "text")


# Verified against 1.6.0 and 0.74.2: so typed, one Enter submits it as a prompt.
LITERAL = [
    ("hello", "hello"),
    ("# Title\nbody", "# Title\nbody"),
    ("/help", "\u200b/help"),
    (" /model scripted", "\u200b /model scripted"),
    ("\n/quit", "\u200b\n/quit"),
    ("/skill:x y", "\u200b/skill:x y"),
    ("/etc/hosts is a file", "/etc/hosts is a file"),
    ("!ls", "\u200b!ls"),
    (" !!ls", "\u200b !!ls"),
    ("quit", "quit"),
    ("look at @README", "look at @README "),
    ("@README.md please", "@README.md please"),
    ("mail me@example.com", "mail me@example.com"),
    ("a path C:\\", "a path C:\\ "),
]


@pytest.mark.parametrize(("text", "typed"), LITERAL)
def test_a_text_is_typed_so_that_it_arrives(text: str, typed: str) -> None:
    """What would be a command, a list of files or a break is kept from being one."""
    assert PI.literal(text) == typed


HOLDS = [
    ("draft", "a human types this", True),
    ("draft", "quite another text", None),
    ("draft", "\u200ba human types this", True),
    ("draft-lines", "line one\nline two\n\nline four", True),
    ("draft-pasted", "word line\n" * 300, True),
    ("draft-scrolled", TYPED, True),
    ("idle-after", "gone", False),
    ("menu-model", "text", None),
    ("trust", "text", None),
]


@pytest.mark.parametrize(("name", "text", "held"), HOLDS)
def test_the_input_box_tells_whether_it_holds_a_text(
    name: str, text: str, held: bool | None
) -> None:
    """Text and placeholders are held; a menu does not tell."""
    assert PI.holds(recorded(f"pi-{name}"), text) is held
