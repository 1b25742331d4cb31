"""`mdtmux merge`."""

from __future__ import annotations

from pathlib import Path

from mdtmux.worktrees.record import Store
from tests.support.repos import git
from tests.support.tree_office import tree_office
from tests.support.trees import commit


def test_the_work_lands_and_the_result_is_told(repo: Path) -> None:
    """The sha is printed, and what is merged counts as merged from then on."""
    office = tree_office(repo, "a")
    tip = commit(office.records["a"].path, "one")

    done = office.ok("merge", "a")

    assert done.out == f"merged ag/a into main in {repo}: {tip}\n"
    assert Store(office.state).read()["a"].merged == tip
    again = office.ok("merge", "a")
    assert again.out == "nothing to merge: main has all of ag/a\n"


def test_squash_into_another_branch_with_a_message_as_json(repo: Path) -> None:
    """Options reach the merge; the diff is empty afterwards."""
    office = tree_office(repo, "a")
    git(repo, "branch", "release")
    commit(office.records["a"].path, "one")
    commit(office.records["a"].path, "two")

    args = ("merge", "a", "--squash", "--into", "release", "-m", "both", "--json")
    value = office.ok(*args).json()

    assert isinstance(value, dict)
    assert (value["into"], value["changed"], value["checkout"]) == (
        "release",
        True,
        None,
    )
    assert value["sha"] == git(repo, "rev-parse", "release")
    assert git(repo, "log", "--format=%s", "release").splitlines() == ["both", "first"]
    # Its base has none of it.
    assert "+++ b/one" in office.ok("diff", "a").out


def test_open_work_and_conflicts_exit_4_and_name_the_files(repo: Path) -> None:
    """Refused is not failed: scripts can tell."""
    office = tree_office(repo, "a")
    path = office.records["a"].path
    (path / "README.md").write_text("mine\n")
    assert "`README.md`" in office.refused("merge", "a")
    git(path, "commit", "-q", "-a", "-m", "mine")
    commit(repo, "README.md", "theirs\n")

    assert "conflicts with `main` in `README.md`" in office.refused("merge", "a")
    assert git(repo, "status", "--porcelain") == ""


def test_ways_that_exclude_each_other_are_a_usage_error(repo: Path) -> None:
    """`--squash --rebase` cannot be meant, nor a message for a rebase."""
    office = tree_office(repo, "a")

    assert office.run("merge", "a", "--squash", "--rebase").code == 2
    assert office.run("merge", "a", "--rebase", "-m", "x").code == 2


def test_a_message_is_kept_where_git_would_move_forward(repo: Path) -> None:
    """Words that were given stand in a commit, also when a fast-forward would do."""
    office = tree_office(repo, "a")
    commit(office.records["a"].path, "one")

    office.ok("merge", "a", "-m", "my words")

    assert git(repo, "log", "-1", "--format=%s") == "my words"
    assert len(git(repo, "log", "-1", "--format=%p").split()) == 2
