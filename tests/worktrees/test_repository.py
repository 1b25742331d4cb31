"""Where am I: the same repository from every place in it, or one clear refusal."""

from __future__ import annotations

from pathlib import Path

import pytest

from mdtmux.errors import MdtmuxError
from mdtmux.worktrees.repository import inspect
from tests.support.repos import git, make_repo
from tests.support.trees import commit, needs_git, other_git


def test_every_place_in_a_repository_leads_to_its_main_checkout(
    repo: Path, world: Path
) -> None:
    """Top, subfolder, symbolic link, linked worktree and its subfolder agree (C56)."""
    commit(repo, "sub/dir/file")
    linked = world / "linked"
    git(repo, "worktree", "add", "-q", "-b", "x", str(linked))
    (world / "link").symlink_to(repo / "sub")
    places = [repo, repo / "sub/dir", world / "link", linked, linked / "sub"]

    found = [inspect(place) for place in places]

    assert {one.top for one in found} == {repo}
    assert {one.common_dir for one in found} == {repo / ".git"}
    assert {one.head_branch for one in found} == {"main"}
    assert {one.head_sha for one in found} == {git(repo, "rev-parse", "HEAD")}
    assert [one.here for one in found] == [repo, repo, repo, linked, linked]
    assert found[0].name == "repo"


def test_the_git_folder_itself_leads_to_its_checkout(repo: Path) -> None:
    """Asked about `.git`, the checkout around it is meant."""
    assert inspect(repo / ".git").top == repo


@pytest.mark.parametrize("name", ["repo.git", "project/.bare"])
def test_a_bare_repository_is_its_own_top(repo: Path, world: Path, name: str) -> None:
    """From the bare folder and from a worktree of it; `{repo}` is the plain name."""
    bare = world / name
    git(world, "clone", "-q", "--bare", str(repo), str(bare))
    linked = world / "linked"
    git(bare, "worktree", "add", "-q", "-b", "x", str(linked))

    for place in (bare, linked):
        found = inspect(place)
        assert (found.top, found.is_bare) == (bare, True)
        assert (found.head_branch, found.head_sha) == (
            "main",
            git(repo, "rev-parse", "HEAD"),
        )
    assert inspect(bare).name == ("repo" if name == "repo.git" else "project")


def test_a_bare_folder_behind_a_git_file(repo: Path, world: Path) -> None:
    """The layout `project/.git` -> `./.bare` is found from the project's folder."""
    project = world / "project"
    git(world, "clone", "-q", "--bare", str(repo), str(project / ".bare"))
    (project / ".git").write_text("gitdir: ./.bare\n")

    assert inspect(project).top == project / ".bare"


def test_a_submodule_is_a_repository_of_its_own(repo: Path, world: Path) -> None:
    """From the submodule and from a worktree of it, its own folder is the top."""
    outer = make_repo(world / "outer")
    add = (
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        str(repo),
        "sub",
    )
    git(outer, *add)
    git(outer / "sub", "worktree", "add", "-q", "-b", "x", str(world / "linked"))

    for place in (outer / "sub", world / "linked"):
        assert inspect(place).top == outer / "sub"
        assert inspect(place).worktrees[0].path == outer / "sub"
    assert inspect(outer).top == outer


def test_a_git_folder_elsewhere_works_from_its_checkout(
    repo: Path, world: Path
) -> None:
    """With --separate-git-dir the checkout is known there; elsewhere it is refused."""
    top = world / "top"
    git(world, "clone", "-q", f"--separate-git-dir={world}/away", str(repo), str(top))
    git(top, "worktree", "add", "-q", "-b", "x", str(world / "linked"))

    assert inspect(top).top == top
    with pytest.raises(MdtmuxError, match="cannot tell where the main checkout"):
        inspect(world / "linked")


def test_no_repository_is_one_clear_refusal(world: Path) -> None:
    """A folder without a repository, and no folder at all, are told apart."""
    with pytest.raises(MdtmuxError, match="is not in a git repository") as caught:
        inspect(world)
    assert "git init" in str(caught.value.hint)
    with pytest.raises(MdtmuxError, match="there is no folder"):
        inspect(world / "nothing")


@needs_git(2, 36)
def test_somebody_elses_repository_tells_the_remedy(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dubious ownership is told with the one command that trusts this folder."""
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")

    with pytest.raises(MdtmuxError, match="dubious ownership") as caught:
        inspect(repo)

    assert "safe.directory" in str(caught.value.hint)


def test_without_a_commit_there_is_a_branch_and_no_sha(world: Path) -> None:
    """A fresh repository can be looked at; a base in it cannot be resolved."""
    git(world, "init", "-q", "-b", "main", "fresh")

    found = inspect(world / "fresh")

    assert (found.head_branch, found.head_sha) == ("main", None)


def test_an_unfinished_operation_is_named(repo: Path) -> None:
    """A rebase that stopped shows as such, on a detached HEAD, with its branch held."""
    git(repo, "checkout", "-q", "-b", "x")
    commit(repo, "README.md", "one\n")
    git(repo, "checkout", "-q", "main")
    commit(repo, "README.md", "two\n")
    git(repo, "checkout", "-q", "x")
    assert inspect(repo).operation is None

    with pytest.raises(AssertionError, match="could not apply"):
        git(repo, "rebase", "main")

    found = inspect(repo)
    assert (found.operation, found.head_branch) == ("rebase", None)
    assert found.holders()["x"].path == repo


@needs_git(2, 36)
def test_worktrees_tell_lock_and_missing_folder(repo: Path, world: Path) -> None:
    """A locked worktree has its reason, one whose folder is gone is prunable."""
    for name in ("locked", "gone"):
        git(repo, "worktree", "add", "-q", "--detach", str(world / name))
    git(repo, "worktree", "lock", "--reason", "on a stick", str(world / "locked"))
    (world / "gone" / "README.md").unlink()
    (world / "gone" / ".git").unlink()
    (world / "gone").rmdir()

    rows = {row.path.name: row for row in inspect(repo).worktrees}

    assert rows["locked"].locked == "on a stick"
    assert rows["locked"].branch is None
    assert rows["gone"].prunable is not None
    assert rows["repo"].locked is None


def test_a_git_that_cannot_end_rows_with_nul_is_read_too(
    repo: Path, world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git before 2.36 has no `worktree list -z`; names with blanks still come out."""
    git(repo, "worktree", "add", "-q", "-b", "x", str(world / "a b 'ü' #1"))
    old = 'case "$*" in *"list --porcelain -z"*) exit 129;; esac'
    monkeypatch.setenv("PATH", other_git(world, old))

    rows = inspect(repo).worktrees

    assert [(row.path, row.branch) for row in rows] == [
        (repo, "main"),
        (world / "a b 'ü' #1", "x"),
    ]


@needs_git(2, 36)
def test_a_repository_is_read_with_two_git_calls(
    repo: Path, world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Start-up pays for two processes, from the main checkout and a linked one."""
    git(repo, "worktree", "add", "-q", "-b", "x", str(world / "linked"))
    log = world / "calls"
    monkeypatch.setenv("PATH", other_git(world, f'echo "$*" >> {log}'))

    inspect(repo)
    inspect(world / "linked")

    assert len(log.read_text().splitlines()) == 4
