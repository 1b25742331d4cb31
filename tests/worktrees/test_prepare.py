"""Facts read from real repositories lead to the right decision."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mdtmux.errors import UsageError
from mdtmux.worktrees.plan import Action, Step
from mdtmux.worktrees.prepare import place_for, plan
from mdtmux.worktrees.repository import inspect
from tests.support.repos import git, make_repo
from tests.support.trees import commit, make_trees, other_git, steps, tree, wants


def _one(
    repo: Path, agents: list[str] | dict[str, str] | None = None, **how: str
) -> Step:
    return steps(repo, agents or ["a"], **how)[0]


def test_paths_come_from_the_template(repo: Path, world: Path) -> None:
    """Relative to the repository's top, with its name, the office's and the agent's."""
    repository = inspect(repo)
    expected = world / "here/repo__worktrees/ag/a"

    assert (
        place_for("../{repo}__worktrees/{office}/{agent}", repository, "ag", "a")
        == expected
    )
    assert place_for(f"{world}/t/{{agent}}", repository, "ag", "a") == world / "t/a"
    assert place_for("~/{agent}", repository, "ag", "a") == world / "home/a"
    with pytest.raises(UsageError, match=r"`\{agnet\}` is not known"):
        place_for("../{agnet}", repository, "ag", "a")


def test_a_path_through_a_link_is_the_real_one(repo: Path, world: Path) -> None:
    """Git registers real paths, so those are compared."""
    (world / "real").mkdir()
    (world / "link").symlink_to(world / "real")

    assert (
        place_for(f"{world}/link/{{agent}}", inspect(repo), "ag", "a")
        == world / "real/a"
    )


def test_after_making_all_is_adopted(repo: Path) -> None:
    """Planning what has been done changes nothing."""
    make_trees(repo, ["a", "b", "c"])

    assert {step.action for step in steps(repo, ["a", "b", "c"])} == {Action.ADOPT}


def test_from_a_linked_worktree_nothing_nests(repo: Path) -> None:
    """`up` in an agent's worktree means the same paths (C56)."""
    record = tree(repo, "a")

    assert steps(record.path, ["a", "b"]) == steps(repo, ["a", "b"])


def test_a_branch_checked_out_in_the_main_checkout_is_refused(repo: Path) -> None:
    """`branch: main` names the checkout that has it (C47)."""
    step = _one(repo, {"a": "main"})

    assert (step.action, str(repo) in step.reason) == (Action.REFUSE, True)


def test_a_branch_of_a_users_worktree_is_refused(repo: Path, world: Path) -> None:
    """The user's own `git worktree add` of that branch is named, never taken (C47)."""
    git(repo, "worktree", "add", "-q", "-b", "ag/a", str(world / "x"))

    step = _one(repo)

    assert step.action is Action.REFUSE
    assert f"checked out at `{world / 'x'}`" in step.reason


def test_a_branch_held_by_a_rebase_or_bisect_is_refused(
    repo: Path, world: Path
) -> None:
    """The other worktree is detached, but will come back to the branch (C47)."""
    linked = world / "x"
    git(repo, "worktree", "add", "-q", "-b", "ag/a", str(linked))
    first = git(linked, "rev-parse", "HEAD")
    commit(linked, "README.md", "one\n")
    commit(repo, "README.md", "two\n")
    with pytest.raises(AssertionError, match="could not apply"):
        git(linked, "rebase", "main")
    assert str(linked) in _one(repo).reason
    git(linked, "rebase", "--abort")

    for number in range(3):
        commit(linked, f"f{number}")
    git(linked, "bisect", "start", "HEAD", first)
    assert str(linked) in _one(repo).reason


def test_our_own_worktree_in_a_rebase_is_adopted(repo: Path) -> None:
    """An agent in the middle of a rebase keeps its place."""
    record = tree(repo)
    commit(record.path, "README.md", "one\n")
    commit(repo, "README.md", "two\n")
    with pytest.raises(AssertionError, match="could not apply"):
        git(record.path, "rebase", "main")

    assert _one(repo).action is Action.ADOPT


