"""Claude Code is read as it was recorded, and its words are not taken for its state."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtmux.agents.base import Activity, Reading
from mdtmux.agents.claude import CLAUDE
from mdtmux.errors import Refused
from mdtmux.system.screen import Screen
from tests.agents.recorded import inserted, made, names, recorded

SIGN = "\u276f"
# Name, activity, dialog, draft, a part of the evidence.
READ: list[tuple[str, str, str | None, str | None, str]] = [
    ("idle", "idle", None, "", SIGN),
    ("idle-after", "idle", None, "", SIGN),
    ("idle-banner", "idle", None, "", SIGN),
    ("idle-40x15", "idle", None, "", SIGN),
    ("statusline", "idle", None, "", SIGN),
    ("shortcuts", "idle", None, "", SIGN),
    ("denied", "idle", None, "", SIGN),
    ("old-idle", "idle", None, "", SIGN),
    ("old-idle-after", "idle", None, "", SIGN),
    ("draft", "idle", None, "a human types this", "a human"),
    ("draft-pasted", "idle", None, "[Pasted text #2 +31 lines]", "[Pasted"),
    ("draft-long", "idle", None, "[Pasted text #3]", "[Pasted"),
    ("old-draft-pasted", "idle", None, "[Pasted text #1 +5 lines]", "[Pasted"),
    ("interrupted", "idle", None, "SLOW 9 interrupt me", "SLOW 9"),
    ("slash-menu", "idle", None, "/", "/"),
    ("busy", "busy", None, "", "Kneading…"),
    ("busy-queued", "busy", None, "", "Kneading…"),
    ("busy-40x15", "busy", None, "", "Enchanting…"),
    ("running-tool", "busy", None, "", "Hashing… (1s"),
    ("statusline-busy", "busy", None, "", "Orbiting…"),
    ("old-busy", "busy", None, "", "Processing…"),
    ("retrying", "busy", None, "", "retrying in 1s"),
    ("limit-retrying", "limited", None, "", "5-hour limit reached"),
    ("limit", "limited", None, "", "Request rejected (429)"),
    ("error-429", "limited", None, "", "per-minute rate limit"),
    ("error-500", "idle", None, "", "API Error: 500"),
    ("error-401", "idle", None, "", "Invalid API key"),
    ("approval-write", "waiting", "approval", None, "Do you want to create"),
    ("approval-run", "waiting", "approval", None, "Do you want to proceed?"),
    ("approval-amend", "waiting", "approval", None, "Do you want to proceed?"),
    ("approval-50x10", "waiting", "approval", None, "Do you want to create"),
    ("old-approval", "waiting", "approval", None, "Do you want to create"),
    ("question", "waiting", "question", None, "Which option should I use?"),
    ("question-typing", "waiting", "question", None, "Which option should I use?"),
    ("old-question", "waiting", "question", None, "Which option should I use?"),
    ("trust", "waiting", "trust", None, "trust this folder"),
    ("apikey", "waiting", "api-key", None, "use this API key?"),
    ("bypass", "waiting", "bypass", None, "Bypass Permissions mode"),
    ("login", "waiting", "login", None, "Select login method"),
    ("theme", "waiting", "menu", None, "Esc to cancel"),
    ("resume", "waiting", "menu", None, "Esc to close"),
    ("rewind", "waiting", "menu", None, "Esc to cancel"),
]
# A `!` line runs in a shell: nothing may be typed there.
SHELL = [("shell-mode", "!"), ("shell-draft", "!echo hi")]


@pytest.mark.parametrize(
    ("name", "activity", "dialog", "draft", "evidence"), READ, ids=[r[0] for r in READ]
)
def test_a_recorded_screen_is_read(
    name: str, activity: str, dialog: str | None, draft: str | None, evidence: str
) -> None:
    """Each recorded state gives its activity, dialog, draft and evidence."""
    reading = CLAUDE.read(recorded(f"claude-{name}"))
    accepts = dialog is None
    assert reading == Reading(
        Activity(activity), reading.evidence, dialog, draft, accepts
    )
    assert evidence in reading.evidence


@pytest.mark.parametrize(("name", "draft"), SHELL)
def test_shell_mode_accepts_nothing(name: str, draft: str) -> None:
    """In shell mode the input line is not one for prompts."""
    reading = CLAUDE.read(recorded(f"claude-{name}"))
    assert (reading.accepts, reading.draft) == (False, draft)


def test_the_transcript_view_is_unknown() -> None:
    """While a human reads the transcript, keys drive a pager."""
    reading = CLAUDE.read(recorded("claude-transcript"))
    expected = (Activity.UNKNOWN, "transcript", False)
    assert (reading.activity, reading.dialog, reading.accepts) == expected


def test_every_recording_is_expected() -> None:
    """No recorded screen is left without an expectation."""
    expected = {f"claude-{row[0]}" for row in READ} | {f"claude-{s[0]}" for s in SHELL}
    assert set(names("claude")) == expected | {"claude-transcript"}


def says(screen: Screen, *lines: str) -> Screen:
    """Return the screen after the agent has said these lines, above its input box."""
    top = (
        max(row for row, line in enumerate(screen.lines) if line.startswith("───")) - 2
    )
    head = f"\x1b[38;5;231m\x1b[49m●\x1b[39m {lines[0]}"
    return inserted(screen, top, [head, *(f"  {line}" for line in lines[1:]), ""])


QUOTES = [
    ("Do you want to proceed?", f"{SIGN} 1. Yes", "  2. No", "Esc to cancel"),
    ("Do you want to proceed?", f" {SIGN} 1. Yes", "   2. No", " Esc to cancel"),
    ("You've hit your 5-hour limit · resets 4pm",),
    ("API Error: Request rejected (429) · rate limit",),
    ("\x1b[38;5;153mAPI Error: Request rejected (429)\x1b[39m is what it said",),
    ("The log says", "  ⎿  \x1b[38;5;211mUsage limit reached\x1b[39m"),
    ("✻ Thinking… (esc to interrupt)", "✻ 5-hour limit reached · retrying in 3s"),
    ("```", "─" * 90, f"{SIGN} ", "─" * 90, "  esc to interrupt", "```"),
    ("Enter to select · ↑/↓ to navigate · Esc to cancel",),
    ("Do you trust the files in this folder?", f"{SIGN} Yes, I trust this folder"),
]


@pytest.mark.parametrize("lines", QUOTES, ids=[q[-1][:30] for q in QUOTES])
@pytest.mark.parametrize("state", ["idle-after", "busy", "old-idle-after"])
def test_what_the_agent_says_is_not_its_state(
    state: str, lines: tuple[str, ...]
) -> None:
    """Menus, limits, errors and boxes in the agent's own text change nothing."""
    screen = recorded(f"claude-{state}")
    before, after = CLAUDE.read(screen), CLAUDE.read(says(screen, *lines))
    if state == "busy":
        # The text stands between the prompt and the spinner's place: the footer tells.
        assert after.activity is Activity.BUSY
    else:
        assert after == before


