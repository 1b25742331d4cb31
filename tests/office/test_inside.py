"""Paths that must stay inside a worktree."""

from __future__ import annotations

import pytest

from mdtmux.office.inside import overlap
from tests.support.office_files import agent, agent_fault


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("dir: ../x", "dir: `../x` leads out with `..`"),
        ("dir: a/../../x", "dir: `a/../../x` leads out with `..`"),
        ("copy: /etc/passwd", "copy: `/etc/passwd` must be relative to the worktree"),
        ("copy: ~/x", "copy: `~/x` must be relative to the worktree"),
        ("link: ../x", "link: `../x` leads out with `..`"),
        ("copy: .", "copy: `.` is the whole repository"),
        ("link: ./", "link: `./` is the whole repository"),
        ("copy: .git/config", "copy: `.git/config` belongs to git"),
        ("link: ./.GIT", "link: `./.GIT` belongs to git"),
        (
            "copy: [node_modules/x], link: [node_modules]",
            "link: `node_modules` is linked while `node_modules/x` is copied "
            "(a copy would land in the repository)",
        ),
    ],
)
def test_paths_that_are_refused(keys: str, message: str) -> None:
    """Nothing is brought from, or into, somewhere else."""
    assert agent_fault(keys) == message


def test_paths_are_kept_in_their_shortest_spelling() -> None:
    """Each once, in the file's order; spaces, accents, `#` and patterns are characters."""
    found = agent("copy: [./.env, a//b/, .env, 'a b/é#', '*.local']")
    assert found.copy == (".env", "a/b", "a b/é#", "*.local")


def test_paths_overlap_by_folders_not_by_letters() -> None:
    """`ab` does not lie in `a`."""
    assert overlap(["ab", "c"], ["a", "d"]) is None
    assert overlap(["a"], ["a/b"]) == ("a", "a/b")
    assert overlap(["a/b"], ["a"]) == ("a/b", "a")
    assert overlap(["a"], ["a"]) == ("a", "a")
