"""The office reads the clerk's screen exactly, and never more than is there."""

from __future__ import annotations

import dataclasses
import sys

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mdtmux.agents.base import Activity
from mdtmux.agents.clerk import dialog, live, marks
from mdtmux.agents.clerk.answer import Prompt
from mdtmux.agents.clerk.dialog import Dialog
from mdtmux.agents.clerk.draft import Draft
from mdtmux.agents.clerk.kind import CLERK
from mdtmux.agents.clerk.live import Row, Size, View
from mdtmux.agents.clerk.paper import Entry
from mdtmux.agents.clerk.text import width
from mdtmux.names import AgentName
from mdtmux.office.model import Agent, Isolation, Marks, Paste, Ready, Stop
from mdtmux.system.screen import Screen

# What people type: narrow and wide characters, blanks, line breaks, signs of ours.
CHARACTERS = st.sampled_from(
    [*"abcXYZ019 .;!/-─", "\n", "é", "你", "✓", "🙂", marks.POINTER, *"⋮…■●"]
)
TEXT = st.text(CHARACTERS, max_size=120)
SIZES = st.builds(Size, st.integers(20, 200), st.integers(5, 60))
STATUS = st.sampled_from(
    [
        (None, Activity.IDLE),
        (Row(f"✻ {marks.WORKING} (3s · esc to interrupt)"), Activity.BUSY),
        (Row(f"{marks.LIMIT} · resets 3:45pm (UTC)"), Activity.LIMITED),
    ]
)
FOOTER = f"{marks.FOOTER} · jim · paper-1 · /help"


def _screen(view: View, size: Size, above: list[str] | None = None) -> Screen:
    """Draw live rows below a transcript, as a terminal of that size shows them."""
    rows = [row for text in above or [] for row in _wrapped(text, size)]
    room = size.height - len(view.rows)
    shown = rows[len(rows) - min(room, len(rows)) :]
    lines = [*shown, *(row.text for row in view.rows)]
    assert all(width(line) <= size.columns for line in lines)
    plain = tuple(line.rstrip() for line in lines)
    return Screen(
        lines=plain + ("",) * (size.height - len(plain)),
        styled=plain,
        cursor_x=view.column,
        cursor_y=len(shown) + view.row,
        width=size.width,
        height=size.height,
        history_size=0,
        title="",
        dead=False,
    )


def _wrapped(text: str, size: Size) -> list[str]:
    lines = text.split("\n")
    rows = [
        row for line in lines for row in Entry(marks.BULLET, line).rows(size.columns)
    ]
    return [row.text for row in rows]


def _draft(text: str) -> Draft:
    draft = Draft()
    draft.type(text)
    return draft


def _agent(
    command: tuple[str, ...] | None, model: str | None, args: tuple[str, ...]
) -> Agent:
    return Agent(
        name=AgentName("jim"), role="worker", kind="clerk", command=command, shell=None,
        args=args, model=model, branch="o/jim", base="HEAD", isolation=Isolation.OWN,
        shares=None, dir=None, copy=(), link=(), setup=(), env=(), env_file=(),
        unset=(), prompt=None, ready=Ready(), stop=Stop(), marks=Marks(),
        paste=Paste.AUTO, depends_on=(), is_process=False, line=1,
    )  # fmt: skip


@given(TEXT, SIZES, STATUS, st.lists(TEXT, max_size=5))
def test_every_box_is_read_exactly(
    text: str, size: Size, status: tuple[Row | None, Activity], above: list[str]
) -> None:
    """Activity and draft come back as they were drawn, at any size from 20x5."""
    row, activity = status
    view = live.box(_draft(text), row, FOOTER, size)

    reading = CLERK.read(_screen(view, size, above))

    assert (reading.activity, reading.dialog, reading.accepts) == (activity, None, True)
    assert reading.draft is not None
    assert (reading.draft == "") == (text == "")
    wanted = "".join(text.split())
    found = "".join(reading.draft.split())
    if reading.draft.startswith(marks.HIDDEN[0]) and found != wanted:
        assert wanted.endswith(found[1:])
    else:
        assert found == wanted
    assert bool(CLERK.holds(_screen(view, size, above), text)) is (text != "")


@given(
    st.text(["a", "b", " ", "⋮", marks.POINTER, "…"], max_size=150), st.integers(20, 60)
)
def test_a_narrow_draft_is_read_character_by_character(text: str, columns: int) -> None:
    """Blanks count too, also where a row ends."""
    size = Size(columns, 24)
    view = live.box(_draft(text), None, FOOTER, size)
    assume(len(view.rows) <= 11)  # nothing is hidden

    assert CLERK.read(_screen(view, size)).draft == text


@given(
    SIZES,
    st.sampled_from(["trust", "approval", "question"]),
    TEXT,
    st.integers(0, 8),
    st.lists(TEXT, max_size=5),
)
def test_every_menu_is_read_exactly(
    size: Size, kind: str, text: str, selected: int, above: list[str]
) -> None:
    """A dialog is named, never accepts text, and shows no draft."""
    line = text.replace("\n", " ")
    made: Dialog
    if kind == "trust":
        made = dialog.trust(f"/{line}")
    elif kind == "approval":
        made = dialog.approval(text)
    else:
        made = dialog.question(line, tuple(f"option {n} {line}" for n in range(9)))
    made.selected = selected % len(made.options)
    screen = _screen(live.menu(made, size), size, above)

    reading = CLERK.read(screen)

    assert (reading.activity, reading.dialog) == (Activity.WAITING, kind)
    assert (reading.draft, reading.accepts) == (None, False)
    assert reading.evidence
    assert CLERK.holds(screen, "anything") is None