@given(st.lists(st.text(st.characters(exclude_categories=["C"])), min_size=1))
def test_no_text_of_the_agent_changes_its_state(lines: list[str]) -> None:
    """Whatever an idle agent has said, it is idle and its input line is empty."""
    screen = recorded("claude-idle-after")
    assert CLAUDE.read(says(screen, *lines)) == CLAUDE.read(screen)


def test_a_prompt_about_limits_is_not_a_limit() -> None:
    """A human's prompt that quotes an error is not the error."""
    screen = recorded("claude-idle-after")
    row = next(i for i, line in enumerate(screen.lines) if line.startswith("───"))
    prompt = [
        f"\x1b[48;5;237m{SIGN} \x1b[38;5;231mwhat does this mean:\x1b[39m",
        "\x1b[38;5;231m  ● API Error: Request rejected (429)\x1b[39m\x1b[49m",
        "",
    ]
    assert CLAUDE.read(inserted(screen, row - 1, prompt)) == CLAUDE.read(screen)


def test_a_dialog_above_which_a_box_is_quoted_is_waiting() -> None:
    """An open menu is seen although the agent has drawn an input box before."""
    screen = recorded("claude-approval-run")
    quoted = ["● Look:", "  " + "─" * 80, f"  {SIGN} ", "  " + "─" * 80, ""]
    assert CLAUDE.read(inserted(screen, 4, quoted)).dialog == "approval"


