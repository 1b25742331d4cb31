"""A worktree for a moment, to try something where nobody works."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mdtmux.system import git
from mdtmux.system.files import private_dir
from mdtmux.worktrees.make import registering, repository_state
from mdtmux.worktrees.repository import Repository, worktrees

_PREFIX = "scratch-"


@contextmanager
def scratch(repository: Repository, sha: str) -> Iterator[Path]:
    """Yield a full checkout of the commit on no branch; it is gone afterwards.

    Call it with the repository's merge lock held: what an earlier, killed mdtmux
    left of its own is cleared away first.

    Raises:
        GitError: the commit cannot be checked out.
    """
    common = repository.common_dir
    root = private_dir(repository_state(common).resolve())
    with registering(common):
        _clear(common, root)
        path = root / f"{_PREFIX}{secrets.token_hex(4)}"
        git.run(common, "worktree", "add", "--no-checkout", "--detach", str(path), sha)
    try:
        using = git.Using(timeout=1800.0)
        git.run(path, "read-tree", "--reset", "-u", "HEAD", using=using)
        yield path
    finally:
        with registering(common):
            _clear(common, root)


def _clear(common: Path, root: Path) -> None:
    """Remove every scratch worktree: the merge lock says that none is in use."""
    for path in root.glob(f"{_PREFIX}*"):
        shutil.rmtree(path, ignore_errors=True)
    for row in worktrees(common):
        if row.path.parent == root and row.path.name.startswith(_PREFIX):
            git.run(common, "worktree", "remove", str(row.path), check=False)
