"""Counts that do not depend on the machine's speed: processes started, failures."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

import pytest

from tests.support.office import Lab, make_lab
from tests.support.repos import git

pytestmark = pytest.mark.usefixtures("tidy")


@pytest.fixture
def lab(world: Path) -> Lab:
    """Return a lab with a small repository."""
    return make_lab(world)


def _sleepers(lab: Lab, count: int, **keys: object) -> None:
    agents = [{"name": f"a{n}", "command": ["sleep", "99"]} for n in range(count)]
    lab.write(agents, **keys)


@pytest.mark.parametrize("agents", [1, 16, 64])
def test_up_starts_a_fixed_number_of_tmux_processes(
    lab: Lab, world: Path, agents: int
) -> None:
    """At most three, however many agents there are; one where no server runs yet."""
    tools, log = world / "tools", world / "starts"
    tools.mkdir()
    real = shutil.which("tmux") or "tmux"
    script = f'#!/bin/sh\necho x >>{shlex.quote(str(log))}\nexec {real} "$@"\n'
    (tools / "tmux").write_text(script)
    (tools / "tmux").chmod(0o755)
    _sleepers(lab, agents)
    path = {"PATH": f"{tools}:{os.environ['PATH']}"}
    assert lab.run("up", env=path).code == 0
    assert len(log.read_text().split()) == 1
    log.unlink()
    lab.ok("stop", "a0")
    assert lab.run("up", env=path).code == 0

    assert len(log.read_text().split()) <= 3


def test_no_worktree_fails_from_a_remote_branch(lab: Lab) -> None:
    """C51: sixteen agents from origin/main, five times over: none fails, no branch is left."""
    git(lab.repo, "update-ref", "refs/remotes/origin/main", "HEAD")
    git(lab.repo, "remote", "add", "origin", str(lab.repo))
    for number in range(5):
        _sleepers(lab, 16, name=f"lab{number}", base="origin/main")
        lab.ok("up")
        lab.ok("down", "--remove-worktrees")
    branches = git(
        lab.repo, "for-each-ref", "--format=%(refname:short)", "refs/heads/lab*/*"
    )

    assert len(branches.split()) == 5 * 16
    assert "branch.lab" not in git(lab.repo, "config", "--list", "--local")


def test_up_right_after_down(lab: Lab) -> None:
    """The tmux server that is going away is never met: ten times, no failure."""
    _sleepers(lab, 2)
    for _ in range(10):
        lab.ok("up")
        lab.ok("down")
