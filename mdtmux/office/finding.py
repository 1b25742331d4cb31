"""Find the office file; light, for Tab and commands that do not read it."""

from __future__ import annotations

from pathlib import Path

FILE_NAMES = ("office.yaml", "office.yml")


def find(start: Path) -> Path | None:
    """Return the nearest `office.yaml` or `office.yml` at or above the folder."""
    folder = start.absolute()
    for above in (folder, *folder.parents):
        for name in FILE_NAMES:
            if _is_file(above / name):
                return above / name
    return None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        # A folder above that may not be searched hides nothing of ours.
        return False
