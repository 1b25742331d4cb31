"""What of the main checkout goes into every worktree: copies, links, .worktreeinclude."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mdtmux.errors import UsageError
from mdtmux.system import git

INCLUDE_FILE = ".worktreeinclude"


@dataclass(frozen=True, slots=True)
class Supply:
    """One thing to place at `path` (relative): a copy of `source`, or a link.

    `target` is what a link says; None for a copy.
    """

    path: str
    source: Path
    target: str | None = None


@dataclass(frozen=True, slots=True)
class Supplies:
    """Everything to place in a worktree; `notes` tells what was asked for in vain.

    `top` is the main checkout that it comes from.
    """

    top: Path
    items: tuple[Supply, ...] = ()
    notes: tuple[str, ...] = ()


def gather(top: Path, copy: Sequence[str], link: Sequence[str]) -> Supplies:
    """Find what the patterns mean in the main checkout; once for many worktrees.

    Patterns are relative to it and may hold `*`, `?`, `[…]` and `**`. A folder is
    copied with everything in it; a link named itself is copied as what it points to.
    The files that `.worktreeinclude` names are added when git ignores them.

    Raises:
        UsageError: a pattern leads out of the repository or into git's folder.
        GitError: git cannot tell which files are ignored.
    """
    found: dict[str, Supply] = {}
    notes: list[str] = []
    for supply in _included(top):
        found[supply.path] = supply
    for key, patterns in (("copy", copy), ("link", link)):
        for pattern in patterns:
            matches = _matches(top, key, pattern)
            if not matches:
                notes.append(f"{key}: `{pattern}` is not in `{top}`")
            for match in matches:
                path = match.relative_to(top).as_posix()
                if key == "link":
                    found = {k: v for k, v in found.items() if not _within(k, path)}
                    found[path] = Supply(path, match, str(match))
                else:
                    found.update((one.path, one) for one in _copies(match, path))
    return Supplies(top, tuple(found.values()), tuple(notes))


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _matches(top: Path, key: str, pattern: str) -> list[Path]:
    parts = PurePosixPath(pattern).parts
    if not parts or pattern.startswith("/") or ".." in parts or parts[0] == ".git":
        message = f"{key}: `{pattern}` is not a path inside the repository"
        raise UsageError(
            message, hint="write it relative to the repository's top folder"
        )
    if not any(c in pattern for c in "*?["):
        plain = top.joinpath(*parts)
        return [plain] if os.path.lexists(plain) else []
    matches = top.glob("/".join(parts))
    return sorted(one for one in matches if one.relative_to(top).parts[:1] != (".git",))


def _copies(source: Path, path: str) -> Iterator[Supply]:
    """Yield the files of a folder or the file itself, links inside a folder as links."""
    if not source.is_dir():
        if source.is_file():
            yield Supply(path, source)
        return
    for entry in sorted(os.scandir(source), key=lambda one: one.name):
        inner = f"{path}/{entry.name}"
        if entry.is_symlink():
            place = Path(entry.path)
            yield Supply(inner, place, str(place.readlink()))
        elif entry.is_dir():
            yield from _copies(Path(entry.path), inner)
        elif entry.is_file():
            yield Supply(inner, Path(entry.path))


def _included(top: Path) -> list[Supply]:
    """Return the ignored, untracked files that .worktreeinclude names.

    The file has gitignore's syntax; what git does not ignore is not taken, since it
    would show up as the agent's own (a convention shared by several tools).
    """
    listing = top / INCLUDE_FILE
    if not listing.is_file():
        return []
    args = ("ls-files", "-z", "--others", "--ignored", f"--exclude-from={listing}")
    named = [path for path in git.run(top, *args).records() if not path.endswith("/")]
    if not named:
        return []
    lines = b"\0".join(os.fsencode(path) for path in named)
    done = git.run(top, "check-ignore", "-z", "--stdin", stdin=lines, check=False)
    if done.code > 1:  # 1 says that none is ignored
        raise git.failure(("check-ignore",), done)
    return [one for path in done.records() for one in _plain(top / path, path)]


def _plain(source: Path, path: str) -> Iterator[Supply]:
    mode = source.lstat().st_mode
    if stat.S_ISLNK(mode):
        yield Supply(path, source, str(source.readlink()))
    elif stat.S_ISREG(mode):
        yield Supply(path, source)
