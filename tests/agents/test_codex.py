"""Codex is read as it was recorded, and its words are not taken for its state."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtmux.agents.base import Activity, Reading
from mdtmux.agents.codex import CODEX
from mdtmux.system.screen import Screen
from tests.agents.recorded import inserted, made, names, recorded

EMPTY = "Ask Codex to do anything"
WORKED = "Worked for"
WORKING = "Working ("
LEFT = "■ Conversation interrupted"
LIMIT = "■ You\u2019ve hit your usage limit."
RUN = "Would you like to run the following command? $ "
# Name, activity, dialog, draft, a part of the evidence.
READ: list[tuple[str, str, str | None, str | None, str]] = [
    ("idle", "idle", None, "", EMPTY),
    ("idle-200x50", "idle", None, "", EMPTY),
    ("idle-50x15", "idle", None, "", EMPTY),
    ("idle-no-color", "idle", None, "", EMPTY),
    ("idle-no-status", "idle", None, "", EMPTY),
    ("idle-after", "idle", None, "", WORKED),
    ("idle-streamed", "idle", None, "", WORKED),
    ("resumed", "idle", None, "", WORKED),
    ("said", "idle", None, "", WORKED),
    ("said-busy", "idle", None, "", WORKED),
    ("status", "idle", None, "", WORKED),
    ("compact", "idle", None, "", WORKED),
    ("plan-mode", "idle", None, "", LEFT),
    ("denied", "idle", None, "", LEFT),
    ("interrupted", "idle", None, "queued words", LEFT),
    ("esc-hint", "idle", None, "", LEFT),
    ("shortcuts", "idle", None, "", LEFT),
    ("slash-menu", "idle", None, "/", LEFT),
    ("error-401", "idle", None, "", "■ unexpected status 401 Unauthorized"),
    ("error-500", "idle", None, "", "■ We\u2019re currently experiencing high demand"),
    ("draft", "idle", None, "a human types this", LEFT),
    ("draft-lines", "idle", None, "line one\nline two\n\nline four", LEFT),
    ("draft-pasted", "idle", None, "[Pasted Content 2999 chars]", LEFT),
    (
        "draft-50x15", "idle", None,
        "a human types words that wrap over the rows of\na narrow screen", LEFT,
    ),
    ("busy", "busy", None, "", WORKING),
    ("busy-200x50", "busy", None, "", WORKING),
    ("busy-50x15", "busy", None, "", WORKING),
    ("busy-still", "busy", None, "", WORKING),
    ("busy-tool", "busy", None, "", "1 background terminal running"),
    ("busy-draft", "busy", None, "queued words", WORKING),
    ("busy-queued", "busy", None, "", WORKING),
    ("busy-menu", "busy", None, "/", WORKING),
    ("busy-streaming", "busy", None, "", "⠧ SAY TRICKLE"),
    ("retrying", "busy", None, "", "Reconnecting... 1/5 ("),
    ("network", "busy", None, "", "Reconnecting... waiting for network ("),
    ("limit", "limited", None, "", f"{LIMIT} Upgrade to Pro"),
    ("limit-50x15", "limited", None, "", "or try again at 2:43 AM."),
    ("error-429", "limited", None, "", "last status: 429 Too Many Requests"),
    ("approval-run", "waiting", "approval", None, f"{RUN}touch made.txt"),
    ("approval-200x50", "waiting", "approval", None, f"{RUN}touch made.txt"),
    ("approval-50x15", "waiting", "approval", None, f"{RUN}echo a long command"),
    ("approval-write", "waiting", "approval", None, "edits? Destination: /usr/local/"),
    ("question", "waiting", "question", None, "Which one?"),
    ("question-50x15", "waiting", "question", None, "Which one?"),
    ("question-notes", "waiting", "question", None, "Which one?"),
    ("trust", "waiting", "trust", None, "Trust this folder?"),
    ("trust-50x15", "waiting", "trust", None, "Trust this folder?"),
    ("hooks", "waiting", "hooks", None, "Hooks need review"),
    ("login", "waiting", "login", None, "Sign in with ChatGPT"),
    ("upgrade", "waiting", "menu", None, "Try new model"),
    ("menu-model", "waiting", "menu", None, "enter select · esc back"),
    ("menu-permissions", "waiting", "menu", None, "Ask for approval (current)"),
    ("warnings", "waiting", "menu", None, "dismiss & close"),
]  # fmt: skip
# What accepts no prompt though nothing is asked, with its draft.
CLOSED: list[tuple[str, str | None, str | None]] = [
    ("starting", None, None),
    ("agents", None, None),
    ("backtrack", "transcript", None),
    ("history-search", "transcript", None),
    ("at-menu", None, "see @ma"),
    ("draft-scrolled", None, "\n".join(map(str, range(37, 61)))),
]


@pytest.mark.parametrize(
    ("name", "activity", "dialog", "draft", "evidence"), READ, ids=[r[0] for r in READ]
)
def test_a_recorded_screen_is_read(
    name: str, activity: str, dialog: str | None, draft: str | None, evidence: str
) -> None:
    """Each recorded state gives its activity, dialog, draft and evidence."""
    reading = CODEX.read(recorded(f"codex-{name}"))
    accepts = dialog is None
    assert reading == Reading(
        Activity(activity), reading.evidence, dialog, draft, accepts
    )
    assert evidence in reading.evidence


@pytest.mark.parametrize(("name", "dialog", "draft"), CLOSED)
def test_a_screen_that_takes_no_prompt_is_unknown(
    name: str, dialog: str | None, draft: str | None
) -> None:
    """While it starts or is looked through, nothing is typed."""
    reading = CODEX.read(recorded(f"codex-{name}"))
    assert reading == Reading(Activity.UNKNOWN, "", dialog, draft, accepts=False)


@pytest.mark.parametrize(("name", "draft"), [("mode", "!"), ("draft", "!ls")])
def test_shell_mode_accepts_nothing(name: str, draft: str) -> None:
    """In shell mode the input line is not one for prompts."""
    reading = CODEX.read(recorded(f"codex-shell-{name}"))
    assert (reading.accepts, reading.draft) == (False, draft)


def test_every_recording_is_expected() -> None:
    """No recorded screen is left without an expectation."""
    expected = {f"codex-{row[0]}" for row in (*READ, *CLOSED)}
    assert set(names("codex")) == expected | {"codex-shell-mode", "codex-shell-draft"}


def says(screen: Screen, *lines: str) -> Screen:
    """Return the screen after the agent has said these lines in its last turn."""
    evidence = CODEX.read(screen).evidence
    rows = enumerate(screen.lines)
    end = next(row for row, line in rows if line and evidence.startswith(line))
    mark, *rest = lines
    # A full screen scrolls: as many rows leave at its top.
    said = [f"\x1b[0;2m• \x1b[0m{mark}", *(f"  {line}" for line in rest), ""]
    grown = inserted(screen, end, said)
    cursor, size = (screen.cursor_x, screen.cursor_y), (screen.width, screen.height)
    return made(list(grown.styled[len(said) :]), cursor, size, screen.title)


QUOTES = [
    ("Would you like to run the following command?", "\u203a 1. Yes, proceed (y)",
     "2. No", "Press enter to confirm or esc to cancel"),
    ("Question 1/1", "Which one?", "enter to submit answer | esc to interrupt"),
    ("Working (2s • esc to interrupt)", "", "• Working (3s • esc to interrupt)"),
    ("■ You\u2019ve hit your usage limit. try again at 3:51 PM.",),
    ("x", "■ exceeded retry limit, last status: 429 Too Many Requests"),
    ("\u203a Ask Codex to do anything", "", "GPT-5.5 default · /x", "? for shortcuts"),
    ("Trust this folder?", "enter continue · esc back"),
    (">_ OpenAI Codex (v0.171.0)", "Worked for 5s • 14:02"),
]  # fmt: skip


@pytest.mark.parametrize("lines", QUOTES, ids=[q[-1][:30] for q in QUOTES])
@pytest.mark.parametrize(
    "state", ["idle-after", "busy", "busy-still", "draft", "limit"]
)
def test_what_the_agent_says_is_not_its_state(
    state: str, lines: tuple[str, ...]
) -> None:
    """Menus, limits and signs of work in the agent's own text change nothing."""
    screen = recorded(f"codex-{state}")
    assert CODEX.read(says(screen, *lines)) == CODEX.read(screen)


