"""A discard or an undo that stopped in the middle is finished by the next undo."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from mdtmux.worktrees.record import Record
from mdtmux.worktrees.repository import inspect
from mdtmux.worktrees.undo import undo
from tests.support.repos import git
from tests.support.trees import all_of, commit, other_git, tree

Change = Callable[[Path], None]
_RUN = """
from pathlib import Path
from mdtmux.worktrees.discard import discard
from mdtmux.worktrees.undo import undo
from mdtmux.worktrees.record import Record
from mdtmux.worktrees.repository import inspect
path = Path({path!r})
record = Record("a", path, {branch!r}, {sha!r})
repository, state = inspect(Path({repo!r})), Path({state!r})
{call}
"""
DISCARD = "discard(repository, record, state)"
UNDO = "undo(repository, state)"
# Where a git that was told to do so ends the program that called it.
STOPS = [
    (DISCARD, '*"reset --hard"*'),
    (UNDO, '*"read-tree"*"-u"*'),
    (UNDO, '*"read-tree"*"-u"*', "after"),
    (UNDO, "*update-ref*refs/heads*"),
    (UNDO, "*update-ref*refs/heads*", "after"),
]


def _folder_to_file(path: Path) -> None:
    shutil.rmtree(path / "d")
    (path / "d").write_text("a file\n")


def _file_to_folder(path: Path) -> None:
    (path / "f").unlink()
    (path / "f").mkdir()
    (path / "f/inner").write_text("a file in a folder\n")


def _file_to_link(path: Path) -> None:
    (path / "f").unlink()
    (path / "f").symlink_to("d/f1")


def _out_of_the_index(path: Path) -> None:
    git(path, "rm", "-q", "--cached", "f")
    git(path, "commit", "-q", "-m", "not tracked any more")


def _folder_to_file_committed(path: Path) -> None:
    _folder_to_file(path)
    git(path, "add", "-A")
    git(path, "commit", "-q", "-m", "change")


def _staged(path: Path) -> None:
    (path / "f").write_text("staged\n")
    git(path, "add", "f")
    (path / "f").write_text("and changed\n")
    git(path, "rm", "-q", "--cached", "d/f1")


CHANGES = [
    _folder_to_file,
    _file_to_folder,
    _file_to_link,
    _out_of_the_index,
    _folder_to_file_committed,
    _staged,
]


@pytest.fixture
def record(repo: Path) -> Record:
    """Return a worktree with a commit of its own."""
    commit(repo, "d/f1", "one\n")
    commit(repo, "f", "a file\n")
    found = tree(repo)
    commit(found.path, "work")
    return found


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("stop", STOPS)
def test_what_was_interrupted_is_finished(
    repo: Path, world: Path, record: Record, change: Change, stop: tuple[str, ...]
) -> None:
    """A kill -9 of the program at any call of git, before it or after it."""
    change(record.path)
    before, status = all_of(record.path), git(record.path, "status", "--porcelain")
    call, when, *after = stop
    killed = "kill -9 $PPID; exit 1"
    if after:
        killed = f'"{shutil.which("git")}" "$@"; {killed}'
    env = {
        **os.environ,
        "PATH": other_git(world, f'case "$*" in {when}) {killed};; esac'),
    }
    if call == UNDO:
        _run(repo, world, record, DISCARD, os.environ)
    done = _run(repo, world, record, call, env)
    assert done.returncode == -signal.SIGKILL, done.stderr

    undo(inspect(repo), world / "state")

    assert all_of(record.path) == before
    assert git(record.path, "status", "--porcelain") == status


def _run(
    repo: Path, world: Path, record: Record, call: str, env: Mapping[str, str]
) -> subprocess.CompletedProcess[bytes]:
    code = _RUN.format(
        path=str(record.path), branch=record.branch, sha=record.base_sha,
        repo=str(repo), state=str(world / "state"), call=call,
    )  # fmt: skip
    return subprocess.run(
        [sys.executable, "-c", code], env=dict(env), check=False, capture_output=True
    )
