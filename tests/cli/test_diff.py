"""`mdtmux diff`."""

from __future__ import annotations

from pathlib import Path

from mdtmux.worktrees.record import Store
from tests.support.tree_office import tree_office
from tests.support.trees import commit


def test_the_patch_goes_to_stdout_byte_for_byte(repo: Path) -> None:
    """Committed, changed and new files; bytes that are no UTF-8 survive."""
    office = tree_office(repo, "a")
    path = office.records["a"].path
    commit(path, "committed")
    (path / "new").write_bytes(b"caf\xe9\n")

    done = office.ok("diff", "a")

    assert "+++ b/committed" in done.out
    assert "+caf\udce9" in done.out
    assert done.err == ""
    assert "\x1b" not in done.out


def test_counts_and_names(repo: Path) -> None:
    """`--stat` and `--name-only` are git's."""
    office = tree_office(repo, "a")
    commit(office.records["a"].path, "one file")

    assert "1 file changed, 1 insertion(+)" in office.ok("diff", "a", "--stat").out
    assert office.ok("diff", "a", "--name-only").out == "one file\n"


def test_json_has_commits_files_and_what_is_open(repo: Path) -> None:
    """For scripts: everything in one object."""
    office = tree_office(repo, "a")
    record = office.records["a"]
    tip = commit(record.path, "one", message="my — work")
    (record.path / "new").write_text("x\n")

    value = office.ok("diff", "a", "--json").json()

    assert isinstance(value, dict)
    assert (value["branch"], value["fork"], value["tip"]) == (
        "ag/a",
        record.base_sha,
        tip,
    )
    assert [one["subject"] for one in value["commits"]] == ["my — work"]
    assert {one["path"]: one["status"] for one in value["files"]} == {
        "one": "A",
        "new": "A",
    }
    assert value["uncommitted"] == ["new"]


def test_no_work_is_said_on_stderr(repo: Path) -> None:
    """Nothing but results goes to stdout."""
    done = tree_office(repo, "a").ok("diff", "a")

    assert done.out == ""
    assert "no changes on `ag/a`" in done.err


def test_an_unknown_agent_is_a_usage_error(repo: Path) -> None:
    """With the nearest name."""
    done = tree_office(repo, "jim", "pam").run("diff", "jum")

    assert (done.code, done.out) == (2, "")
    assert "`jim`" in done.err


def test_an_agent_without_a_worktree_says_so(repo: Path) -> None:
    """It was removed: the hint names the ways to have it again."""
    office = tree_office(repo, "a")
    Store(office.state).drop(["a"])

    done = office.run("diff", "a")

    assert (done.code, done.out) == (2, "")
    assert "has no worktree" in done.err
    assert "mdtmux undo --list" in done.err
