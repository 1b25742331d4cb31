"""Which files that are in no commit a move of a checkout would take with it.

Git looks after changed and untracked files, but takes ignored ones for rubbish: it
replaces them by what is tracked, and empties their folders.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from mdtmux.system import git


def changes(path: Path, before: str, after: str) -> dict[str, str]:
    """Return the files that differ between two commits, with git's letters A, D, M, T."""
    args = ("diff", "--name-status", "--no-renames", "-z", before, after)
    parts = git.run(path, *args, using=git.Using(timeout=300.0)).records()
    return dict(zip(parts[1::2], parts[::2], strict=True))


def clobbered(path: Path, before: str, after: str) -> tuple[str, ...]:
    """Return what stands untracked, ignored or not, where a move would write.

    The checkout at `path` is at `before` and would go to `after`. What stands in a
    folder that would become a file or a link counts too.

    Raises:
        GitError: git cannot compare the two, or read the index.
    """
    letters = changes(path, before, after)
    coming = [name for name, letter in letters.items() if letter in "ATM"]
    tracked = frozenset(git.run(path, "ls-files", "-z").records())
    found: dict[str, None] = {}
    for name in coming:
        for one in _in_the_way(path, name, tracked):
            found[one] = None
    return tuple(found)


def _in_the_way(path: Path, name: str, tracked: frozenset[str]) -> Iterator[str]:
    place = path / name
    if place.is_dir() and not place.is_symlink():
        # The place of a submodule is a folder by right.
        if name not in tracked:
            yield from _untracked(path, place, tracked)
        return
    if os.path.lexists(place):
        if name not in tracked:
            yield name
        return
    for parent in place.parents:
        if parent == path:
            return
        if os.path.lexists(parent):
            inner = str(parent.relative_to(path))
            blocks = parent.is_symlink() or not parent.is_dir()
            if blocks and inner not in tracked:
                yield inner
            return


def _untracked(path: Path, folder: Path, tracked: frozenset[str]) -> Iterator[str]:
    for base, folders, names in os.walk(folder):
        links = [one for one in folders if (Path(base) / one).is_symlink()]
        for one in (*names, *links):
            inner = str((Path(base) / one).relative_to(path))
            if inner not in tracked:
                yield inner
