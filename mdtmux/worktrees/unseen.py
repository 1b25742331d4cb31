"""What git does not show: by flags in the index, behind filters, in closed folders."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from mdtmux.system import git

_CLOSED = re.compile(r"^warning: could not open directory '(.*)': ", re.MULTILINE)


def closed(done: git.Completed) -> tuple[str, ...]:
    """Return the folders that git could not look into: it only warns, and goes on."""
    return tuple(_CLOSED.findall(done.err))


def walk(top: Path) -> Iterator[tuple[Path, list[str], list[str]]]:
    """Yield each folder below `top` with its folders and files, as `os.walk` does.

    Raises:
        OSError: a folder cannot be read; it may hold anything.
    """

    def fail(error: OSError) -> None:
        raise error

    for folder, folders, files in os.walk(top, onerror=fail):
        yield Path(folder), folders, files


def hidden(path: Path) -> list[str]:
    """Return changed files that status does not look at, by a flag in the index.

    `git update-index --assume-unchanged` and `--skip-worktree` make git blind; a
    sparse checkout flags files too, but those are not there. What stands in the place
    of their folder hides their going.
    """
    done = git.run(path, "ls-files", "-v", "-z")
    flagged = [row[2:] for row in done.records() if row[0].islower() or row[0] == "S"]
    blocked = _Blocked(path)
    return [
        name
        for name in flagged
        if blocked.holds(name.rpartition("/")[0])
        or (os.path.lexists(path / name) and not _as_committed(path, name))
    ]


@dataclass(frozen=True, slots=True)
class _Blocked:
    """Tells of folders whether a file or a link stands in their place."""

    path: Path
    _known: dict[str, bool] = field(default_factory=lambda: {"": False})

    def holds(self, folder: str) -> bool:
        known = self._known.get(folder)
        if known is None:
            place = self.path / folder
            known = self.holds(folder.rpartition("/")[0]) or (
                place.is_symlink() or (place.exists() and not place.is_dir())
            )
            self._known[folder] = known
        return known


def _as_committed(path: Path, name: str) -> bool:
    entry = git.run(path, "--literal-pathspecs", "ls-files", "-s", "-z", "--", name)
    sha = git.run(path, "hash-object", "--", name, check=False).text
    return entry.text.split(" ")[1:2] == [sha]


def filtered(path: Path, among: Collection[str] | None = None) -> list[str]:
    """Return files of which a filter hides something: git would not bring them back so.

    All that is tracked is looked at, or what of it is `among` some. Line ends are no
    work: only filter programs are asked about.
    """
    if not git.run(path, "config", "--get-regexp", r"^filter\.", check=False).text:
        return []
    listed = git.run(path, "ls-files", "-z").out
    args = ("check-attr", "-z", "--stdin", "filter")
    parts = git.run(path, *args, stdin=listed).records()
    told = zip(parts[::3], parts[2::3], strict=True)
    names = [name for name, value in told if value not in ("unspecified", "unset")]
    looked_at = names if among is None else [name for name in names if name in among]
    return [name for name in looked_at if not _comes_back(path, name)]


def _comes_back(path: Path, name: str) -> bool:
    place = path / name
    try:
        if not stat.S_ISREG(place.lstat().st_mode):
            return True
    except OSError:
        # Status tells of a file that is not there.
        return True
    using = git.Using(timeout=300.0)
    done = git.run(path, "cat-file", "--filters", f":{name}", check=False, using=using)
    try:
        return done.code == 0 and done.out == place.read_bytes()
    except OSError:
        return False
