"""An open question is seen on the screen of any program."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtmux.agents.menus import open_menu
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
        "Pick one\n  a\n  b\n↑/↓ to move, Enter to select",
        "Theme:\n  1) dark\n> 2) light\n",
        "Do you trust the files in this folder?",
        "[sudo] password for me:",
        "Enter passphrase for key '/home/me/.ssh/id':",
        "line\n--More--",
        "a log\n(END)",
        "Press Enter to continue…",
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
    """Lists, answered menus and input lines are not."""
    assert open_menu(screen(text)) is None


@given(st.lists(st.text(max_size=60), max_size=30))
def test_any_screen_can_be_judged(rows: list[str]) -> None:
    """No screen makes it raise."""
    open_menu(screen("\n".join(rows)))
