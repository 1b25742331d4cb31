"""What a person has done in a worktree that a killed mdtmux left half filled."""

from __future__ import annotations

from pathlib import Path, PurePath

from mdtmux.system import git
from mdtmux.worktrees.exact import is_part_of
from mdtmux.worktrees.repository import admin_dir
from mdtmux.worktrees.unseen import closed

_LIMIT = 300.0
_INDEX = "mdtmux-index-fill"


def foreign_files(path: Path) -> tuple[str, ...]:
    """Return the files of a half-made worktree that its commit does not have.

    Folders that git could not look into count, since they may hold some.
    """
    done = git.run(path, "ls-files", "-z", "--others", check=False)
    if done.code:
        return tuple(one.name for one in path.iterdir() if one.name != ".git")
    known = _committed(path)
    return (*(name for name in done.records() if name not in known), *closed(done))


def in_the_way(path: Path) -> tuple[str, ...]:
    """Return the foreign files that lie where the commit has a file, or above one."""
    foreign = foreign_files(path)
    if not foreign:
        return ()
    files = _committed(path)
    folders = {str(one) for name in files for one in PurePath(name).parents}
    return tuple(
        name
        for name in foreign
        if name.rstrip("/") in folders
        or any(str(one) in files for one in PurePath(name).parents)
    )


def changed_files(path: Path) -> tuple[str, ...]:
    """Return the files that are neither as committed nor a beginning of that.

    A git that was killed leaves such beginnings, and a person whole files.

    Raises:
        GitError: git cannot read the commit.
    """
    admin = admin_dir(path)
    if admin is None:
        return ()
    index = admin / _INDEX
    using = git.Using(timeout=_LIMIT, index=index)
    try:
        git.run(path, "read-tree", "HEAD", using=using)
        git.run(path, "update-index", "-q", "--refresh", check=False, using=using)
        args = ("diff-files", "-z", "--name-only", "--diff-filter=MT")
        names = git.run(path, *args, "--ignore-submodules=all", using=using).records()
    finally:
        for left in (index, index.with_name(f"{_INDEX}.lock")):
            left.unlink(missing_ok=True)
    return tuple(name for name in names if not is_part_of(path, name, ["HEAD"]))


def strange_files(path: Path) -> tuple[str, ...]:
    """Return all in a half-made worktree that is not git's doing.

    Raises:
        GitError: git cannot read the commit.
    """
    return (*foreign_files(path), *changed_files(path))


def _committed(path: Path) -> frozenset[str]:
    return frozenset(git.run(path, "ls-tree", "-rz", "--name-only", "HEAD").records())
