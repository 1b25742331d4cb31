"""What a branch starts from, and how stale it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from mdtmux.errors import MdtmuxError
from mdtmux.worktrees.base import resolve_all
from mdtmux.worktrees.repository import inspect
from tests.support.repos import git, make_repo
from tests.support.trees import commit, other_git, resolve


@pytest.fixture
def clone(repo: Path, world: Path) -> Path:
    """Return a clone that is one commit ahead of and two behind its origin."""
    git(world, "clone", "-q", str(repo), str(world / "clone"))
    for number in range(2):
        commit(repo, f"upstream{number}")
    git(world / "clone", "fetch", "-q")
    commit(world / "clone", "mine")
    return world / "clone"


def test_head_is_the_main_checkouts_with_its_staleness(clone: Path) -> None:
    """Branch, sha, upstream and how far behind it all come with HEAD."""
    base = resolve(inspect(clone), "HEAD")

    assert (base.ref, base.sha) == ("refs/heads/main", git(clone, "rev-parse", "HEAD"))
    assert (base.upstream, base.behind) == ("origin/main", 2)
    assert str(base) == f"main {base.sha[:8]} (2 behind origin/main)"


def test_from_a_linked_worktree_head_is_still_the_main_checkouts(
    repo: Path, world: Path
) -> None:
    """An agent that runs `up` in its worktree does not base others on its own work."""
    git(repo, "worktree", "add", "-q", "-b", "x", str(world / "linked"))
    commit(world / "linked", "work")

    assert resolve(inspect(world / "linked"), "HEAD").ref == "refs/heads/main"


def test_every_way_to_name_a_base_works(clone: Path) -> None:
    """Branch, remote branch, tag, sha, short sha and HEAD~1 are commits."""
    git(clone, "tag", "-a", "v1", "-m", "one")
    sha = git(clone, "rev-parse", "HEAD")
    asked = ["main", "origin/main", "v1", sha, sha[:10], "HEAD~1", "refs/heads/main"]

    found = resolve_all(inspect(clone), asked)

    expected = [git(clone, "rev-parse", f"{name}^{{commit}}") for name in asked]
    assert [found[name].sha for name in asked] == expected
    assert found["main"].ref == found["refs/heads/main"].ref == "refs/heads/main"
    assert found["origin/main"].ref == "refs/remotes/origin/main"
    assert {found[n].ref for n in ("v1", sha, sha[:10], "HEAD~1")} == {None}
    assert found["origin/main"].behind is None


def test_a_branch_wins_over_a_tag_of_the_same_name(repo: Path) -> None:
    """`base: main` means the branch, also where a tag is called so."""
    git(repo, "tag", "main")
    tip = commit(repo, "later")

    assert resolve(inspect(repo), "main").sha == tip


def test_a_detached_head_is_said(repo: Path) -> None:
    """The base is that commit, and the note says so (C49)."""
    git(repo, "checkout", "-q", "--detach")

    base = resolve(inspect(repo), "HEAD")

    assert base.ref is None
    assert base.note.startswith(f"HEAD is detached at {base.sha[:8]}")


def test_an_unfinished_bisect_is_said_too(repo: Path) -> None:
    """During a bisect the note names it."""
    good = git(repo, "rev-parse", "HEAD")
    for number in range(4):
        commit(repo, f"f{number}")
    git(repo, "bisect", "start", "HEAD", good)

    assert "a bisect is unfinished" in resolve(inspect(repo), "HEAD").note


def test_no_commit_yet_is_one_clear_refusal(world: Path) -> None:
    """The error says what to do, and names another base where there is one (C49)."""
    git(world, "init", "-q", "-b", "main", "fresh")
    with pytest.raises(
        MdtmuxError, match="has no commit yet: make one first"
    ) as caught:
        resolve(inspect(world / "fresh"), "HEAD")
    assert "git commit" in str(caught.value.hint)

    repo = make_repo(world / "repo")
    git(repo, "checkout", "-q", "--orphan", "empty")
    with pytest.raises(
        MdtmuxError, match="branch `empty`, which has no commit"
    ) as caught:
        resolve(inspect(repo), "HEAD")
    assert "`main`" in str(caught.value.hint)
    assert resolve(inspect(repo), "main").ref == "refs/heads/main"


def test_unknown_bases_are_all_told_with_the_nearest_names(repo: Path) -> None:
    """Two typos make one error that suggests for each."""
    git(repo, "branch", "develop")

    with pytest.raises(MdtmuxError, match="did you mean `develop`") as caught:
        resolve_all(inspect(repo), ["devlop", "main", "nothing-like-it", "a\nb", ""])

    assert "`nothing-like-it`" in caught.value.message
    assert "`main`" not in caught.value.message
    assert "git fetch" in str(caught.value.hint)


def test_many_agents_cost_no_more_calls_than_one(
    repo: Path, world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each distinct base is resolved once, all of them by two git calls."""
    for number in range(20):
        git(repo, "branch", f"b{number}")
    repository = inspect(repo)
    log = world / "calls"
    monkeypatch.setenv("PATH", other_git(world, f'echo "$*" >> {log}'))

    resolve_all(repository, [*(f"b{n}" for n in range(20)), "HEAD", "HEAD"])

    assert len(log.read_text().splitlines()) == 2