@pytest.mark.parametrize("name", [row[0] for row in READ if row[1] != "idle"])
def test_a_half_painted_screen_is_not_idle(name: str) -> None:
    """A screen of which the lower rows are missing does not turn an agent idle."""
    screen = recorded(f"claude-{name}")
    for last in range(len(screen.styled)):
        reading = CLAUDE.read(made(list(screen.styled[:last])))
        assert reading.activity is not Activity.IDLE
        assert not reading.accepts or reading.activity in (
            Activity.BUSY,
            Activity.LIMITED,
        )


@given(st.lists(st.text(max_size=60), max_size=30))
def test_any_screen_can_be_read(rows: list[str]) -> None:
    """No screen makes reading raise."""
    screen = made([row.replace("\n", " ") for row in rows])
    CLAUDE.read(screen)
    CLAUDE.holds(screen, "text")


@pytest.mark.parametrize("text", ["", "\n", "x" * 90])
def test_a_screen_that_is_not_known_is_unknown(text: str) -> None:
    """Before the first paint, and for any other program, the reading is unknown."""
    reading = CLAUDE.read(made([text] * 5))
    assert (reading.activity, reading.accepts) == (Activity.UNKNOWN, False)


# Verified against 2.1.332: with this text in the box, one Enter submits it.
LITERAL = [
    ("hello", "hello"),
    ("/etc/hosts is a file", "/etc/hosts is a file"),
    ("# Title\nbody", "# Title\nbody"),
    ("- a; b;", "- a; b;"),
    ("!ls", " !ls"),
    ("\n!ls", " \n!ls"),
    ("look at @src/main", "look at @src/main "),
    ("mail me@example.com", "mail me@example.com"),
    ("fix this :smi", "fix this :smi "),
    ("at 12:30", "at 12:30"),
    ("a path C:\\", "a path C:\\ "),
    ("exit\nplease", "exit\nplease"),
]


@pytest.mark.parametrize(("text", "typed"), LITERAL)
def test_a_text_is_typed_so_that_it_arrives(text: str, typed: str) -> None:
    """What would open a shell, a completion or a new line is kept from doing so."""
    assert CLAUDE.literal(text) == typed


@pytest.mark.parametrize(
    "text",
    [
        "/help",
        " /help",
        "\n/compact now",
        "\u200b/clear",
        "/exit",
        "exit",
        " quit\n",
        ":q",
    ],
)
def test_a_command_that_nothing_escapes_is_refused(text: str) -> None:
    """A slash command or a word that ends the program is not typed as text."""
    with pytest.raises(Refused, match="for a command"):
        CLAUDE.literal(text)


HOLDS = [
    ("draft", "a human types this", True),
    ("draft", "quite another text", None),
    ("draft-pasted", "word line\n" * 30, True),
    ("draft-long", "long words " * 120, True),
    ("idle-after", "gone", False),
    ("error-429", "Resend your message to try again", False),
    ("busy-queued", "Press up to edit queued messages", False),
    ("approval-run", "text", None),
]


@pytest.mark.parametrize(("name", "text", "held"), HOLDS)
def test_the_input_box_tells_whether_it_holds_a_text(
    name: str, text: str, held: bool | None
) -> None:
    """Text and placeholders are held; ghost text is not; a dialog does not tell."""
    assert CLAUDE.holds(recorded(f"claude-{name}"), text) is held


def test_a_large_paste_settles_longer() -> None:
    """Enter waits for a large paste to be digested."""
    assert CLAUDE.settle("short") < CLAUDE.settle("x" * 8000)
