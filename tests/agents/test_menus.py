"""An open question is seen on the screen of any program."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtmux.agents.menus import bare_question, open_menu
from mdtmux.system.screen import Screen


def screen(text: str, cursor: tuple[int, int] = (0, 0)) -> Screen:
    """Return a screen with the rows of the text."""
    rows = tuple(text.split("\n"))
    return Screen(rows, rows, *cursor, 80, 24, 0, "", dead=False)


@pytest.mark.parametrize(
    "text",
    [
        "Run rm -rf build?\n> 1. Yes\n  2. No\n",
        "Do you trust this folder?\n> 1. Yes\n  2. No",
        "╭──────────╮\n│ Proceed? │\n│ \u276f 1. Yes │\n│   2. No  │\n╰──────────╯",
        "Would you like to run it?\n\u203a 1. Yes (y)\n  2. No (esc)\n\nPress enter to confirm",
        "● 1. Allow once\n  2. Allow always\n  3. No\n\nesc to cancel",
        "Trust?\n> Yes, proceed\n  No, exit\n",
        "Overwrite the file? [y/N] ",
        "Continue (yes/no)?",
        "(1/1) Stage this hunk [y,n,q,a,d,e,?]? ",
        "Pick one\n  a\n  b\n↑/↓ to move, Enter to select",
        "Theme:\n  1) dark\n> 2) light\n",
        "Do you trust the files in this folder?",
        "[sudo] password for me:",
        "Enter passphrase for key '/home/me/.ssh/id':",
        "line\n--More--",
        "a log\n(END)",
        "Press Enter to continue…",
        "Overwrite file? y/n",
        "Overwrite file? Yes/No ",
        "Delete it?\n\n  [ Yes ]    No  ",
        "Delete it?\n│ < Yes >   < No > │",
        "A new version is there.\n> Yes   No",
        "Delete it?\n  OK  |  Cancel",
        "Pick\n» 1. Yes\n  2. No\n",
        "Pick\n-> Yes\n   No\n",
        "Pick\n> 1. Yes\n  2. No\n\na\nb\nc\nd\ne",
        "Run rm -rf build?\n> 1. Yes\n  2. No\n\n> ",
    ],
)
def test_a_question_is_seen(text: str) -> None:
    """Numbered choices, yes and no, and key hints are questions."""
    assert open_menu(screen(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "> ",
        "Did that help? Shall I go on?\n\n> ",
        "The answer is yes, no doubt about it.\n> ",
        "Either y/n or yes/no is taken.",
        "> Delete it? y/n\n> ",
        "> 1. Yes\n  2. No\n\na\nb\nc\nd\ne\n> ",
        "Run rm -rf build?\n> 1. Yes\n  2. No\n\n> ",
        "My plan:\n1. read\n2. write\n\n> ",
        "1. read\n2. write\n3. test\n",
        "> go on (y/n)\ndone\n> ",
        "* 1. one\nsome text\nmore text\nstill more\nand on\n> ",
        "esc to interrupt",
        "Type your message or @path/to/file\nEnter to send",
        "Yes, that works.\nNo other change was needed.\n",
    ],
)
def test_other_text_is_not_a_question(text: str) -> None:
    """Lists, answered menus and input lines, with the cursor on them, are not."""
    rows = text.split("\n")
    assert open_menu(screen(text, (len(rows[-1]), len(rows) - 1))) is None


def drawn(*rows: str, cursor: tuple[int, int] = (0, 0)) -> Screen:
    """Return a screen whose rows are drawn with `{…}` in reverse video."""
    plain = tuple(row.replace("{", "").replace("}", "") for row in rows)
    styled = tuple(
        row.replace("{", "\x1b[1;7m").replace("}", "\x1b[0m") for row in rows
    )
    return Screen(plain, styled, *cursor, 80, 24, 0, "", dead=False)


@pytest.mark.parametrize(
    "rows",
    [
        ("Theme?", "  {Dark}", "  Light"),
        ("Pick one:", "", "  Dark", "  {Light mode}", "", "arrows move"),
        ("Delete it?", "  {Yes} No"),
        ("│ {Allow} │", "│ Deny │"),
        ("1. first", "{2. second}"),
    ],
)
def test_a_choice_in_reverse_video_is_a_question(rows: tuple[str, ...]) -> None:
    """An option that only its colours show as chosen is one."""
    assert open_menu(drawn(*rows))


@pytest.mark.parametrize(
    ("rows", "cursor"),
    [
        (("Here is the plan:", "do it", "> ", "{ main  12% }"), (2, 2)),
        (("{ agent 1.0 }", "", "Hello: what shall I do?", "> "), (2, 3)),
        (("What now?", "{ }"), (0, 1)),
        (("some text", "{a marked row}", "more text"), (0, 2)),
    ],
)
def test_a_bar_in_reverse_video_is_not(
    rows: tuple[str, ...], cursor: tuple[int, int]
) -> None:
    """Titles, status bars and a drawn cursor are no options."""
    assert open_menu(drawn(*rows, cursor=cursor)) is None


@pytest.mark.parametrize(
    ("text", "cursor", "found"),
    [
        ("Delete all of it?", (17, 0), True),
        ("Delete all of it? ", (18, 0), True),
        ("Are you sure (yes/no/[fingerprint])?", (37, 0), True),
        ("Shall I go on?\n> ", (2, 1), False),
        ("Shall I go on?\n", (0, 1), False),
        ("> really?", (9, 0), False),
        ("done.", (5, 0), False),
    ],
)
def test_a_bare_question_has_the_cursor_behind_it(
    text: str, cursor: tuple[int, int], found: bool
) -> None:
    """The last row asks and the answer would be typed behind it."""
    assert (bare_question(screen(text, cursor)) is not None) == found


@given(st.lists(st.text(max_size=60), max_size=30))
def test_any_screen_can_be_judged(rows: list[str]) -> None:
    """No screen makes it raise."""
    for shown in (screen("\n".join(rows)), drawn(*rows)):
        open_menu(shown)
        bare_question(shown)


@pytest.mark.parametrize(
    ("above", "held"),
    [
        ("Session expired. Hit Enter to log in", True),
        ("Press any key", True),
        ("press RETURN to continue", True),
        ("Press Enter to send, Ctrl-C to quit", False),
        ("press enter", False),
    ],
)
def test_a_pause_above_an_empty_input_line_is_a_question(
    above: str, held: bool
) -> None:
    """What is typed there would be dropped; a draft or rows below tell otherwise."""
    assert (open_menu(screen(f"{above}\n> ", (2, 1))) is not None) is held
    assert open_menu(screen(f"{above}\n> a draft", (9, 1))) is None
    assert open_menu(screen(f"{above}\nWelcome\n> ", (2, 2))) is None
