"""What mdtmux registers itself is what git would have written, or git does it."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mdtmux.worktrees.checkout import MARKER, unfinished
from mdtmux.worktrees.make import Made
from mdtmux.worktrees.prepare import plan
from mdtmux.worktrees.record import Record
from mdtmux.worktrees.register import register
from mdtmux.worktrees.remove import Removal, remove
from mdtmux.worktrees.repository import HEADS, admin_dir, inspect
from tests.support.repos import git, make_repo
from tests.support.trees import (
    branches,
    files_of,
    make_trees,
    other_git,
    steps,
    tree,
    wants,
)


def _registered(repo: Path, *agents: str, template: str | None = None) -> set[str]:
    """Make the agents' branches, as `make` does, and register; return for whom."""
    repository = inspect(repo)
    how = {"template": template} if template else {}
    planned = plan(repository, wants(repo, agents, **how))
    for step in planned:
        git(repo, "update-ref", HEADS + step.branch, step.sha)
    return set(register(repository, planned))


def _written(path: Path) -> tuple[dict[str, bytes | str], bytes]:
    """Return what stands in the registration's folder, and the worktree's own file."""
    admin = admin_dir(path)
    assert admin is not None
    files = files_of(admin)
    files.pop(MARKER, None)
    return files, (path / ".git").read_bytes()


def _as_usual(repo: Path, world: Path) -> Path:
    return repo


def _bare(repo: Path, world: Path) -> Path:
    git(world, "clone", "-q", "--bare", str(repo), "bare.git")
    return world / "bare.git"


def _submodule(repo: Path, world: Path) -> Path:
    outer = make_repo(world / "outer")
    file = ("-c", "protocol.file.allow=always")
    git(outer, *file, "submodule", "add", "-q", str(repo), "sub")
    return outer / "sub"


def _without_log(repo: Path, world: Path) -> Path:
    git(repo, "config", "core.logAllRefUpdates", "false")
    return repo


def _bare_with_log(repo: Path, world: Path) -> Path:
    bare = _bare(repo, world)
    git(bare, "config", "core.logAllRefUpdates", "always")
    return bare


def _long_hashes(repo: Path, world: Path) -> Path:
    long = world / "long"
    git(world, "init", "-q", "--object-format=sha256", str(long))
    git(long, "commit", "-q", "--allow-empty", "-m", "first")
    return long


def _name_taken(repo: Path, world: Path) -> Path:
    for number in range(2):
        git(repo, "worktree", "add", "-q", "--detach", str(world / f"w{number}/a"))
    return repo


def _folder_there(repo: Path, world: Path) -> Path:
    steps(repo, ["a"])[0].path.mkdir(parents=True)
    return repo


SHAPES = [
    _as_usual, _bare, _submodule, _without_log, _bare_with_log, _long_hashes,
    _name_taken, _folder_there,
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: str(shape.__name__))
def test_it_writes_what_git_writes(
    repo: Path, world: Path, monkeypatch: pytest.MonkeyPatch, shape: object
) -> None:
    """The same files with the same content, for every shape of repository."""
    assert callable(shape)
    where = shape(repo, world)
    monkeypatch.setenv("GIT_COMMITTER_DATE", "1700000000 +0130")
    path = steps(where, ["a"])[0].path

    assert _registered(where, "a") == {"a"}
    ours = _written(path)
    assert unfinished(path)
    git(where, "worktree", "remove", "--force", str(path))
    git(where, "worktree", "add", "-q", "--no-checkout", str(path), "ag/a")

    assert ours == _written(path)


def _config(key: str, value: str) -> object:
    def change(repo: Path, world: Path) -> None:
        git(repo, "config", key, value)

    return change


def _own_settings(repo: Path, world: Path) -> None:
    git(repo, "config", "extensions.worktreeConfig", "true")
    git(repo, "config", "--worktree", "some.key", "value")


def _sparse(repo: Path, world: Path) -> None:
    git(repo, "sparse-checkout", "set", "sub")


def _reftable(repo: Path, world: Path) -> None:
    # As git 2.45 lays it out; an older one passes it over.
    (repo / ".git/reftable").mkdir()


def _nameless(repo: Path, world: Path) -> None:
    git(repo, "config", "user.useConfigOnly", "true")
    git(repo, "config", "--global", "--remove-section", "user")


SPECIAL = {
    "shared": _config("core.sharedRepository", "group"),
    "relative": _config("worktree.useRelativePaths", "true"),
    "own settings": _own_settings,
    "sparse": _sparse,
    "reftable": _reftable,
    "nameless": _nameless,
}


@pytest.mark.parametrize("case", SPECIAL)
def test_what_is_not_plain_is_left_to_git(repo: Path, world: Path, case: str) -> None:
    """Nothing is written; and `make` gives a worktree all the same."""
    change = SPECIAL[case]
    assert callable(change)
    change(repo, world)

    assert _registered(repo, "a") == set()

    assert not (repo / ".git/worktrees").exists()
    assert isinstance(make_trees(repo, ["b"])["b"], Made)


def test_settings_that_change_nothing_are_no_hindrance(repo: Path) -> None:
    """`worktree.guessRemote` is about other ways to call `worktree add`."""
    git(repo, "config", "worktree.guessRemote", "true")

    assert _registered(repo, "a") == {"a"}


