"""Worktrees are made whole, or nothing of them stays; a kill is mended."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mdtmux.errors import GitError, MdtmuxError, Refused
from mdtmux.system import git as door
from mdtmux.worktrees.checkout import MARKER, fault_of, unfinished
from mdtmux.worktrees.make import Made, make
from mdtmux.worktrees.modules import empty
from mdtmux.worktrees.plan import Action
from mdtmux.worktrees.prepare import plan
from mdtmux.worktrees.repository import admin_dir, inspect
from tests.support.repos import git, make_repo
from tests.support.trees import (
    branches,
    commit,
    files_of,
    make_trees,
    needs_git,
    other_git,
    picture,
    steps,
    tree,
    wants,
)


def _hook(repo: Path, text: str, name: str = "post-checkout") -> None:
    path = repo / ".git/hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def _made(result: Made | MdtmuxError) -> Made:
    assert isinstance(result, Made), result
    return result


def test_worktrees_are_complete_and_on_their_branches(repo: Path) -> None:
    """Every file stands, git sees no change, and no upstream was set."""
    commit(repo, "sub/ü file", "text\n")

    made = make_trees(repo, ["a", "b", "c"])

    for agent in "abc":
        one = _made(made[agent])
        assert (one.action, one.made_branch, one.notes) == (Action.CREATE, True, ())
        assert files_of(one.path) | {".git": b""} == files_of(repo) | {".git": b""}
        assert git(one.path, "status", "--porcelain", "--branch") == f"## ag/{agent}"
        assert fault_of(repo / ".git", one.path, f"ag/{agent}") is None


def test_each_is_announced_as_soon_as_it_stands(repo: Path) -> None:
    """The callback sees finished worktrees; its error becomes the agent's result."""
    seen, told = [], "no room"

    def done(one: Made) -> None:
        seen.append((one.agent, git(one.path, "status", "--porcelain")))
        if one.agent == "b":
            raise MdtmuxError(told)

    repository = inspect(repo)
    made = make(repository, plan(repository, wants(repo, ["a", "b"])), done)

    assert sorted(seen) == [("a", ""), ("b", "")]
    assert isinstance(made["a"], Made)
    assert str(made["b"]) == "no room"


def test_ten_rounds_of_sixteen_from_a_remote_branch_never_fail(
    repo: Path, world: Path
) -> None:
    """No failed add and no stray branch, where plain parallel adds fail by a third (C51)."""
    clone = world / "clone"
    git(world, "clone", "-q", str(repo), str(clone))
    agents = [f"a{number}" for number in range(16)]

    for _ in range(10):
        made = make_trees(clone, agents, base="origin/main")
        assert [one for one in made.values() if not isinstance(one, Made)] == []
        shutil.rmtree(world / "clone__worktrees")
        git(clone, "worktree", "prune")
        git(clone, "branch", "-q", "-D", *(f"ag/{agent}" for agent in agents))

    assert branches(clone) == {"main"}
    assert 'branch "ag' not in (clone / ".git/config").read_text()


def test_two_offices_on_one_repository_at_once(repo: Path) -> None:
    """Both get all they asked for (C51)."""
    first = {f"a{n}": f"one/a{n}" for n in range(8)}
    second = {f"b{n}": f"two/b{n}" for n in range(8)}

    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda agents: make_trees(repo, agents), (first, second)))

    assert [r for one in made for r in one.values() if not isinstance(r, Made)] == []


def test_a_ref_lock_that_goes_away_is_waited_for(repo: Path) -> None:
    """Another git at work on the branch for a moment fails nobody (C51)."""
    lock = repo / ".git/refs/heads/ag/a.lock"
    lock.parent.mkdir()
    lock.touch()
    timer = threading.Timer(0.4, lock.unlink)
    timer.start()

    made = make_trees(repo, ["a", "b"])

    timer.join()
    assert {type(one) for one in made.values()} == {Made}


