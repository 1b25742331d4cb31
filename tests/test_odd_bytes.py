"""Bytes of others that are no UTF-8, wherever mdtmux meets them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.office import Lab, make_lab, tui
from tests.support.repos import git

pytestmark = pytest.mark.usefixtures("tidy")
_REASON = b"caf\xe9"


@pytest.fixture
def lab(world: Path) -> Lab:
    """Return a lab whose one agent sleeps."""
    lab = make_lab(world)
    lab.write([{"name": "a", "command": ["sleep", "99"], "branch": "ag/a"}])
    return lab


def _lock(lab: Lab, path: Path) -> None:
    argv = ["git", "worktree", "lock", "--reason", os.fsdecode(_REASON), str(path)]
    subprocess.run(argv, check=True, cwd=lab.repo)


def test_a_lock_reason(lab: Lab) -> None:
    """Somebody's worktree is locked in Latin-1: `up` works, and `rm` tells the reason."""
    git(lab.repo, "worktree", "add", "-q", "--detach", str(lab.home / "theirs"))
    _lock(lab, lab.home / "theirs")
    lab.ok("up")
    _lock(lab, lab.home / "repo__worktrees/lab/a")

    done = lab.run("rm", "a")

    assert done.code == 4
    assert "it holds a lock: `caf" in done.err


def test_a_branch_that_is_rebased(lab: Lab) -> None:
    """A checkout in the middle of a rebase of a branch in Latin-1 is read."""
    git(lab.repo, "checkout", "-q", "-b", os.fsdecode(_REASON))
    git(lab.repo, "commit", "-q", "--allow-empty", "-m", "x")
    command = ["-c", "sequence.editor=sed -i s/^pick/edit/", "rebase", "-q", "-i"]
    git(lab.repo, *command, "--keep-empty", "--root")

    lab.ok("plan")


def test_a_program_whose_name_is_cut(lab: Lab) -> None:
    """Linux keeps 15 bytes of a name, which may be half a letter."""
    program = lab.home / "aaaaaaaaaaaaaa\u00e9"
    shutil.copy(sys.executable, program)
    shutil.copytree(Path(sys.prefix), lab.home / "v", symlinks=True)
    target = lab.home / "v/bin" / program.name
    target.symlink_to(Path(sys.executable).resolve())
    lab.write([{"name": "a", "command": [str(target), *tui("a")[1:]], "prompt": "hi"}])

    lab.ok("up")

    assert lab.submits("a") == ["hi"]


def test_a_repository_under_an_odd_path(lab: Lab, world: Path) -> None:
    """An office in a folder of Latin-1 comes up, or says what is in its way."""
    odd = world / os.fsdecode(_REASON)
    shutil.copytree(lab.home, odd)
    there = Lab(odd)

    there.ok("up")

    assert there.rows()["a"]["state"] == "running"
