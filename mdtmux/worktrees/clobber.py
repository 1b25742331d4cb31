"""Which files that are in no commit a move of a checkout would take with it.

Git looks after changed and untracked files, but takes ignored ones for rubbish: it
replaces them by what is tracked, and empties their folders; those of submodules too,
with all that is in them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from mdtmux.system import git
from mdtmux.worktrees.unseen import walk

_LIMIT = git.Using(timeout=300.0)
# Modes as git tells them: of nothing, and of a submodule.
_NONE = "000000"
_SUBMODULE = "160000"


def changes(path: Path, before: str, after: str) -> dict[str, str]:
    """Return the files that differ between two commits, each with its mode in the second.

    The mode is "000000" for what is not in there.
    """
    args = ("diff-tree", "-r", "-z", "--no-renames", "--ignore-submodules=none")
    parts = git.run(path, *args, before, after, using=_LIMIT).records()
    rows = zip(parts[::2], parts[1::2], strict=True)
    return {name: row.split(" ")[1] for row, name in rows}


def written(path: Path, after: str) -> dict[str, str]:
    """Return what a reset of the checkout to a commit writes, each with its mode in there.

    Staged and changed files count, as they stand.
    """
    args = ("diff-index", "-z", "--no-renames", "--ignore-submodules=dirty", after)
    parts = git.run(path, *args, "--", using=_LIMIT).records()
    rows = zip(parts[::2], parts[1::2], strict=True)
    modes = ((name, row.split(" ")[0].removeprefix(":")) for row, name in rows)
    return {name: mode for name, mode in modes if mode != _NONE}


def met(names: Iterable[str], moved: Mapping[str, str]) -> list[str]:
    """Return those of the names that are, hold or lie in what a move changes."""
    coming = {name for name, mode in moved.items() if mode != _NONE}
    folders = {one for name in coming for one in above(name)}
    return [
        name
        for name in names
        if name in moved or name in folders or any(one in coming for one in above(name))
    ]


def clobbered(path: Path, moved: Mapping[str, str]) -> tuple[str, ...]:
    """Return what stands untracked, ignored or not, where a move would write.

    `moved` are the files that differ, with the modes they will have. What stands in a
    folder that would become a file or a link counts too. A repository in the way, or
    into which a file would come, is named as a folder, with a slash at the end.

    Raises:
        GitError: git cannot read the index.
    """
    coming = {name: mode for name, mode in moved.items() if mode != _NONE}
    tracked = frozenset(git.run(path, "ls-files", "-z").records())
    found: dict[str, None] = {}
    blocked: set[str] = set()
    # Outer ones first: what lies behind a link is not in the checkout.
    for folder in sorted({one for name in coming for one in above(name)}):
        if not blocked.isdisjoint(above(folder)):
            continue
        if _is_repository(path / folder):
            found[f"{folder}/"] = None
        elif _is_other(path / folder):
            blocked.add(folder)
            if folder not in tracked:
                found[folder] = None
    for name, mode in coming.items():
        if blocked.isdisjoint(above(name)):
            found.update(dict.fromkeys(_in_place(path, name, mode, tracked)))
    return tuple(found)


def above(name: str) -> Iterator[str]:
    """Yield the folders in which a file lies, the outermost first."""
    parts = name.split("/")
    return ("/".join(parts[:many]) for many in range(1, len(parts)))


def _is_repository(folder: Path) -> bool:
    return not folder.is_symlink() and os.path.lexists(folder / ".git")


def _is_other(place: Path) -> bool:
    """Tell whether something stands there that is no folder."""
    return os.path.lexists(place) and (place.is_symlink() or not place.is_dir())


def _in_place(
    path: Path, name: str, mode: str, tracked: frozenset[str]
) -> Iterator[str]:
    place = path / name
    if _is_other(place):
        if name not in tracked:
            yield name
    # Git leaves a folder where a submodule comes.
    elif mode != _SUBMODULE and place.is_dir():
        yield from _untracked(path, place, tracked)


def _untracked(path: Path, top: Path, tracked: frozenset[str]) -> Iterator[str]:
    try:
        for folder, folders, names in walk(top):
            if _is_repository(folder):
                folders.clear()
                yield f"{folder.relative_to(path)}/"
                continue
            links = [one for one in folders if (folder / one).is_symlink()]
            for one in (*names, *links):
                inner = str((folder / one).relative_to(path))
                if inner not in tracked:
                    yield inner
    except OSError as error:
        # It may hold anything.
        yield f"{Path(error.filename).relative_to(path)}/"