def test_a_config_lock_held_for_ever_does_not_matter(repo: Path, world: Path) -> None:
    """Nothing is written to the shared config, so nothing waits for it (C51)."""
    clone = world / "clone"
    git(world, "clone", "-q", str(repo), str(clone))
    (clone / ".git/config.lock").touch()

    assert isinstance(make_trees(clone, ["a"], base="origin/main")["a"], Made)


def test_a_ref_lock_that_stays_is_a_clear_error_and_leaves_nothing(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bounded time, the lock file named, no branch and no folder (C51)."""
    monkeypatch.setattr(door, "LOCK_WAIT", 0.2)
    (repo / ".git/refs/heads/ag").mkdir()
    lock = repo / ".git/refs/heads/ag/a.lock"
    lock.touch()

    made = make_trees(repo, ["a", "b"])

    assert f"`{lock}`" in str(made["a"])
    assert isinstance(made["b"], Made)
    assert branches(repo) == {"main", "ag/b"}


def test_a_failed_add_leaves_no_branch_and_a_retry_works(repo: Path) -> None:
    """The path fills up between plan and make: nothing stays, next time it goes (C48)."""
    repository, asked = inspect(repo), wants(repo, ["a"])
    planned = plan(repository, asked)
    asked[0].path.mkdir(parents=True)
    (asked[0].path / "f").write_text("mine")

    made = make(repository, planned)

    assert isinstance(made["a"], GitError)
    assert branches(repo) == {"main"}
    assert files_of(asked[0].path) == {"f": b"mine"}
    shutil.rmtree(asked[0].path)
    assert isinstance(make_trees(repo, ["a"])["a"], Made)


def test_a_branch_that_appears_meanwhile_is_not_ours_to_delete(repo: Path) -> None:
    """Somebody makes it between plan and make: an error, and it stays."""
    repository, asked = inspect(repo), wants(repo, ["a", "b"])
    planned = plan(repository, asked)
    git(repo, "branch", "ag/a")

    made = make(repository, planned)

    assert "ag/a" in str(made["a"])
    assert isinstance(made["b"], Made)
    assert branches(repo) == {"main", "ag/a", "ag/b"}


def test_a_refusal_makes_nothing_at_all(repo: Path) -> None:
    """One agent that cannot be served keeps all others from being half made."""
    before = picture(repo, repo)
    planned = steps(repo, {"a": "ag/a", "b": "main"})

    with pytest.raises(Refused, match="agent `b`"):
        make(inspect(repo), planned)

    assert picture(repo, repo) == before


def test_a_missing_required_filter_is_one_clear_error(repo: Path, world: Path) -> None:
    """LFS without its program: told, and no branch, folder or registration stays (C54)."""
    git(repo, "config", "filter.big.smudge", "no-such-program %f")
    git(repo, "config", "filter.big.clean", "cat")
    git(repo, "config", "filter.big.required", "true")
    (repo / ".gitattributes").write_text("*.bin filter=big\n")
    git(repo, "add", "-A")
    commit(repo, "x.bin")
    before = picture(repo)

    made = make_trees(repo, ["a", "b"])

    for agent in "ab":
        error = made[agent]
        assert isinstance(error, GitError)
        assert "no-such-program" in error.message
        assert "filter program" in str(error.hint)
    assert picture(repo) == before
    assert not (world / "here/repo__worktrees").exists()


@pytest.mark.parametrize("old", [False, True])
def test_a_failing_hook_is_a_warning_when_the_tree_is_right(
    repo: Path, world: Path, monkeypatch: pytest.MonkeyPatch, old: bool
) -> None:
    """The agent's worktree stands, the hook ran as git runs it, its words are told (C54).

    With git before 2.36, which has no `git hook`, just the same.
    """
    if old:
        rule = 'case "$*" in *" version") echo git version 2.30.2; exit;; esac'
        monkeypatch.setenv("PATH", other_git(world, rule))
    _hook(repo, f'echo "$@" "$PWD" >> {world}/hook; echo no luck >&2; exit 7')

    made = _made(make_trees(repo, ["a"])["a"])

    assert made.notes == ("the hook post-checkout failed with exit code 7: no luck",)
    sha = git(repo, "rev-parse", "HEAD")
    assert (world / "hook").read_text() == f"{'0' * 40} {sha} 1 {made.path}\n"


def test_a_hook_of_a_relative_hooks_path_runs(repo: Path, world: Path) -> None:
    """Husky's core.hooksPath counts from the worktree."""
    git(repo, "config", "core.hooksPath", ".husky")
    hook = repo / ".husky/post-checkout"
    hook.parent.mkdir()
    hook.write_text(f"#!/bin/sh\ntouch {world}/ran\n")
    hook.chmod(0o755)
    commit(repo, ".husky/post-checkout", hook.read_text())
    make_trees(repo, ["a"])

    assert (world / "ran").exists()


def test_a_hook_that_breaks_the_tree_is_an_error_and_taken_back(repo: Path) -> None:
    """It failed and left files changed: not a worktree to start an agent in."""
    _hook(repo, "echo broken > README.md; exit 1")

    made = make_trees(repo, ["a"])

    assert "left" in str(made["a"])
    assert branches(repo) == {"main"}


def test_what_a_hook_made_is_not_deleted(repo: Path, world: Path) -> None:
    """A failure after a hook wrote files leaves the folder and says so; a retry works."""
    _hook(repo, "echo mine > extra; echo broken > README.md; exit 1")

    made = make_trees(repo, ["a"])

    error = made["a"]
    assert isinstance(error, GitError)
    assert "holds other files and was left" in str(error.hint)
    (repo / ".git/hooks/post-checkout").unlink()
    again = _made(make_trees(repo, ["a"])["a"])
    path = steps(repo, ["a"])[0].path
    assert again.notes[-1] == "kept as it was found there: `README.md`"
    assert (path / "README.md").read_text() == "broken\n"
    assert (path / "extra").read_text() == "mine\n"


def test_submodules_are_left_empty(repo: Path, world: Path) -> None:
    """Filling them needs the network, and is left to the setup (C54)."""
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
    git(outer, "commit", "-q", "-m", "sub")

    made = _made(make_trees(outer, ["a"])["a"])

    assert list((made.path / "sub").iterdir()) == []
    assert (empty(made.path), made.notes) == (["sub"], ())


@needs_git(2, 36)
def test_a_sparse_checkout_is_inherited(repo: Path) -> None:
    """What the user does not check out, no agent does."""
    commit(repo, "in/x")
    commit(repo, "out/x")
    git(repo, "sparse-checkout", "set", "in")

    made = _made(make_trees(repo, ["a"])["a"])

    assert sorted(one.name for one in made.path.iterdir()) == [
        ".git",
        "README.md",
        "in",
    ]
    assert git(made.path, "status", "--porcelain") == ""


def test_a_bare_repository_and_a_submodule_serve(repo: Path, world: Path) -> None:
    """Both give worktrees beside themselves (C56)."""
    bare = world / "x/repo.git"
    git(world, "clone", "-q", "--bare", str(repo), str(bare))
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

    assert _made(make_trees(bare, ["a"])["a"]).path == world / "x/repo__worktrees/ag/a"
    assert (
        _made(make_trees(outer / "sub", ["a"])["a"]).path
        == outer / "sub__worktrees/ag/a"
    )


def test_a_folder_deleted_by_hand_comes_back_with_its_commits(
    repo: Path, world: Path
) -> None:
    """The branch's work is in the new checkout; other missing ones are not touched (C27)."""
    record = tree(repo)
    tip = commit(record.path, "work")
    shutil.rmtree(record.path)
    git(repo, "worktree", "add", "-q", "--detach", str(world / "stick"))
    shutil.rmtree(world / "stick")

    made = _made(make_trees(repo, ["a"])["a"])

    assert made.action is Action.REPAIR
    assert git(made.path, "rev-parse", "HEAD") == tip
    assert (made.path / "work").exists()
    assert str(world / "stick") in git(repo, "worktree", "list")


def test_an_existing_branch_keeps_its_commits(repo: Path) -> None:
    """Made on the branch as it is, and never deleted by us."""
    git(repo, "branch", "ag/a")

    made = _made(make_trees(repo, ["a"])["a"])

    assert (made.action, made.made_branch) == (Action.USE_BRANCH, False)


@pytest.mark.parametrize("stage", ["branch", "registered", "files"])
def test_a_kill_in_the_middle_is_mended_by_the_next_run(
    repo: Path, world: Path, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    """Kill -9 after the branch, after the registration, or during the checkout (C45)."""
    for number in range(5):
        commit(repo, f"f{number}")
    stops = {
        "branch": "*GIT_COMMITTER_IDENT*) kill -9 $PPID; exit 1;;",
        "registered": "*read-tree*) kill -9 $PPID; exit 1;;",
        "files": '*read-tree*) touch f0; kill -9 $PPID; sleep 1; cd "$2"; touch f0 f1;;',
    }
    rule = f'case "$*" in {stops[stage]} esac'
    code = (
        "from pathlib import Path; from tests.support.trees import make_trees; "
        f"make_trees(Path({str(repo)!r}), ['a', 'b'])"
    )
    root = str(Path(__file__).parents[2])
    env = {**os.environ, "PATH": other_git(world, rule), "PYTHONPATH": root}
    done = subprocess.run([sys.executable, "-c", code], env=env, check=False)
    assert done.returncode == -signal.SIGKILL

    made = make_trees(repo, ["a", "b"])

    for agent in "ab":
        path = _made(made[agent]).path
        assert git(path, "status", "--porcelain", "--branch") == f"## ag/{agent}"
        assert not unfinished(path)
    assert branches(repo) == {"main", "ag/a", "ag/b"}


@pytest.mark.parametrize("work", ["edit", "folder"])
def test_what_somebody_did_in_a_half_made_worktree_is_not_overwritten(
    repo: Path, work: str
) -> None:
    """An edit since the kill is named and stays; half a file of git's is written anew."""
    commit(repo, "whole", "all of it")
    path = _made(make_trees(repo, ["a"])["a"]).path
    admin = admin_dir(path)
    assert admin is not None
    (admin / "index").unlink()
    (admin / MARKER).touch()
    (path / "whole").write_text("all")
    kept = path / "README.md"
    if work == "folder":
        kept.unlink()
        kept.mkdir()
        kept /= "notes"
    kept.write_text("somebody's work")

    error = make_trees(repo, ["a"])["a"]

    assert isinstance(error, GitError)
    assert "README.md" in error.message
    assert "move it away" in (error.hint or "")
    assert kept.read_text() == "somebody's work"
    place = path / "README.md"
    place.rename(repo.parent / "aside")
    _made(make_trees(repo, ["a"])["a"])
    assert git(path, "status", "--porcelain") == ""
    assert (path / "whole").read_text() == "all of it"


def test_a_git_that_outlives_its_mdtmux_is_waited_for(repo: Path, world: Path) -> None:
    """The old checkout goes on after the kill; the new run neither cuts it nor races it."""
    rule = 'case "$*" in *read-tree*) kill -9 $PPID; sleep 1;; esac'
    code = (
        "from pathlib import Path; from tests.support.trees import make_trees; "
        f"make_trees(Path({str(repo)!r}), ['a'])"
    )
    root = str(Path(__file__).parents[2])
    env = {**os.environ, "PATH": other_git(world, rule), "PYTHONPATH": root}
    subprocess.run([sys.executable, "-c", code], env=env, check=False)
    path = steps(repo, ["a"])[0].path
    assert unfinished(path)

    made = _made(make_trees(repo, ["a"])["a"])

    assert git(made.path, "status", "--porcelain") == ""
    admin = admin_dir(path)
    assert admin is not None
    assert not (admin / MARKER).exists()


def test_a_stale_index_lock_of_a_killed_checkout_is_cleared(repo: Path) -> None:
    """With our marker and nobody at work, the lock is a leftover."""
    record = tree(repo)
    admin = admin_dir(record.path)
    assert admin is not None
    for name in (MARKER, "index.lock"):
        (admin / name).touch()
    for file in (record.path / "README.md", admin / "index"):
        file.unlink()

    make_trees(repo, ["a"])

    assert git(record.path, "status", "--porcelain") == ""


def test_a_finished_worktree_is_never_reset(repo: Path) -> None:
    """Adopting touches no file: work in progress stays as it is."""
    record = tree(repo)
    (record.path / "README.md").write_text("mine\n")
    (record.path / "new").write_text("mine\n")
    git(record.path, "add", "new")
    before = files_of(record.path)

    made = _made(make_trees(repo, ["a"])["a"])

    assert (made.action, made.made_worktree) == (Action.ADOPT, False)
    assert files_of(record.path) == before
    assert git(record.path, "status", "--porcelain") == " M README.md\nA  new"


def test_the_last_check_before_a_start(repo: Path, world: Path) -> None:
    """Missing, foreign, unfinished or switched: said without starting git (C27)."""
    record = tree(repo)
    common = repo / ".git"
    other = make_repo(world / "other")

    assert fault_of(common, record.path, "ag/a") is None
    assert "does not exist" in str(fault_of(common, world / "no", "ag/a"))
    assert "is not a worktree" in str(fault_of(common, other, "main"))
    assert "on branch `ag/a`" in str(fault_of(common, record.path, "ag/b"))
    git(record.path, "checkout", "-q", "--detach")
    assert fault_of(common, record.path, "ag/a") is None


_NAMES = st.text(
    st.sampled_from("aé ü'\"#$`&;(){}!~*?[]%@=+,\\\u0301ßΩ文"), min_size=1, max_size=8
).filter(lambda name: name.strip() == name)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_NAMES)
def test_any_path_works(world: Path, name: str) -> None:
    """Blanks, quotes, accents, `#` and shell characters in a path are only a path."""
    root = world / f"p{abs(hash(name))}"
    repo = make_repo(root / name)
    try:
        made = _made(make_trees(repo, ["a"])["a"])
        assert made.path.parent.parent.name == f"{name}__worktrees"
        assert git(made.path, "status", "--porcelain", "--branch") == "## ag/a"
        assert steps(repo, ["a"])[0].action is Action.ADOPT
        assert steps(made.path, ["a"])[0].action is Action.ADOPT
    finally:
        shutil.rmtree(root)


def test_work_done_while_a_hook_ran_is_kept(repo: Path, world: Path) -> None:
    """Killed in the hook, the files stood: what a person did since is no leftover."""
    _hook(repo, "true")
    code = (
        "from pathlib import Path; from tests.support.trees import make_trees; "
        f"make_trees(Path({str(repo)!r}), ['a'])"
    )
    rule = 'case "$*" in *"hook run"*) kill -9 $PPID; exit 1;; esac'
    root = str(Path(__file__).parents[2])
    env = {**os.environ, "PATH": other_git(world, rule), "PYTHONPATH": root}
    subprocess.run([sys.executable, "-c", code], env=env, check=False)
    path = steps(repo, ["a"])[0].path
    (path / "README.md").write_text("precious\n")
    (path / "staged").write_text("mine\n")
    git(path, "add", "staged")

    made = _made(make_trees(repo, ["a"])["a"])

    assert (path / "README.md").read_text() == "precious\n"
    assert (path / "staged").read_text() == "mine\n"
    assert "kept as it was found there: `README.md`" in made.notes
