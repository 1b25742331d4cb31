"""Scalars as written: in every key that takes text (C58), and what text may be."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.support.office_files import agent, agent_fault, fault, office, wrap

AS_WRITTEN = [
    "no", "yes", "on", "Off", "true", "1.10", "010", "007", "0123456", "12:30", "1e3",
    "1_000", "2026-01-02", "0x1F", ".inf", ".nan", "-1", "=", "<<", "+1", "1,000",
]  # fmt: skip
NOTHING = ["", "~", "null", "Null", "NULL"]


@pytest.mark.parametrize("text", AS_WRITTEN)
def test_environment_values_keep_their_spelling(text: str) -> None:
    """`DEBUG: yes` is `yes`, `N: 007` is `007` (C58)."""
    found = office(f"agents:\n- name: a\n  kind: clerk\n  env:\n    V: {text}\n")
    assert found.agents[0].env == (("V", text),)


@pytest.mark.parametrize("text", AS_WRITTEN)
def test_words_of_a_command_keep_their_spelling(text: str) -> None:
    """Each word of a list is what the file has (C58)."""
    found = office(f"agents:\n- name: a\n  command:\n  - run\n  - {text}\n")
    assert found.agents[0].command == ("run", text)


@pytest.mark.parametrize("text", [text for text in AS_WRITTEN if text != "<<"])
def test_one_line_texts_keep_their_spelling(text: str) -> None:
    """Role, version, model, shell and prompt are what the file has (C58)."""
    if text.startswith("-"):
        assert agent(f"prompt: {text}").prompt == text
        return
    found = office(
        f"version: {text}\nagents:\n- name: a\n  kind: clerk\n  role: {text}\n"
        f"  model: {text}\n  prompt: {text}\n  base: {text}\n"
    )
    one = found.agents[0]
    assert [found.version, one.role, one.model, one.prompt, one.base] == [text] * 5


@pytest.mark.parametrize(
    "text", ["no", "010", "007", "0123456", "1e3", "2026-01-02", "true"]
)
def test_names_and_branches_keep_their_spelling(text: str) -> None:
    """A name that YAML takes for a number or a no is a name (C58)."""
    found = office(
        f"name: {text}\nagents:\n- name: {text}\n  kind: clerk\n  branch: {text}\n"
    )
    assert [found.name, found.agents[0].name, found.agents[0].branch] == [text] * 3


def test_a_branch_of_two_numbers_is_no_number() -> None:
    """`branch: 1.10` is the branch 1.10, not 1.1 (C58)."""
    assert agent("branch: 1.10").branch == "1.10"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("my.app", "`my.app`: `.` cannot stand there"),
        ("'api:42'", "`api:42`: `:` cannot stand there"),
        ("12:30", "`12:30`: `:` cannot stand there"),
        ("1.10", "`1.10`: `.` cannot stand there"),
        ("-x", "`-x`: `-` cannot stand there"),
        ("é", "`é`: `é` cannot stand there"),
        ("'a b'", "`a b`: ` ` cannot stand there"),
        ('"a\\n"', "`a\\n`: `\\n` cannot stand there"),
        ("''", "``: a name cannot be empty"),
        ("x" * 65, "a name has at most 64 characters"),
        ("[a]", "expected a string, got a list"),
        ("{a: b}", "expected a string, got a mapping"),
        ("", "expected a string, got nothing (leave the key out)"),
        (
            "~",
            "expected a string, got nothing (leave the key out, or quote it to mean the word `~`)",
        ),
    ],
)
def test_names_that_are_refused(name: str, message: str) -> None:
    """A name that tmux would rewrite is refused, and the character is named (C16)."""
    found = fault(f"name: {name}\nagents: [{{name: a, kind: clerk}}]\n")
    assert found.startswith("1:1: at name: ")
    assert message in found


@pytest.mark.parametrize(
    "key", ["role", "model", "base", "branch", "shell", "dir", "command"]
)
@pytest.mark.parametrize("text", NOTHING)
def test_nothing_is_no_text(key: str, text: str) -> None:
    """An empty place is never taken for a word; the line and the remedy are told."""
    rest = "" if key in ("shell", "command") else "  kind: clerk\n"
    message = fault(f"agents:\n- name: a\n{rest}  {key}: {text}\n")
    assert message.startswith(
        f"{4 if rest else 3}:3: at agents[1] 'a' > {key}: expected "
    )
    assert "got nothing (leave the key out" in message


@pytest.mark.parametrize("text", NOTHING)
def test_nothing_in_the_environment_is_kept_as_written(text: str) -> None:
    """An empty value is the empty text; `~` and `null` are these characters."""
    found = office(f"agents:\n- name: a\n  kind: clerk\n  env:\n    E: {text}\n")
    assert found.agents[0].env == (("E", text),)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("role: ''", "role: cannot be empty"),
        ("role: ' '", "role: cannot be empty"),
        ('role: "a\\tb"', "role: `a\\tb` must be one line without control characters"),
        ("base: -x", "base: `-x` begins with `-` and would pass for an option"),
        ("model: -x", "model: `-x` begins with `-` and would pass for an option"),
        ("role: {a: b}", "role: expected a string, got a mapping"),
        ("shell: ''", "shell: cannot be empty"),
        (
            "paste: fiel",
            "paste: expected one of auto, file, got `fiel` (did you mean `file`?)",
        ),
        ("paste: [file]", "paste: expected one of auto, file, got a list"),
    ],
)
def test_lines_that_are_refused(keys: str, message: str) -> None:
    """A line that a program could misread is refused with its reason."""
    assert agent_fault(keys) == message


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (
            "'('",
            "`(` is no regular expression: missing ), unterminated subpattern at position 0",
        ),
        ("''", "`` is no regular expression: it is empty and would match everything"),
        (
            "'[[a]'",
            "`[[a]` is no regular expression: Possible nested set at position 1",
        ),
        (
            "'a{99999999999}'",
            "`a{99999999999}` is no regular expression: the repetition number is too large",
        ),
    ],
)
def test_patterns_that_are_refused(pattern: str, reason: str) -> None:
    """A regular expression is compiled when the file is read, not when it is needed."""
    assert agent_fault(f"ready: {{pattern: {pattern}}}") == f"ready > pattern: {reason}"
    assert (
        agent_fault(f"command: x, screen: {{busy: {pattern}}}")
        == f"screen > busy: {reason}"
    )


NASTY = "`touch P1` $(touch P2) \"q\" 'q' \\ ! $HOME ${X} $5 $$ ^x$ * ~ ; # % -"


def test_no_text_is_interpolated() -> None:
    """Quotes, backticks and `$` are characters like any other (C60)."""
    literal = "".join(f"    {line}\n" for line in (NASTY, "", NASTY))
    found = office(
        "agents:\n- name: a\n  command:\n  - run\n  - |-\n"
        + literal
        + "  prompt: |\n"
        + literal
        + "  env:\n    P: 'a$b'\n    Q: '$$'\n    R: '^x$'\n"
    ).agents[0]
    assert found.command == ("run", f"{NASTY}\n\n{NASTY}")
    assert found.prompt == f"{NASTY}\n\n{NASTY}\n"
    assert found.env == (("P", "a$b"), ("Q", "$$"), ("R", "^x$"))


TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1
)


@given(TEXT)
def test_any_quoted_text_arrives_character_for_character(text: str) -> None:
    """A prompt, an argument and a variable in quotes are what the YAML says."""
    quoted = yaml.safe_dump(text, allow_unicode=False, default_style='"', width=10**6)
    body = quoted.strip().removesuffix("...").strip()
    one = office(
        f"agents:\n- name: a\n  command: [run, {body}]\n  env: {{V: {body}}}\n"
    ).agents[0]
    assert one.command == ("run", text)
    assert one.env == (("V", text),)


def test_the_wrapper_is_an_office() -> None:
    """The tests' own short form declares what it seems to."""
    assert office(wrap("role: x")).agents[0].role == "x"