@given(
    st.lists(st.text(st.characters(exclude_categories=["C"])), min_size=1, max_size=9)
)
def test_no_text_of_the_agent_changes_its_state(lines: list[str]) -> None:
    """Whatever an idle agent has said, it is idle and its input line is empty."""
    screen = recorded("codex-idle-after")
    assert CODEX.read(says(screen, *lines)) == CODEX.read(screen)


@pytest.mark.parametrize("lines", QUOTES, ids=[q[-1][:30] for q in QUOTES])
def test_an_answer_that_still_comes_in_is_not_idle(lines: tuple[str, ...]) -> None:
    """Without a row or a spinner that tells of work, an open turn is unknown."""
    screen = says(recorded("codex-idle-after"), *lines)
    end = max(row for row, line in enumerate(screen.lines) if WORKED in line)
    rows = [*screen.styled[:end], "\x1b[0m", *screen.styled[end + 1 :]]
    open_turn = made(rows, (2, 36), (120, 40), "hello | repo")
    reading = CODEX.read(open_turn)
    assert (reading.activity, reading.accepts) == (Activity.UNKNOWN, False)


def test_a_prompt_just_submitted_is_not_idle() -> None:
    """Between Enter and the first sign of work nothing proves that it waits."""
    screen = recorded("codex-busy")
    end = next(row for row, line in enumerate(screen.lines) if WORKING in line)
    rows = [*screen.styled[:end], "\x1b[0m", *screen.styled[end + 1 :]]
    calm = made(rows, (2, 36), (120, 40), "repo")
    assert CODEX.read(calm).activity is Activity.UNKNOWN


