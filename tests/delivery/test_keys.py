"""Keys are pressed when they are asked for by name, and only then."""

from __future__ import annotations

import pytest

from mdtmux.delivery.gate import deliver
from mdtmux.delivery.keys import check_keys, press
from mdtmux.delivery.receipt import Outcome
from mdtmux.errors import UsageError
from tests.support.panes import Desk
from tests.support.wait import until


@pytest.mark.parametrize(
    "key",
    [
        "Enter",
        "Escape",
        "C-c",
        "M-Enter",
        "C-M-x",
        "y",
        "1",
        ";",
        "-",
        "F5",
        "Up",
        "S-Tab",
    ],
)
def test_names_of_keys_are_taken(key: str) -> None:
    """Tmux's names, single characters and modifiers are keys."""
    assert check_keys([key]) == (key,)


@pytest.mark.parametrize(
    "key", ["", "enter", "Ctrl-c", "hello", "0x41", "C-", "é", "F13", "Up Down"]
)
def test_other_words_are_not(key: str) -> None:
    """What tmux would type as text instead is a usage error."""
    with pytest.raises(UsageError, match="not the name of a key"):
        check_keys([key])


def test_keys_reach_the_program(desk: Desk) -> None:
    """A dialog is no reason to hold back a key that was asked for."""
    target = desk.sit("a", "dialog=menu")

    got = press(desk.tmux, target, ["2", "Enter"], 5.0)

    assert (got.outcome, got.reason) == (Outcome.SUBMITTED, "pressed 2 Enter")
    answered = until(lambda: desk.events("a", "dialog-answered"), what="the answer")
    assert answered[0]["with_text"] == "2"


def test_keys_do_not_come_in_one_read(desk: Desk) -> None:
    """Where an Enter in a burst is a line break, it is an Enter all the same."""
    target = desk.sit("a", "swallow")

    press(desk.tmux, target, ["y", "Enter"], 5.0)

    until(lambda: desk.submitted("a"), what="the answer")
    assert desk.submitted("a") == ["y"]


def test_semicolons_are_keys_too(desk: Desk) -> None:
    """A key that tmux would take for syntax arrives."""
    target = desk.sit("a")

    press(desk.tmux, target, [";", "-", "Enter"], 5.0)

    until(lambda: desk.submitted("a") == [";-"], what="the keys")


def test_no_keys_for_a_shell_or_the_dead(desk: Desk) -> None:
    """A shell and a program that has ended get no keys."""
    shell = desk.sit("s", argv=("sh",))
    until(lambda: desk.tmux.screen(shell.pane).text().strip(), what="its prompt")
    dead = desk.sit("a", "after=0.1")
    until(lambda: desk.tmux.look(dead.pane)[0].dead, what="its end")

    for target in (shell, dead):
        assert press(desk.tmux, target, ["Enter"], 5.0).outcome is Outcome.REFUSED


def test_a_scrolled_pane_is_brought_back_before_a_key(desk: Desk) -> None:
    """In copy mode the key would drive the scroll view."""
    target = desk.sit("a")
    desk.tmux.call("copy-mode", "-t", target.pane)

    press(desk.tmux, target, ["x", "Enter"], 5.0)

    until(lambda: desk.submitted("a") == ["x"], what="the keys")


@pytest.mark.parametrize("scope", ["-w", "-p"])
def test_panes_synchronized_by_hand_get_nothing_of_each_other(
    desk: Desk, scope: str
) -> None:
    """With synchronize-panes on, text and keys reach the target alone, and it stays on."""
    target = desk.sit("a")
    desk.sit("b", "dialog=menu")
    other = next(one for one in desk.tmux.panes() if one.agent == "b")
    desk.tmux.call("join-pane", "-s", other.pane, "-t", target.pane)
    for pane in (target.pane, other.pane):
        desk.tmux.call("set-option", scope, "-t", pane, "synchronize-panes", "on")

    got = deliver(desk.tmux, target, "hello")
    press(desk.tmux, target, ["x", ";", "Enter"], 5.0)

    assert got.outcome is Outcome.SUBMITTED, got
    until(lambda: desk.submitted("a") == ["hello", "x;"], what="the keys")
    assert desk.events("b", "dialog-answered") == []
    for pane in (target.pane, other.pane):
        shown = desk.tmux.call(
            "display-message", "-p", "-t", pane, "#{pane_synchronized}"
        )
        assert shown.strip() == "1"
