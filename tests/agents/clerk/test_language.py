"""Prompts are read line by line: instructions, their bodies, and prose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtmux.agents.clerk.language import items, parse, parse_script, unescape

INSTRUCTIONS = {
    "write a.txt hello": ("write", {"file": "a.txt", "more": "hello"}),
    "append a.txt  two": ("append", {"file": "a.txt", "more": " two"}),
    "run ls -l | wc": ("run", {"more": "ls -l | wc"}),
    "commit say why": ("commit", {"more": "say why"}),
    "say hi: there": ("say", {"more": "hi: there"}),
    "mail jim hello": ("mail", {"to": "jim", "more": "hello"}),
    "mail jim: hello": ("mail", {"to": "jim", "more": "hello"}),
    "sleep 2": ("sleep", {"time": "2"}),
    "sleep 200ms": ("sleep", {"time": "200ms"}),
    "cpu 1.5s": ("cpu", {"time": "1.5s"}),
    "fail 429": ("fail", {"code": "429"}),
    "fail 500 no luck": ("fail", {"code": "500", "more": "no luck"}),
    "exit": ("exit", {}),
    "exit 3": ("exit", {"code": "3"}),
    "crash": ("crash", {}),
    "flood 1000": ("flood", {"amount": "1000"}),
    "flood 5MB color": ("flood", {"amount": "5MB", "color": "color"}),
    "flood forever": ("flood", {"amount": "forever"}),
    "memory 200": ("memory", {"amount": "200"}),
    "memory 200MB": ("memory", {"amount": "200"}),
    "fork 3": ("fork", {"count": "3"}),
    "fork 1 detached term-ignoring": (
        "fork",
        {"count": "1", "how": " detached term-ignoring"},
    ),
    "ask Why? | this | that": ("ask", {"more": "Why? | this | that"}),
    "limit": ("limit", {}),
    "limit 3:45pm (UTC)": ("limit", {"more": "3:45pm (UTC)"}),
    "dispatch jim: do it": ("dispatch", {"to": "jim", "more": "do it"}),
    "wait jim pam": ("wait", {"names": "jim pam"}),
    "merge jim": ("merge", {"to": "jim"}),
}
PROSE = [
    "Write a.txt hello", "write", "sleep well", "exit the room", "crash now", "run",
    "fork the repository", "flood the market", "memory is short", "fail often",
    "wait for Jim's answer, please", "merge both branches", "dispatch jim", "mail",
    "please", "- run ls", "> say hi", "writes a.txt x", "limits", "fork 1 sideways",
]  # fmt: skip


@pytest.mark.parametrize("line", INSTRUCTIONS)
def test_each_instruction_is_read(line: str) -> None:
    """Word and parts come out as the manual says."""
    program = parse(line)
    (found,) = program.instructions
    assert (found.word, dict(found.parts)) == INSTRUCTIONS[line]
    assert not program.prose
    assert str(found).startswith(found.word)


@pytest.mark.parametrize("line", PROSE)
def test_what_does_not_fit_is_prose(line: str) -> None:
    """A word alone makes no instruction: its argument must have the right shape."""
    program = parse(line)
    assert program.prose
    assert program.instructions == ()


def test_indented_lines_belong_to_the_line_above() -> None:
    """Bodies are taken without their indent, blank lines inside included."""
    program = parse("write a.txt\n    one\n      two\n\n    three\n\nsay x\n")
    first, second = program.instructions
    assert first.part("more") == "one\n  two\n\nthree"
    assert second.part("more") == "x"


def test_bodies_of_prose_are_prose() -> None:
    """An instruction inside an indented block is not followed."""
    assert parse("Do this:\n  crash").instructions == ()
    assert parse("  crash").instructions == ()


def test_a_dispatch_block_is_a_list() -> None:
    """Items keep their order and their own bodies."""
    text = "dispatch:\n  jim: write a x\n    commit a\n  pam:\n    say one\n    say two"
    (found,) = parse(text).instructions
    assert found.word == "dispatch"
    assert list(items(found.part("more"))) == [
        ("jim", "write a x\ncommit a"),
        ("pam", "say one\nsay two"),
    ]


def test_a_faulty_item_is_named() -> None:
    """A line of a dispatch block without an agent is an error."""
    with pytest.raises(ValueError, match="`nobody` is not AGENT: TEXT"):
        list(items("jim: x\nnobody"))


@given(st.text())
def test_any_prompt_can_be_read(text: str) -> None:
    """Reading is total, and nothing but blanks is neither instruction nor prose."""
    program = parse(text)
    assert bool(program.instructions) or program.prose or not text.strip()


@given(st.text())
def test_escapes_round_trip(text: str) -> None:
    """Escaped text comes back as it was."""
    escaped = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
    assert unescape(escaped) == text


def test_a_script_has_an_opening_and_reactions() -> None:
    """Reactions are found by the first pattern that matches."""
    script = parse_script("# note\nsay a\non b+c: say one\non b:\n  say two\n  exit\n")
    assert script.opening == "say a"
    first, second = script.reaction("xbbc"), script.reaction("b")
    assert first is not None
    assert second is not None
    assert [i.word for i in first.instructions] == ["say"]
    assert [i.word for i in second.instructions] == ["say", "exit"]
    assert script.reaction("nothing") is None


@pytest.mark.parametrize("text", ["hello", "on x: hello", "on (: say x", "on x:"])
def test_faulty_scripts_are_refused(text: str) -> None:
    """Scripts hold instructions only, and patterns that compile."""
    with pytest.raises(ValueError, match="is not"):
        parse_script(text)
