"""The draft can be edited, and its cursor stands where the next character goes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtmux.agents.clerk import marks
from mdtmux.agents.clerk.draft import Draft
from mdtmux.agents.clerk.text import width

KEYS = (
    "left", "right", "home", "end", "backspace", "delete", "kill-end", "kill-word",
    "clear",
)  # fmt: skip


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        (["backspace"], "one two\nthre"),
        (["left", "delete"], "one two\nthre"),
        (["home", "delete"], "one two\nhree"),
        (["home", "kill-end"], "one two\n"),
        (["home", "left", "kill-word"], "one \nthree"),
        (["kill-word", "kill-word"], "one "),
        (["left", "right", "right", "backspace"], "one two\nthre"),
        (["home", "end", "backspace"], "one two\nthre"),
        (["clear"], ""),
    ],
)
def test_editing_keys(keys: list[str], wanted: str) -> None:
    """Each key does what it does in a shell's line editor."""
    draft = Draft()
    draft.type("one two\nthree")
    for key in keys:
        assert draft.edit(key)
    assert draft.text() == wanted


def test_a_long_paste_is_one_thing_to_delete() -> None:
    """Backspace takes the whole placeholder, and its text with it."""
    draft = Draft()
    draft.type("a")
    draft.paste("x\n" * 100)
    draft.type("b")
    assert draft.shown() == "a[Pasted text #1 +100 lines]b"
    assert draft.text() == "a" + "x\n" * 100 + "b"
    draft.edit("left")
    draft.edit("backspace")
    assert draft.text() == "ab"


def test_placeholders_are_numbered_until_the_draft_is_empty() -> None:
    """The second long paste of a draft is number 2."""
    draft = Draft()
    draft.paste("x" * 900)
    draft.paste("y" * 901)
    assert draft.shown() == "[Pasted text #1 900 chars][Pasted text #2 901 chars]"
    draft.replace("x\n" * 5)
    assert draft.shown() == "[Pasted text #1 +5 lines]"


@given(
    st.lists(st.text(max_size=20) | st.sampled_from(KEYS), max_size=30),
    st.integers(1, 100),
    st.integers(1, 10),
)
def test_the_layout_always_fits_and_shows_the_cursor(
    acts: list[str], columns: int, rows: int
) -> None:
    """Whatever was typed, rows are narrow enough and the cursor is on one of them."""
    draft = Draft()
    for act in acts:
        if act not in KEYS or not draft.edit(act):
            draft.type(act)

    shown, row, column = draft.layout(columns, rows)

    assert 1 <= len(shown) <= rows
    assert 0 <= row < len(shown)
    assert 2 <= column <= max(columns, 4)
    assert all(width(line) <= max(columns, 4) for line in shown)
    assert all("\n" not in line and "\x1b" not in line for line in shown)


def test_hidden_rows_are_told() -> None:
    """When the draft is higher than its room, the row at the top says so."""
    draft = Draft()
    draft.type("one\ntwo\nthree")
    shown, row, _ = draft.layout(40, 2)
    assert shown == [f"{marks.HIDDEN}two", f"{marks.NEW_LINE}three"]
    assert row == 1


def test_a_huge_typed_draft_is_laid_out_at_once() -> None:
    """Only what is near the cursor is looked at."""
    draft = Draft()
    draft.type("x" * 1_000_000)
    shown, row, _ = draft.layout(80, 8)
    assert (len(shown), row) == (8, 7)