def test_a_spinner_in_the_title_is_work() -> None:
    """The title tells of a next turn before the rows do."""
    screen = replace(recorded("codex-idle-after"), title="⠙ hello | repo")
    assert CODEX.read(screen).activity is Activity.BUSY


def test_a_title_that_calls_for_a_human_is_waiting() -> None:
    """Where no rule knows the dialog, the title still tells that one is open."""
    screen = made(["  Something new", "  to decide"], title="[ ! ] Action Required | x")
    assert CODEX.read(screen).activity is Activity.WAITING
    screen = replace(recorded("codex-idle-after"), title=screen.title)
    reading = CODEX.read(screen)
    assert (reading.activity, reading.accepts) == (Activity.WAITING, False)


def test_a_cursor_outside_the_input_line_accepts_nothing() -> None:
    """Without the cursor on its input line the reading is unknown."""
    screen = replace(recorded("codex-idle-after"), cursor_x=0, cursor_y=0)
    reading = CODEX.read(screen)
    assert (reading.activity, reading.accepts) == (Activity.UNKNOWN, False)


def test_a_suggestion_that_a_human_has_typed_is_a_draft() -> None:
    """The words of the ghost text in full brightness were typed."""
    screen = recorded("codex-idle")
    styled = [row.replace("\x1b[2mAsk", "Ask") for row in screen.styled]
    typed = made(styled, (26, 36), (120, 40), "repo")
    assert CODEX.read(typed).draft == EMPTY


@pytest.mark.parametrize("name", [row[0] for row in READ if row[1] != "idle"])
def test_a_half_painted_screen_is_not_idle(name: str) -> None:
    """A screen of which the lower rows are missing does not turn an agent idle."""
    screen = recorded(f"codex-{name}")
    for last in range(len(screen.styled)):
        cut = list(screen.styled[:last])
        cursor = (screen.cursor_x, screen.cursor_y)
        size = (screen.width, screen.height)
        reading = CODEX.read(made(cut, cursor, size, screen.title))
        assert reading.activity is not Activity.IDLE


