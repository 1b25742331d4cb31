"""Folders that were made on the way to worktrees, so that they go with the last one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

from mdtmux.system.files import read_json, write_json

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
