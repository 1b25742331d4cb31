"""The tree of an office file: merges, doubles, anchors, bounds."""

from __future__ import annotations

from mdtmux.office.model import Ready
from tests.support.office_files import agent, fault, faults, office


def test_a_key_given_twice_names_both_lines() -> None:
    """Two prompts in one agent are an error that names both lines (C57)."""
    text = "agents:\n- name: a\n  kind: clerk\n  prompt: one\n  prompt: two\n"
    assert fault(text) == (
        "5:3: at agents[1] 'a' > prompt: `prompt` is given twice: lines 4 and 5"
    )


def test_two_lists_of_agents_name_both_lines() -> None:
    """`agents:` written twice is an error, not the last one's victory (C57)."""
    text = "agents: [{name: a, kind: clerk}]\nagents: [{name: b, kind: clerk}]\n"
    assert fault(text) == "2:1: at agents: `agents` is given twice: lines 1 and 2"


def test_keys_that_differ_in_quotes_only_are_the_same_key() -> None:
    """A key in quotes is the key without them."""
    text = 'name: x\n"name": y\nagents: [{name: a, kind: clerk}]\n'
    assert fault(text) == "2:1: at name: `name` is given twice: lines 1 and 2"


def test_doubles_in_the_users_own_keys_are_found() -> None:
    """Also what is only a place for anchors must not hold a key twice."""
    text = "x-a: {b: 1, b: 2}\nagents: [{name: a, kind: clerk}]\n"
    assert fault(text) == "1:13: at x-a > b: `b` is given twice: lines 1 and 1"


def test_a_merge_lies_below_explicit_keys() -> None:
    """`<<: *base` brings keys, and an explicit key wins wherever it stands (C57)."""
    found = office(
        "x-base: &base {kind: clerk, role: boss, env: {A: x}}\n"
        "agents:\n"
        "- {name: a, <<: *base, role: tester}\n"
        "- {name: b, role: tester, <<: *base}\n"
        "- {<<: *base, name: c}\n"
    )
    assert [(one.name, one.role) for one in found.agents] == [
        ("c", "boss"),
        ("a", "tester"),
        ("b", "tester"),
    ]
    assert found.agents[1].env == (("A", "x"),)


def test_a_merge_of_several_mappings_takes_the_first_that_has_the_key() -> None:
    """`<<: [*x, *y]` is read as YAML says: x before y (C57)."""
    found = office(
        "x-x: &x {role: one}\nx-y: &y {role: two, kind: clerk}\n"
        "agents: [{name: a, <<: [*x, *y]}]\n"
    ).agents[0]
    assert (found.role, found.kind) == ("one", "clerk")


def test_merges_work_inside_merged_mappings_and_env() -> None:
    """What a mapping has merged is merged on, and `env` takes merges too."""
    found = office(
        "x-1: &one {A: '1', B: '1'}\nx-2: &two {<<: *one, B: '2'}\n"
        "agents: [{name: a, kind: clerk, env: {<<: *two, C: '3'}}]\n"
    ).agents[0]
    assert dict(found.env) == {"A": "1", "B": "2", "C": "3"}


def test_an_anchor_on_an_agent_makes_the_next_one() -> None:
    """The way people copy agents: an anchor on the first, a merge in the second."""
    found = office(
        "agents:\n- &first\n  name: a\n  kind: clerk\n  ready: {timeout: 5s}\n"
        "- <<: *first\n  name: b\n"
    )
    assert found.agents[1].ready == Ready(None, 5.0)


def test_a_quoted_merge_sign_is_an_ordinary_key() -> None:
    """Only the unquoted `<<` merges."""
    assert agent("env: {A: x}").env == (("A", "x"),)
    assert "`<<` is no variable name" in fault(
        "agents: [{name: a, kind: clerk, env: {'<<': x}}]\n"
    )


def test_a_merge_of_something_else_is_refused() -> None:
    """`<<` takes mappings, and the place of the wrong one is told."""
    text = "agents: [{name: a, kind: clerk, <<: [x]}]\n"
    assert fault(text) == (
        "1:38: at agents[1] 'a': `<<` takes a mapping or a list of mappings, got `x`"
    )


def test_a_bomb_of_aliases_ends_early() -> None:
    """Nine levels of nine aliases are refused in bounded time and memory (C57)."""
    lines = ["x-0: &a0 [x, x, x, x, x, x, x, x, x]"]
    for level in range(1, 10):
        items = ", ".join([f"*a{level - 1}"] * 9)
        lines.append(f"x-{level}: &a{level} [{items}]")
    message = fault("\n".join(lines) + "\n")
    assert message.startswith("6:11: at x-5[1]: more than 100000 values")


def test_a_bomb_of_merges_ends_early() -> None:
    """A long chain of merged mappings is bounded too."""
    lines = ["x-0: &a0 {k0: 1}"]
    lines += [f"x-{n}: &a{n} {{<<: *a{n - 1}, k{n}: 1}}" for n in range(1, 2000)]
    assert "more than 100000 values" in fault("\n".join(lines))


def test_an_alias_inside_its_own_anchor_is_refused() -> None:
    """A mapping that contains itself has no end."""
    assert fault("x-a: &a\n  b: *a\n") == (
        "2:6: at x-a > b: the alias `*a` stands inside its own anchor"
    )


def test_an_alias_without_anchor_is_refused() -> None:
    """A mistyped alias is told with its place."""
    assert fault("name: *nam\n") == (
        "1:7: at name: no anchor `&nam` stands before this alias"
    )


def test_deep_nesting_ends_early() -> None:
    """Brackets without end are refused before they cost anything."""
    assert fault("[" * 60).endswith("nested deeper than 32 levels")
    assert "nest" in fault("[" * 100_000)


def test_a_key_that_is_a_list_is_refused() -> None:
    """YAML allows any node as a key; an office file does not."""
    assert faults("? [a, b]\n: x\nagents: [{name: a, kind: clerk}]\n") == [
        "office.yaml:1:3: a key must be text, got a list"
    ]


def test_a_nul_in_a_text_is_refused() -> None:
    """No argument, variable or prompt can hold a NUL."""
    text = 'agents: [{name: a, kind: clerk, prompt: "x\\0y"}]\n'
    assert fault(text) == (
        "1:41: at agents[1] 'a' > prompt: the text holds a NUL or half of a surrogate pair"
    )
