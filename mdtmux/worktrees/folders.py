"""Folders that were made on the way to worktrees, so that they go with the last one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from mdtmux.system.files import read_json, write_json
from mdtmux.system.processes import mount_points

_FILE = "folders.json"


def note(place: Path, folders: Iterable[Path]) -> None:
    """Remember that these folders were made, in the repository's own state.

    Call it with the repository's list of worktrees held.
    """
    new = [folder for folder in folders if folder.is_dir()]
    if new:
        kept = dict.fromkeys([*made(place), *new])
        write_json(place / _FILE, [str(folder) for folder in kept])


def made(place: Path) -> tuple[Path, ...]:
    """Return the folders that were made and are still there, the innermost first."""
    value = read_json(place / _FILE)
    found = [Path(str(one)) for one in value] if isinstance(value, list) else []
    still = [folder for folder in found if folder.is_dir()]
    return tuple(sorted(still, key=lambda folder: -len(folder.parts)))


def remove_empty(folders: Iterable[Path]) -> None:
    """Remove those of the folders that are empty; the innermost come first."""
    for folder in folders:
        with contextlib.suppress(OSError):
            folder.rmdir()


def mounts_below(folders: Sequence[Path]) -> list[Path]:
    """Return what is mounted at or below the folders: to delete it is to delete elsewhere.

    Neither device nor inodes tell a bind mount of the same file system.
    """
    tops = [Path(os.path.realpath(folder)) for folder in folders]
    points = sorted({Path(one) for one in mount_points()})
    return [one for one in points if any(one.is_relative_to(top) for top in tops)]
