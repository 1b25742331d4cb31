"""What must hold between members: names, branches, shares, dependencies, order."""

from __future__ import annotations

import pytest

from tests.support.office_files import fault, faults, office

KIND = "defaults: {kind: clerk}\nagents:\n"


def _names(*rows: str) -> str:
    return "name: lab\n" + KIND + "".join(f"- {{{row}}}\n" for row in rows)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (("name: a", "name: a"), "`a` is the name of the one on line 4 too"),
        (("name: Jim", "name: jim"), "`jim` and `Jim` on line 4 differ only in case"),
        (
            ("name: a", "name: Human"),
            "`Human` is reserved: mail from people bears this name",
        ),
        (
            ("name: a", "name: office"),
            "`office` is reserved: mail of the office itself bears this name",
        ),
        (
            ("name: a", "name: ALL"),
            "`ALL` is reserved: mail to everybody bears this name",
        ),
    ],
)
def test_names_that_cannot_stand_together(rows: tuple[str, ...], message: str) -> None:
    """Two agents of one name, also but for case, are refused; macOS would mix them."""
    assert (
        fault(_names(*rows)) == f"5:4: at agents[2] '{rows[1][6:]}' > name: {message}"
    )


def test_a_process_and_an_agent_share_one_space_of_names() -> None:
    """`web` is either an agent or a process."""
    text = _names("name: web") + "processes: [{name: web, command: x}]\n"
    assert fault(text) == (
        "5:14: at processes[1] 'web' > name: `web` is the name of the one on line 4 too"
    )


@pytest.mark.parametrize(
    ("one", "two"),
    [("ag/a", "ag/a"), ("ag/a", "ag/a/b"), ("ag/a/b", "ag"), ("Ag/a", "ag/a")],
)
def test_branches_that_cannot_stand_together(one: str, two: str) -> None:
    """Two agents on one branch, or one branch the folder of another (C47, C48)."""
    text = _names(f"name: a, branch: {one}", f"name: b, branch: {two}")
    assert fault(text) == (
        f"5:13: at agents[2] 'b' > branch: the branches `{two}` and `{one}` of `a` on line 4 "
        "cannot exist side by side (git keeps a branch as a file; every agent needs its own)"
    )


def test_a_branch_that_is_the_default_of_another() -> None:
    """`branch: lab/b` collides with the branch that agent b gets by itself."""
    assert "`lab/b` of `a` on line 4" in fault(
        _names("name: a, branch: lab/b", "name: b")
    )
    assert "`lab/b` and `lab`" in fault(_names("name: a, branch: lab", "name: b"))


def test_branches_beside_each_other_are_right() -> None:
    """Siblings, and names of which one begins with the other, do not collide."""
    found = office(
        _names("name: a, branch: ag/a", "name: b, branch: ag/ab", "name: c, branch: x")
    )
    assert [one.branch for one in found.agents] == ["ag/a", "ag/ab", "x"]


def test_a_shared_worktree_is_that_of_the_other() -> None:
    """Branch and base are the owner's, wherever the two stand in the file."""
    found = office(
        _names("name: a, worktree: {share: b}", "name: b, branch: x/y, base: main")
    )
    assert (found.agents[0].branch, found.agents[0].base) == ("x/y", "main")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            ("name: a, worktree: {share: bb}", "name: bob"),
            "there is no `bb` in this office (did you mean `bob`?)",
        ),
        (("name: a, worktree: {share: a}",), "`a` has no worktree of its own to share"),
        (
            ("name: a, worktree: {share: b}", "name: b, worktree: false"),
            "`b` has no worktree of its own to share",
        ),
        (
            (
                "name: a, worktree: {share: b}",
                "name: b, worktree: {share: c}",
                "name: c",
            ),
            "`b` has no worktree of its own to share",
        ),
        (("name: a, worktree: {}",), "`worktree` needs `share`"),
        (
            ("name: a, worktree: 'true'",),
            "expected true, false or {share: AGENT}, got `true`",
        ),
    ],
)
def test_worktrees_that_cannot_be_shared(rows: tuple[str, ...], message: str) -> None:
    """Only a worktree that is somebody's own can be shared."""
    assert fault(_names(*rows)) == f"4:13: at agents[1] 'a' > worktree: {message}"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            ("name: a, depends_on: bob", "name: bop"),
            "there is no `bob` in this office (did you mean `bop`?)",
        ),
        (("name: a, depends_on: [a]",), "`a` depends on itself"),
        (("name: a, depends_on: b", "name: b, depends_on: [a]"), "a circle: a → b → a"),
        (
            (
                "name: a, depends_on: c",
                "name: b, depends_on: a",
                "name: c, depends_on: b",
            ),
            "a circle: a → c → b → a",
        ),
        (
            ("name: a, depends_on: {b: ready}", "name: b"),
            "conditions are not supported yet (write a list of names)",
        ),
    ],
)
def test_dependencies_that_are_refused(rows: tuple[str, ...], message: str) -> None:
    """Nobody, oneself, and a circle, which is shown."""
    assert fault(_names(*rows)) == f"4:13: at agents[1] 'a' > depends_on: {message}"


def test_two_circles_are_both_told() -> None:
    """And what only leads to a circle is not part of it."""
    found = faults(
        _names(
            "name: a, depends_on: b",
            "name: b, depends_on: a",
            "name: c, depends_on: [a, d]",
            "name: d, depends_on: e",
            "name: e, depends_on: d",
        )
    )
    assert [line.rpartition(": ")[2] for line in found] == ["a → b → a", "d → e → d"]


def test_agents_and_processes_may_depend_on_each_other() -> None:
    """A server before the agent, a watcher after it."""
    text = _names("name: a, depends_on: [web]")
    text += (
        "processes: [{name: web, command: x}, {name: log, command: y, depends_on: a}]\n"
    )
    assert [one.depends_on for one in office(text).agents] == [("web",), (), ("a",)]


def test_a_long_chain_of_dependencies_is_right() -> None:
    """No limit of recursion stands in the way."""
    rows = ["name: a0"] + [f"name: a{n}, depends_on: a{n - 1}" for n in range(1, 1500)]
    assert len(office(_names(*rows)).agents) == 1500


def test_bosses_come_first_and_processes_last() -> None:
    """Within each group the file's order holds; several bosses are allowed."""
    text = _names("name: a", "name: b, role: boss", "name: c", "name: d, role: boss")
    found = office("processes: [{name: p, command: x}]\n" + text)
    assert [one.name for one in found.agents] == ["b", "d", "a", "c", "p"]
