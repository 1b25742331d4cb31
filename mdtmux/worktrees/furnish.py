"""Place copies and links in a worktree: never over somebody's file, never outside it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mdtmux.errors import MdtmuxError
from mdtmux.system import git
from mdtmux.worktrees.excludes import ignored, keep_out
from mdtmux.worktrees.naming import some
from mdtmux.worktrees.record import COPY, LINK, Placed
from mdtmux.worktrees.supplies import Supplies, Supply

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Furnished:
    """What stands in the worktree by our hand, and notes for people."""

    placed: tuple[Placed, ...] = ()
    notes: tuple[str, ...] = ()


def place(supplies: Supplies, path: Path) -> Furnished:
    """Put the supplies into the worktree at `path` and return what stands there.

    What is there already and differs is kept, as is every place of a tracked file;
    nothing is written through a link. A copy keeps mode and time, and appears whole.

    Raises:
        MdtmuxError: a file cannot be read or written; the message names it.
    """
    if not supplies.items:
        return Furnished(notes=supplies.notes)
    tracked = frozenset(git.run(path, "ls-files", "-z").records())
    placed: list[Placed] = []
    fresh: list[str] = []
    kept: list[str] = []
    for item in supplies.items:
        target = path / item.path
        try:
            mark = _standing(item, target)
            if mark is None and _may_write(item, path, tracked):
                mark = _write(item, target)
                fresh.append(item.path)
        except OSError as error:
            message = f"cannot place `{item.path}` in `{path}`: {error.strerror}"
            raise MdtmuxError(message) from error
        if mark is None:
            kept.append(item.path)
        elif item.path not in tracked:
            placed.append(
                Placed(item.path, COPY if item.target is None else LINK, mark)
            )
    notes = (
        *supplies.notes,
        *_kept_note(kept),
        *_seen_notes(supplies.top, path, fresh),
    )
    return Furnished(tuple(placed), notes)


def _standing(item: Supply, target: Path) -> str | None:
    """Return the mark of what stands there when it is what we would place."""
    if item.target is not None:
        same = target.is_symlink() and str(target.readlink()) == item.target
        return item.target if same else None
    if target.is_symlink() or not target.is_file():
        return None
    if target.stat().st_size != item.source.stat().st_size:
        return None
    mark = content_mark(target)
    return mark if mark == content_mark(item.source) else None


def content_mark(path: Path) -> str:
    """Return the SHA-256 of a file's content, read in pieces.

    Raises:
        OSError: the file cannot be read.
    """
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _may_write(item: Supply, path: Path, tracked: frozenset[str]) -> bool:
    target = path / item.path
    if item.path in tracked or os.path.lexists(target):
        return False
    between = [
        one for one in target.parents if one.is_relative_to(path) and one != path
    ]
    # Through a link, the write could land outside the worktree.
    return all(
        one.is_dir() and not one.is_symlink() for one in between if os.path.lexists(one)
    )


def _write(item: Supply, target: Path) -> str:
    target.parent.mkdir(parents=True, exist_ok=True)
    if item.target is not None:
        target.symlink_to(item.target)
        return item.target
    # Beside its place, then renamed: a kill leaves no half copy that would be kept.
    draft = target.with_name(f".mdtmux-{secrets.token_hex(4)}")
    try:
        mark = _copy(item.source, draft)
        draft.rename(target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            draft.unlink()
    return mark


def _copy(source: Path, draft: Path) -> str:
    digest = hashlib.sha256()
    with source.open("rb") as reader, draft.open("xb") as writer:
        status = os.fstat(reader.fileno())
        os.fchmod(writer.fileno(), status.st_mode & 0o7777)
        while chunk := reader.read(_CHUNK):
            digest.update(chunk)
            writer.write(chunk)
    os.utime(draft, ns=(status.st_atime_ns, status.st_mtime_ns))
    return digest.hexdigest()


def _kept_note(kept: Sequence[str]) -> list[str]:
    if not kept:
        return []
    return [f"not copied over what stands there: {some(kept)}"]


def _seen_notes(top: Path, path: Path, fresh: Sequence[str]) -> list[str]:
    """Tell of placed files that git does not ignore: the agent may commit them."""
    known = set(ignored(path, fresh)) if fresh else set()
    seen = [one for one in fresh if one not in known]
    hidden = keep_out(top, path, seen) if seen else []
    left = [one for one in seen if one not in hidden]
    notes: list[str] = []
    if hidden:
        notes.append(
            f"git ignores the folder {some(hidden)}, but not a link to it: a line in its"
            " `info/exclude` keeps the link out of commits"
        )
    if left:
        notes.append(
            f"placed, but not ignored by git, so that agents may commit it: {some(left)}"
            f" (a line `/{left[0]}` in .gitignore keeps it out)"
        )
    return notes