@given(st.lists(st.text(max_size=60), max_size=30), st.text(max_size=9))
def test_any_screen_can_be_read(rows: list[str], title: str) -> None:
    """No screen makes reading raise."""
    screen = made([row.replace("\n", " ") for row in rows], title=title)
    CODEX.read(screen)
    CODEX.holds(screen, "text")


@pytest.mark.parametrize("first", ["  some words", "  >_ OpenAI Codex (v0.171.0)"])
def test_a_screen_full_of_an_answer_is_not_idle(first: str) -> None:
    """Where neither the header nor the end of a turn is in sight, it is unknown."""
    screen = recorded("codex-idle")
    top = screen.cursor_y
    rows = [first, *["  some words"] * (top - 1), *screen.styled[top:]]
    full = made(rows, (2, top), (120, 40), "repo")
    assert CODEX.read(full).activity is Activity.UNKNOWN


def test_a_draft_that_looks_like_an_option_is_a_draft() -> None:
    """A list is a text; the chosen row of a menu stands in reverse video."""
    screen = recorded("codex-draft")
    styled = [row.replace("a human types", "1. Yes, ") for row in screen.styled]
    listed = made(styled, (12, 36), (120, 40), "repo")
    assert CODEX.read(listed).draft == "1. Yes,  this"


def test_a_dead_pane_is_unknown() -> None:
    """What is left on the screen of a program that has ended is no state."""
    screen = replace(recorded("codex-idle-after"), dead=True)
    assert CODEX.read(screen).activity is Activity.UNKNOWN


# Verified against 0.171.0: with this text on the line, one Enter submits it.
LITERAL = [
    ("hello", "hello"),
    ("# Title\nbody", "# Title\nbody"),
    ("/help", " /help"),
    ("\n/help", " \n/help"),
    ("/model\nmore", " /model\nmore"),
    ("/etc/hosts is a file", " /etc/hosts is a file"),
    ("!ls", " !ls"),
    ("exit", "exit"),
    ("?", "?"),
    ("look at @README.md", "look at @README.md "),
    ("a\n@READ", "a\n@READ "),
    ("@README.md please", "@README.md please"),
    ("mail me@example.com", "mail me@example.com"),
    ("(@README", "(@README"),
    ("it costs $", "it costs $ "),
    ("use $skill", "use $skill "),
    ("a path C:\\", "a path C:\\"),
]


@pytest.mark.parametrize(("text", "typed"), LITERAL)
def test_a_text_is_typed_so_that_it_arrives(text: str, typed: str) -> None:
    """What would be a command or open a list of completions is kept from doing so."""
    assert CODEX.literal(text) == typed


HOLDS = [
    ("draft", "a human types this", True),
    ("draft", "quite another text", None),
    ("draft-lines", "line one\nline two\n\nline four", True),
    ("draft-pasted", "word line\n" * 300, True),
    ("draft-scrolled", "\n".join(map(str, range(61))), True),
    ("idle-after", "gone", False),
    ("idle", EMPTY, False),
    ("approval-run", "text", None),
    ("trust", "text", None),
]


@pytest.mark.parametrize(("name", "text", "held"), HOLDS)
def test_the_input_line_tells_whether_it_holds_a_text(
    name: str, text: str, held: bool | None
) -> None:
    """Text and placeholders are held; a suggestion is not; a dialog does not tell."""
    assert CODEX.holds(recorded(f"codex-{name}"), text) is held


def test_the_path_of_an_image_is_held_as_an_image() -> None:
    """A pasted path of an image file turns into `[Image #1]`."""
    screen = recorded("codex-draft")
    styled = [row.replace("a human types this", "[Image #1]") for row in screen.styled]
    shown = made(styled, (12, 36), (120, 40), "repo")
    assert CODEX.holds(shown, "/srv/picture.png") is True