def test_an_odd_name_or_a_full_folder_is_left_to_git(repo: Path) -> None:
    """Git would name the registration otherwise, or refuse; the others are written."""
    full = steps(repo, ["b"])[0].path
    full.mkdir(parents=True)
    assert _registered(repo, "a", template="../x/{agent}.lock") == set()
    planned = plan(inspect(repo), wants(repo, ["b", "c"]))
    for step in planned:
        git(repo, "update-ref", HEADS + step.branch, step.sha)
    (full / "mine").write_text("mine")

    assert register(inspect(repo), planned) == {"c"}
    assert files_of(full) == {"mine": b"mine"}


def test_what_git_does_not_see_is_taken_back(
    repo: Path, world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A git with another layout is asked to do it itself: no file of ours stays."""
    repository = inspect(repo)
    planned = plan(repository, wants(repo, ["a", "b"]))
    for step in planned:
        git(repo, "update-ref", HEADS + step.branch, step.sha)
    rule = 'case "$*" in *"worktree list"*) cd /; exit 0;; esac'
    monkeypatch.setenv("PATH", other_git(world, rule))

    assert register(repository, planned) == frozenset()

    assert list((repo / ".git/worktrees").iterdir()) == []
    assert [files_of(step.path) for step in planned] == [{}, {}]


def test_a_disk_that_fills_up_leaves_nothing(repo: Path) -> None:
    """A registration that cannot be written whole is taken back."""
    worktrees = repo / ".git/worktrees"
    worktrees.write_text("in the way")

    assert _registered(repo, "a") == set()
    assert worktrees.read_text() == "in the way"


# Does something before, or after, the Nth call with which a registration is written.
_WATCHED = """
import os, signal, subprocess, sys
from pathlib import Path
from mdtmux.worktrees import register
from tests.support.trees import make_trees

left, repo, what = int(sys.argv[1]), sys.argv[2], sys.argv[3]
write = register._write

def watch(frame, event, call):
    global left
    if event in ("c_call", "c_return") and call.__name__ in ("open", "mkdir", "unlink"):
        left -= 1
        if left == 0 and what == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif left == 0:
            sys.setprofile(None)
            subprocess.run(["git", "-C", repo, "worktree", "prune"], check=True)

def watched(*args):
    sys.setprofile(watch)
    try:
        return write(*args)
    finally:
        sys.setprofile(None)

register._write = watched
made = make_trees(Path(repo), ["a"])
print(left, *(type(one).__name__ for one in made.values()))
"""


def _watched(repo: Path, call: int, what: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-c", _WATCHED, str(call), str(repo), what]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.run(argv, env=env, check=False, capture_output=True, text=True)


def _every_call(world: Path, what: str) -> Iterator[tuple[Path, list[str]]]:
    """Do it at one call after the other, in a repository each, until there is none."""
    for call in itertools.count(1):
        repo = make_repo(world / f"{what}{call}/repo")
        done = _watched(repo, call, what)
        if done.returncode != -signal.SIGKILL:
            left, *made = done.stdout.split()
            if int(left) > 0:
                assert call > 20
                return
            yield repo, made
        else:
            yield repo, []


def test_a_kill_at_any_write_is_mended_by_the_next_run(world: Path) -> None:
    """No half registration stands in the way, and git never chokes on one (C45)."""
    for repo, _ in _every_call(world, "kill"):
        git(repo, "worktree", "list")

        made = make_trees(repo, ["a", "b"])

        for agent in "ab":
            one = made[agent]
            assert isinstance(one, Made), one
            said = git(one.path, "status", "--porcelain", "--branch")
            assert said == f"## ag/{agent}"
            assert not unfinished(one.path)
        assert branches(repo) == {"main", "ag/a", "ag/b"}
        git(repo, "worktree", "prune")
        assert len(list((repo / ".git/worktrees").iterdir())) == 2
        assert "locked" not in git(repo, "worktree", "list", "--porcelain")


def test_a_kill_at_any_write_leaves_nothing_that_cannot_be_removed(world: Path) -> None:
    """`rm` right after the kill: gone without force, since nobody worked there."""
    for repo, _ in _every_call(world, "kill"):
        want = wants(repo, ["a"])[0]
        record = Record("a", want.path, want.branch, want.base_sha)

        assert isinstance(remove(inspect(repo), record, world / "state"), Removal)

        assert not want.path.exists()
        git(repo, "worktree", "prune")
        assert "ag/a" not in git(repo, "worktree", "list")


def test_a_prune_at_any_write_breaks_nothing(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody's `git gc` may take a folder before it is locked: git does that again."""
    rule = f'case "$*" in *"worktree add"*) echo x >>{world}/adds;; esac'
    monkeypatch.setenv("PATH", other_git(world, rule))
    adds = []
    for repo, made in _every_call(world, "prune"):
        adds.append((world / "adds").exists())
        (world / "adds").unlink(missing_ok=True)
        assert made == ["Made"]
        where = steps(repo, ["a"])[0].path
        assert git(where, "status", "--porcelain", "--branch") == "## ag/a"
    # Locked, it is left alone: most of the calls come after that.
    assert 0 < sum(adds) < len(adds) / 3
    assert not any(adds[len(adds) // 2 :])


def test_a_folder_that_is_gone_is_made_again_by_git(repo: Path) -> None:
    """A worktree that git still lists goes the way of a repair."""
    record = tree(repo)
    shutil.rmtree(record.path)

    assert register(inspect(repo), steps(repo, ["a"])) == frozenset()
    assert isinstance(make_trees(repo, ["a"])["a"], Made)
