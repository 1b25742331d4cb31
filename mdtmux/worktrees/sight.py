"""Whether a worktree stood still: only what was saved may be thrown away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from mdtmux.system import git
from mdtmux.worktrees.safety import Status, read_status

# What the kernel says of a file, None when there is none.
Mark = tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Sight:
    """A worktree at one moment: what git says of it, its index, and marks of its files."""

    status: Status
    index: frozenset[str]
    files: Mapping[str, Mark]

    @property
    def conflicts(self) -> tuple[str, ...]:
        """The rows of the index that are in conflict, as `ls-files -s` tells them."""
        return tuple(sorted(row for row in self.index if row.split(" ")[2][0] != "0"))


def look(path: Path, status: Status, names: Iterable[str]) -> Sight:
    """Return how the worktree stands: all that is tracked, and the named files.

    Raises:
        GitError: git cannot read the index.
    """
    rows = _index(path)
    tracked = (row.partition("\t")[2] for row in rows)
    files = {name: mark_of(path / name) for name in (*names, *tracked)}
    return Sight(status, rows, files)


def changed(path: Path, before: Sight) -> list[str]:
    """Return the files that are not as they were, and `HEAD` when that has moved.

    Raises:
        GitError: git cannot read the worktree.
    """
    now, rows = read_status(path, ignored=False), _index(path)
    found = {row.partition("\t")[2] for row in rows ^ before.index}
    found |= set(_named(now)) ^ set(_named(before.status))
    # Last, since it takes the least time: nothing comes between but the caller.
    found |= {one for one, mark in before.files.items() if mark_of(path / one) != mark}
    if (now.head, now.branch) != (before.status.head, before.status.branch):
        return ["HEAD", *sorted(found)]
    return sorted(found)


def mark_of(file: Path) -> Mark:
    """Return what tells that a file was written to; None when there is none."""
    try:
        now = file.lstat()
    except OSError:
        return None
    return (now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)


def _index(path: Path) -> frozenset[str]:
    using = git.Using(timeout=300.0)
    return frozenset(git.run(path, "ls-files", "-s", "-z", using=using).records())


def _named(status: Status) -> tuple[str, ...]:
    return (*status.modified, *status.staged, *status.untracked, *status.submodules)
