"""Lists, commands and variables."""

from __future__ import annotations

import pytest

from mdtmux.office.lists import MAX_ARGUMENT
from tests.support.office_files import agent, agent_fault, office


@pytest.mark.parametrize(
    ("text", "argv"),
    [
        ("make serve", ("make", "serve")),
        ("\"run 'a b' c\\\\ d $X `y`\"", ("run", "a b", "c d", "$X", "`y`")),
        ("'run \"\"'", ("run", "")),
        ("[run, 'a b', '', no, 1.10]", ("run", "a b", "", "no", "1.10")),
        ("[run, '$(x)', '~', '*']", ("run", "$(x)", "~", "*")),
        ("'run # no comment'", ("run", "#", "no", "comment")),
    ],
)
def test_commands(text: str, argv: tuple[str, ...]) -> None:
    """A list is the argument vector; a text is split as a shell would, without one."""
    assert agent(f"command: {text}").command == argv


def test_a_command_of_several_lines() -> None:
    """A folded or literal text is split at any white space."""
    found = office("agents:\n- name: a\n  command: |\n    run\n    --x 'a\n    b'\n")
    assert found.agents[0].command == ("run", "--x", "a\nb")


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            'command: "run \'a"',
            "command: unbalanced quotes or a lone \\ in `run 'a` "
            "(write it as a list, which needs no quoting)",
        ),
        ("command: ''", "command: names no program"),
        ("command: []", "command: names no program"),
        ("command: ['']", "command: names no program"),
        ("command: {a: b}", "command: expected a string or a list, got a mapping"),
        ("command: [x, [y]]", "command[2]: expected a string, got a list"),
        ("command: [x, {y: z}]", "command[2]: expected a string, got a mapping"),
        (
            "command: [x, null]",
            "command[2]: expected a string, got nothing "
            "(leave the key out, or quote it to mean the word `null`)",
        ),
        ("setup: ['']", "setup[1]: cannot be empty"),
        ("setup: {a: b}", "setup: expected a string or a list, got a mapping"),
        ("copy: [[x]]", "copy[1]: expected a string, got a list"),
        ("depends_on: [{b: c}]", "depends_on[1]: expected a string, got a mapping"),
        (
            "env: [A=1]",
            "env: expected a mapping of names to texts, got a list (write `NAME: value`)",
        ),
        ("env: x", "env: expected a mapping of names to texts, got `x`"),
        ("env: {A: [1]}", "env > A: expected a string, got a list"),
        ("env: {A: {B: 1}}", "env > A: expected a string, got a mapping"),
        ("env: {A-B: 1}", "env > A-B: `A-B` is no variable name (letters, digits, _)"),
        ("env: {1A: 1}", "env > 1A: `1A` is no variable name (letters, digits, _)"),
        ("env: {'': 1}", "env: `` is no variable name (letters, digits, _)"),
        (
            "env: {MDTMUX_AGENT: x}",
            "env > MDTMUX_AGENT: `MDTMUX_AGENT` is set by mdtmux itself",
        ),
        ("unset: MDTMUX_RUN", "unset: `MDTMUX_RUN` is set by mdtmux itself"),
        ("unset: [A=1]", "unset: `A=1` is no variable name (letters, digits, _)"),
    ],
)
def test_lists_that_are_refused(keys: str, message: str) -> None:
    """A list inside a list names the item that is wrong."""
    assert agent_fault(keys) == message


def test_what_no_program_can_be_given_is_refused() -> None:
    """Linux starts nothing with an argument or variable of 128 KiB."""
    just = "x" * MAX_ARGUMENT
    assert agent(f"command: [run, {just}]").command == ("run", just)
    reason = f"longer than {MAX_ARGUMENT} bytes, no program can be given it"
    assert agent_fault(f"command: [run, x{just}]") == f"command[2]: {reason}"
    assert agent_fault(f"env: {{V: {just}}}") == f"env > V: {reason}"
    accents = "é" * (MAX_ARGUMENT // 2 + 1)
    assert agent_fault(f"args: [{accents}]") == f"args[1]: {reason}"


@pytest.mark.parametrize(
    "key", ["setup", "copy", "link", "env_file", "unset", "depends_on", "args"]
)
def test_a_single_text_is_a_list_of_one(key: str) -> None:
    """Where a list is meant, one text is enough, and an empty list is none."""
    assert agent(f"{key}: []") == agent("role: worker")


def test_stop_keys() -> None:
    """One key or several; none at all goes straight to TERM."""
    assert agent("stop: {keys: C-d}").stop.keys == ("C-d",)
    assert agent("stop: {keys: [C-c, C-c]}").stop.keys == ("C-c", "C-c")
    assert agent("stop: {keys: []}").stop.keys == ()
    assert agent("stop: {timeout: 0}").stop.timeout == 0