def test_a_worktree_on_another_branch_is_refused(repo: Path) -> None:
    """The agent switched away: nothing is forced, the hint says how to go back."""
    record = tree(repo)
    git(record.path, "switch", "-q", "-c", "feature")

    step = _one(repo)

    assert "is on branch `feature`, not on branch `ag/a`" in step.reason
    assert "switch ag/a" in str(step.hint)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("existing", ["ag", "ag/a/b"])
def test_a_branch_that_is_a_file_or_folder_of_the_wanted_is_refused(
    repo: Path, existing: str, packed: bool
) -> None:
    """`ag` against `ag/a` both ways round, loose and packed, is told before (C48)."""
    git(repo, "branch", existing)
    if packed:
        git(repo, "pack-refs", "--all")

    assert f"beside the branch `{existing}`" in _one(repo).reason


def test_a_full_folder_a_file_and_a_blocked_path_are_refused(repo: Path) -> None:
    """Each is told for what it is (C48)."""
    path = _one(repo).path
    path.mkdir(parents=True)
    assert _one(repo).action is Action.CREATE
    (path / "f").touch()
    assert "a folder that is not empty" in _one(repo).reason
    shutil.rmtree(path)
    path.touch()
    assert "is a file" in _one(repo).reason
    shutil.rmtree(path.parent)
    path.parent.touch()
    assert "is not a folder" in _one(repo).reason


def test_somebody_elses_worktree_at_the_path_is_refused(
    repo: Path, world: Path
) -> None:
    """A worktree of another repository stands there: it is not taken."""
    other = make_repo(world / "other")
    path = _one(repo).path
    git(other, "worktree", "add", "-q", "-b", "ag/a", str(path))

    assert "no worktree of this repository" in _one(repo).reason


def test_a_folder_deleted_by_hand_is_made_anew(repo: Path) -> None:
    """Git's list still has it; the plan repairs that one registration (C27)."""
    record = tree(repo)
    shutil.rmtree(record.path)

    step = _one(repo)

    assert (step.action, step.stale) == (Action.REPAIR, record.path)


def test_inside_a_checkout_only_an_ignored_folder_will_do(repo: Path) -> None:
    """Where `git add -A` could sweep it up, a worktree is refused."""
    template = ".worktrees/{agent}"
    assert f"inside the checkout `{repo}`" in _one(repo, template=template).reason

    (repo / ".git/info/exclude").write_text("/.worktrees/\n")
    assert _one(repo, template=template).action is Action.CREATE


def test_inside_an_agents_worktree_or_gits_folder_is_refused(repo: Path) -> None:
    """Nothing nests, ignored or not, and the main checkout is nobody's worktree."""
    record = tree(repo)
    (record.path / ".gitignore").write_text("*\n")
    inner = f"{record.path}/{{agent}}"

    assert "would lie inside" in _one(repo, ["b"], template=inner).reason
    assert "would lie inside" in _one(repo, ["b"], template=".git/{agent}").reason
    assert _one(repo, {"b": "main"}, template="../{repo}").action is Action.REFUSE


def test_a_bare_repository_can_hold_worktrees_beside_gits_folders(
    repo: Path, world: Path
) -> None:
    """Inside `repo.git` is usual there, but not inside its `refs`."""
    bare = world / "repo.git"
    git(world, "clone", "-q", "--bare", str(repo), str(bare))

    assert _one(bare, template="{agent}").action is Action.CREATE
    assert "would lie inside" in _one(bare, template="refs/{agent}").reason
    assert _one(bare).path == world / "repo__worktrees/ag/a"


def test_a_remote_branch_of_the_name_is_noted(repo: Path, world: Path) -> None:
    """The note says that the new branch does not follow it."""
    git(repo, "branch", "ag/a")
    git(world, "clone", "-q", str(repo), str(world / "clone"))

    assert "`origin/ag/a` exists too" in _one(world / "clone").note


def test_all_agents_are_planned_with_one_git_call(
    repo: Path, world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sixty-four agents cost no more processes than one."""
    repository, asked = inspect(repo), wants(repo, [f"a{n}" for n in range(64)])
    log = world / "calls"
    monkeypatch.setenv("PATH", other_git(world, f'echo "$*" >> {log}'))

    plan(repository, asked)

    assert len(log.read_text().splitlines()) == 1
