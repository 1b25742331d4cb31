"""The gate with an agent whose screen mdtmux reads: the embedded clerk."""

from __future__ import annotations

import sys

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from mdtmux.agents.base import Activity
from mdtmux.agents.clerk.kind import CLERK
from mdtmux.delivery.gate import deliver
from mdtmux.delivery.receipt import Outcome, Receipt
from mdtmux.delivery.target import Options, Target
from mdtmux.delivery.text import prepare
from tests.support.panes import Desk
from tests.support.wait import until


def clerk(desk: Desk, *options: str, ready: bool = True) -> Target:
    """Start a clerk and return it as target, by default once it takes input."""
    argv = (sys.executable, "-P", "-m", "mdtmux.agents.clerk", "--name", "c")
    target = desk.sit("c", argv=(*argv, "--log", str(desk.log), *options), kind=CLERK)
    if ready:
        # Its box is there before it has done what it does at its start.
        until(
            lambda: CLERK.read(desk.tmux.screen(target.pane)).activity is Activity.IDLE,
            what="the idle clerk",
        )
    return target


def sent(desk: Desk, target: Target, text: str, **given_options: bool) -> Receipt:
    """Deliver and return the receipt."""
    wait, force = given_options.get("wait", False), given_options.get("force", False)
    command = given_options.get("command", False)
    return deliver(desk.tmux, target, text, Options(wait, force, command, timeout=30.0))


@pytest.mark.parametrize(
    "text",
    [
        "hello", "SELECT 1;", "- one\n- two", "l1\nl2\n\nl4", "!ls", "/help", " /x", "  two",
        "#tag", "@file", "?", "Enter", "ends\n", "é ✓ 日本語 👩‍👩‍👧", "> 1. Yes\n  2. No", "y/n?",
        "x" * 300, "word " * 60,
    ],
)  # fmt: skip
def test_text_arrives_as_text(desk: Desk, text: str) -> None:
    """Whatever its first character is, a text arrives as text and unchanged."""
    target = clerk(desk, "--prose")

    got = sent(desk, target, text)

    assert (got.outcome, got.enters) == (Outcome.SUBMITTED, 1), got
    assert desk.submitted("c") == [text]


def test_any_text_arrives_byte_for_byte(desk: Desk) -> None:
    """Whatever can be typed at all arrives as it was prepared, and only once."""
    target = clerk(desk, "--prose")

    @settings(max_examples=10, phases=[Phase.generate])
    @given(st.text(min_size=1, max_size=400))
    def check(text: str) -> None:
        assume(any(c.isprintable() and not c.isspace() for c in text))
        before = desk.submitted("c")
        got = sent(desk, target, text, wait=True)
        assert got.outcome is Outcome.SUBMITTED, got
        assert desk.submitted("c") == [*before, prepare(text).text]

    check()


def test_a_megabyte_arrives_whole(desk: Desk) -> None:
    """A text far larger than the screen stands as a placeholder and is submitted."""
    target = clerk(desk, "--prose")
    text = "a row of a large file, with numbers 0123456789\n" * 21_000

    got = sent(desk, target, text)

    assert got.outcome is Outcome.SUBMITTED, got
    assert desk.submitted("c") == [text]


def test_a_busy_agent_is_left_alone_until_it_is_idle(desk: Desk) -> None:
    """While it works a text is refused; with `wait` it is typed once it is idle."""
    target = clerk(desk)
    assert sent(desk, target, "sleep 2").outcome is Outcome.SUBMITTED

    refused = sent(desk, target, "say second")
    got = sent(desk, target, "say second", wait=True)

    assert (refused.outcome, refused.later) == (Outcome.REFUSED, True)
    assert "busy" in refused.reason
    assert got.outcome is Outcome.SUBMITTED
    assert desk.submitted("c") == ["sleep 2", "say second"]


@pytest.mark.parametrize("force", [False, True])
def test_a_trust_dialog_holds_the_text(desk: Desk, force: bool) -> None:
    """The dialog is named and gets no Enter; after the answer the text goes through."""
    target = clerk(desk, "--trust-dialog", ready=False)
    until(
        lambda: CLERK.read(desk.tmux.screen(target.pane)).dialog == "trust",
        what="the dialog",
    )

    got = sent(desk, target, "do it", force=force)
    assert (got.outcome, got.later) == (Outcome.REFUSED, True)
    assert "trust" in got.reason
    assert desk.events("c", "dialog-answered") == []

    desk.tmux.keys(target.pane, "1")
    until(lambda: desk.events("c", "dialog-answered"), what="the answer")
    assert sent(desk, target, "say it", wait=True).outcome is Outcome.SUBMITTED


def test_an_approval_that_a_text_brings_up_is_its_proof(desk: Desk) -> None:
    """A text that makes the agent ask at once was submitted; the next one is held."""
    target = clerk(desk)

    first = sent(desk, target, "run echo hi")
    until(
        lambda: CLERK.read(desk.tmux.screen(target.pane)).dialog == "approval",
        what="the approval menu",
    )
    second = sent(desk, target, "hold on")

    assert first.outcome is Outcome.SUBMITTED, first
    assert second.outcome is Outcome.REFUSED
    assert desk.events("c", "dialog-answered") == []


def test_a_humans_draft_is_neither_joined_nor_sent(desk: Desk) -> None:
    """What somebody has typed and not sent stays as it is."""
    target = clerk(desk)
    desk.tmux.call("send-keys", "-t", target.pane, "-l", "half a thought")
    until(lambda: "thought" in desk.tmux.screen(target.pane).text(), what="the draft")

    got = sent(desk, target, "hello", force=True)

    assert (got.outcome, got.later) == (Outcome.REFUSED, True)
    assert "draft" in got.reason
    assert CLERK.read(desk.tmux.screen(target.pane)).draft == "half a thought"


def test_a_command_is_meant_as_one_only_when_asked(desk: Desk) -> None:
    """`command` uses the CLI's own commands; without it they are text."""
    target = clerk(desk, "--prose")

    assert sent(desk, target, "/help").outcome is Outcome.SUBMITTED
    assert (
        sent(desk, target, "/help", command=True, wait=True).outcome
        is Outcome.SUBMITTED
    )

    assert desk.submitted("c") == ["/help"]
    assert [event["text"] for event in desk.events("c", "command")] == ["/help"]


def test_a_prompt_waits_for_a_slow_start(desk: Desk) -> None:
    """A clerk that throws early input away gets the prompt when it listens."""
    target = clerk(desk, "--boot", "1.5s", "--prose", ready=False)

    got = sent(desk, target, "go\non", wait=True)

    assert got.outcome is Outcome.SUBMITTED, got
    assert desk.submitted("c") == ["go\non"]
