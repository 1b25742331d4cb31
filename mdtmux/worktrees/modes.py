"""Permissions that git does not keep: it knows of files only who may run them."""

from __future__ import annotations

import contextlib
import json
import stat
from collections.abc import Sequence
from pathlib import Path

from mdtmux.worktrees.exact import plain_files

# What git gives to files and folders under the usual mask.
_USUAL = frozenset({0o644, 0o755})


def modes_of(path: Path, names: Sequence[str]) -> str:
    """Return a line that tells the unusual permissions of these files and their folders."""
    found: dict[str, int] = {}
    for name in plain_files(path, names):
        places = [path / name, *(path / name).parents]
        for place in places[: places.index(path)]:
            with contextlib.suppress(OSError):
                mode = stat.S_IMODE(place.lstat().st_mode)
                if mode not in _USUAL:
                    found[str(place.relative_to(path))] = mode
    # ASCII: a name may be no text at all, and git would turn what is no UTF-8.
    return json.dumps(found)


def put_modes(path: Path, told: str) -> None:
    """Give files and folders the permissions that such a line tells; others stay."""
    try:
        modes = json.loads(told)
    except ValueError:
        return
    if not isinstance(modes, dict):
        return
    # Folders come last, the innermost first: one may not let us in afterwards.
    for name, mode in sorted(modes.items(), key=lambda one: -one[0].count("/")):
        place = path / name
        with contextlib.suppress(OSError):
            inside = place.resolve() == path.resolve() / name
            if inside and stat.S_IMODE(place.lstat().st_mode) != mode:
                place.chmod(mode)