SIGNS = [
    "■ Usage limit reached · resets 3pm",
    "✻ Working… (3s · esc to interrupt)",
    "── approval ─────────\nDo you want to proceed?\n"
    f"{marks.POINTER} 1. Yes\n  2. No\n\n"
    "Enter to confirm · Esc to cancel",
    f"{'─' * 79}\n{marks.POINTER} a draft\n{'─' * 79}\n  clerk · jim",
    "Do you want to proceed?",
]


@pytest.mark.parametrize("text", SIGNS)
@pytest.mark.parametrize("height", [5, 8, 24])
def test_text_about_a_sign_is_not_the_sign(text: str, height: int) -> None:
    """An agent may talk about limits, questions and boxes without being in one."""
    size = Size(80, height)
    view = live.box(_draft(""), None, FOOTER, size)

    reading = CLERK.read(_screen(view, size, [text]))

    assert (reading.activity, reading.draft) == (Activity.IDLE, "")


@given(
    st.lists(st.text(max_size=30) | st.sampled_from("\n".join(SIGNS).split("\n"))),
    st.integers(1, 80),
    st.integers(0, 80),
)
def test_reading_is_total(lines: list[str], columns: int, cursor: int) -> None:
    """Any screen gives a reading, and one without box or menu is unknown."""
    rows = tuple(lines)
    screen = Screen(rows, rows, cursor, cursor, columns, len(rows), 0, "", False)

    reading = CLERK.read(screen)
    CLERK.holds(screen, "x")

    if not any("clerk" in line or line.startswith("Enter to") for line in lines):
        assert reading.activity == Activity.UNKNOWN
        assert not reading.accepts


def test_a_dead_pane_is_unknown() -> None:
    """The box of a program that was killed says nothing."""
    size = Size(80, 24)
    screen = _screen(live.box(_draft(""), None, FOOTER, size), size)

    reading = CLERK.read(dataclasses.replace(screen, dead=True))

    assert reading.activity == Activity.UNKNOWN
    assert not reading.accepts


def test_a_box_that_has_been_reflowed_is_unknown() -> None:
    """Between a resize and the clerk's answer to it nothing is read."""
    size = Size(80, 24)
    screen = _screen(live.box(_draft("x"), None, FOOTER, size), size)

    assert CLERK.read(dataclasses.replace(screen, width=100)).activity == "unknown"
    rows = [part for line in screen.lines for part in _cut(line, 40)]
    narrow = dataclasses.replace(screen, lines=tuple(rows), width=40)
    assert CLERK.read(narrow).activity == Activity.UNKNOWN


def _cut(line: str, columns: int) -> list[str]:
    return [line[at : at + columns] for at in range(0, len(line), columns)] or [""]


@given(TEXT | st.text(max_size=20))
def test_literal_text_arrives_as_it_is(text: str) -> None:
    """What the kind types is submitted as exactly the text, whatever it begins with."""
    prompt = Prompt.of(CLERK.literal(text), CLERK.literal(text))

    assert (prompt.text, prompt.shell) == (text, False)


@pytest.mark.parametrize("text", ["!ls", "/exit", "/", " x", "/etc/hosts"])
def test_what_would_be_a_command_is_typed_with_a_space(text: str) -> None:
    """No literal text is a command of the clerk's."""
    assert CLERK.literal(text) == f" {text}"
    assert CLERK.settle(text) < 1


def test_long_texts_are_recognised_by_their_placeholder() -> None:
    """The placeholder counts for the text of its size, at the end of the draft."""
    text = "\n".join(str(n) for n in range(100))
    size = Size(60, 20)
    draft = _draft("before ")
    draft.paste(text)
    screen = _screen(live.box(draft, None, FOOTER, size), size)

    assert CLERK.read(screen).draft == "before [Pasted text #1 +99 lines]"
    assert CLERK.holds(screen, text) is True
    assert CLERK.holds(screen, text + "\nmore") is False
    draft.type("x")
    screen = _screen(live.box(draft, None, FOOTER, size), size)
    assert CLERK.holds(screen, text) is False


@pytest.mark.parametrize(("text", "draft"), [("abc", ""), ("abc", "abcd"), (" ", "")])
def test_other_drafts_do_not_hold_a_text(text: str, draft: str) -> None:
    """An empty draft holds nothing, and more than the text is not the text."""
    size = Size(60, 20)
    screen = _screen(live.box(_draft(draft), None, FOOTER, size), size)

    assert CLERK.holds(screen, text) is False


def test_argv_runs_this_installation() -> None:
    """The interpreter is absolute, and modules of the worktree stay out."""
    argv = CLERK.argv(_agent(None, "fast", ("--auto",)))

    head = (sys.executable, "-P", "-m", "mdtmux.agents.clerk")
    assert argv == (*head, "--name", "jim", "--model", "fast", "--auto")


def test_a_command_of_the_file_replaces_the_program() -> None:
    """`command` is the argument vector that the options are added to."""
    argv = CLERK.argv(_agent(("my-clerk", "-x"), None, ()))

    assert argv == ("my-clerk", "-x", "--name", "jim")
