"""The work of an agent against where it left its base."""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path

import pytest

from mdtmux.errors import GitError, Refused
from mdtmux.worktrees.merge import Way, Wish, merge
from mdtmux.worktrees.record import Record
from mdtmux.worktrees.repository import inspect
from mdtmux.worktrees.work import FileChange, fork_point, git_diff, read_work
from tests.support.repos import git, make_repo
from tests.support.trees import commit, files_of, furnish, tree


def _patch(repo: Path, record: Record) -> bytes:
    repository = inspect(repo)
    fork = fork_point(repository, record)
    return git_diff(repository, record, fork, ("--binary",)).out


def test_committed_changed_staged_and_new_files_are_in_it(repo: Path) -> None:
    """Everything the agent did, and nothing that the base got since."""
    commit(repo, "gone")
    record = tree(repo)
    commit(repo, "later on main")
    commit(record.path, "committed", message="my work")
    (record.path / "README.md").write_text("changed\n")
    (record.path / "gone").unlink()
    (record.path / "staged").write_text("1\n2\n")
    git(record.path, "add", "staged")
    (record.path / "new é").write_bytes(b"\x00\x01")
    blob = git(record.path, "hash-object", "new é")

    work = read_work(inspect(repo), record)

    assert [one.subject for one in work.commits] == ["my work"]
    assert work.files == (
        FileChange("README.md", "M", 1, 1),
        FileChange("committed", "A", 1, 0),
        FileChange("gone", "D", 0, 1),
        FileChange("new é", "A", None, None),
        FileChange("staged", "A", 2, 0),
    )
    assert set(work.open) == {"README.md", "gone", "staged", "new é"}
    assert git(record.path, "status", "--porcelain") == (
        ' M README.md\n D gone\nA  staged\n?? "new \\303\\251"'
    )
    with pytest.raises(AssertionError):  # looking writes no content into the repository
        git(repo, "cat-file", "-e", blob)


def test_the_patch_makes_the_same_tree(repo: Path, world: Path) -> None:
    """Applied to the base it gives what the agent has, binary files too."""
    record = tree(repo)
    commit(record.path, "a/b", "text\n")
    (record.path / "bin").write_bytes(bytes(range(256)))
    (record.path / "README.md").unlink()
    (record.path / "link").symlink_to("a/b")
    git(world, "clone", "-q", str(repo), str(world / "other"))

    patch = _patch(repo, record)

    subprocess.run(
        ["git", "-C", str(world / "other"), "apply"], input=patch, check=True
    )
    ours = {k: v for k, v in files_of(record.path).items() if k != ".git"}
    assert files_of(world / "other") == ours


def test_what_mdtmux_placed_is_not_the_agents_work(repo: Path) -> None:
    """Copies that git does not ignore show in no diff."""
    (repo / "local.cfg").write_text("mine\n")
    made = tree(repo)
    placed = furnish(repo, made.path, ["local.cfg"]).placed
    record = dataclasses.replace(made, placed=placed)

    assert _patch(repo, record) == b""
    assert read_work(inspect(repo), record).open == ()


def test_the_fork_follows_what_was_merged(repo: Path) -> None:
    """Merged into the base, merged as a squash, base moved back, base branch gone."""
    record = tree(repo)
    repository = inspect(repo)
    start = record.base_sha
    assert fork_point(repository, record) == start
    one = commit(record.path, "one")
    git(repo, "merge", "-q", "--ff-only", "ag/a")
    assert fork_point(repository, record) == one
    two = commit(record.path, "two")
    assert fork_point(repository, dataclasses.replace(record, merged=two)) == two
    git(repo, "reset", "-q", "--hard", start)
    assert fork_point(repository, record) == start
    git(repo, "checkout", "-q", "-b", "other")
    git(repo, "branch", "-q", "-D", "main")
    assert fork_point(repository, record) == start


def test_a_branch_without_its_worktree_still_has_its_work(
    repo: Path, world: Path
) -> None:
    """The folder is gone: commits are shown, and nothing is open."""
    record = tree(repo)
    commit(record.path, "committed")
    record.path.rename(world / "moved")

    work = read_work(inspect(repo), record)

    assert [file.path for file in work.files] == ["committed"]
    assert work.open == ()


def test_a_branch_that_is_gone_or_foreign_is_an_error(repo: Path) -> None:
    """No branch, or one without common history, is said."""
    record = tree(repo)
    git(record.path, "checkout", "-q", "--orphan", "fresh")
    git(record.path, "commit", "-q", "-m", "fresh")
    git(repo, "branch", "-q", "-M", "fresh", "ag/a")

    with pytest.raises(GitError, match="no history in common with `refs/heads/main`"):
        fork_point(inspect(repo), record)
    git(record.path, "checkout", "-q", "--detach")
    git(repo, "branch", "-q", "-D", "ag/a")
    with pytest.raises(Refused, match="there is no branch `ag/a`"):
        fork_point(inspect(repo), record)


def test_the_users_diff_settings_do_not_leak_in(repo: Path, world: Path) -> None:
    """An external diff program or another prefix would make the patch useless."""
    git(repo, "config", "diff.external", "false")
    git(repo, "config", "diff.noprefix", "true")
    record = tree(repo)
    (record.path / "README.md").write_text("changed\n")
    git(world, "clone", "-q", str(repo), str(world / "other"))

    patch = _patch(repo, record)

    subprocess.run(
        ["git", "-C", str(world / "other"), "apply"], input=patch, check=True
    )
    assert (world / "other/README.md").read_text() == "changed\n"


def test_work_in_a_submodule_counts_as_open(repo: Path, world: Path) -> None:
    """A dirty submodule is not committed work."""
    inner = make_repo(world / "inner")
    allow = ("-c", "protocol.file.allow=always")
    git(repo, *allow, "submodule", "add", "-q", str(inner), "sub")
    git(repo, "commit", "-q", "-m", "sub")
    record = tree(repo)
    git(record.path, *allow, "submodule", "update", "-q", "--init")
    (record.path / "sub/README.md").write_text("changed\n")

    assert read_work(inspect(repo), record).open == ("sub",)


@pytest.mark.parametrize("way", list(Way))
def test_of_a_worktree_that_was_moved_nothing_is_told(repo: Path, way: Way) -> None:
    """Its files are elsewhere: no diff calls them unchanged, no merge leaves them out."""
    record = tree(repo)
    commit(record.path, "work")
    place = repo.parent / "moved to"
    git(repo, "worktree", "move", str(record.path), str(place))
    (place / "mine").write_text("x\n")
    record.path.parent.rmdir()

    with pytest.raises(Refused, match="is checked out at") as refused:
        read_work(inspect(repo), record)
    with pytest.raises(Refused, match="is checked out at"):
        merge(inspect(repo), Wish(record, way, message="m"))

    command = str(refused.value.hint).removeprefix("move it back: ")
    subprocess.run(["sh", "-ec", command], cwd=repo, check=True)
    assert read_work(inspect(repo), record).open == ("mine",)
