"""Put the files of a snapshot back into a worktree, over nothing that came since."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from mdtmux.system import git
from mdtmux.worktrees.clobber import above, changes, clobbered, written
from mdtmux.worktrees.exact import is_part_of, put_bytes, put_missing
from mdtmux.worktrees.modes import put_modes
from mdtmux.worktrees.repository import HEADS
from mdtmux.worktrees.safety import Status
from mdtmux.worktrees.trash import UndoRecord
from mdtmux.worktrees.unseen import filtered, hidden
from mdtmux.worktrees.work import open_files


def in_the_way(undo: UndoRecord, status: Status) -> list[str]:
    """Return the files that undo would overwrite, and that are not its own halves."""
    path, ref, left = undo.record.path, undo.ref or "", undo.left or ""
    names = [*status.staged, *status.modified, *hidden(path)]
    # Nested repositories and submodules stayed there all the time.
    inner = frozenset(status.submodules)
    names += [
        one
        for one in open_files(undo.record, status)
        if not one.endswith("/") and one not in inner
    ]
    moved = written(path, ref)
    names += filtered(path, moved)
    # What came back into a repository was in its folder before.
    around = {f"{one}/" for name in moved for one in above(name)}
    names += [one for one in clobbered(path, moved) if one not in around]
    found = list(dict.fromkeys(names))
    if not undo.half:
        return found
    touched = changes(path, left, ref) | changes(path, undo.sha, ref)
    versions = (left, ref, undo.sha)
    return [
        one
        for one in found
        # What is the same in all of them may only be staged otherwise.
        if not is_part_of(path, one, versions, whole=one not in touched)
    ]


def restore(path: Path, undo: UndoRecord) -> None:
    """Put a snapshot's files, branch and index into a clean worktree.

    It may be done again after it failed in the middle.

    Raises:
        MdtmuxError: git could not, or a file cannot be written; the snapshot stays.
    """
    assert undo.ref is not None
    assert undo.left is not None
    using = git.Using(timeout=1800.0)
    # Only refreshes what the index knows of the files; says 1 when some differ.
    refresh = ("update-index", "-q", "--refresh")
    git.run(path, *refresh, check=False, using=using)
    # Only what is half done may be overwritten: else git has the last look.
    how = ("--reset", "-u") if undo.half else ("-m", "-u", undo.left)
    git.run(path, "read-tree", *how, undo.ref, using=using)
    put_missing(path, undo.sha, undo.ref)
    put_bytes(path, undo.left, undo.ref)
    git.run(path, "update-ref", HEADS + undo.record.branch, undo.sha)
    if git.run(path, "rev-parse", undo.ref).text != undo.sha:
        # The second parent of a snapshot is the index as it was.
        git.run(path, "read-tree", "--reset", f"{undo.ref}^2", using=using)
    rows = b"".join(os.fsencode(row) + b"\0" for row in undo.conflicts)
    if rows:
        git.run(path, "update-index", "-z", "--index-info", stdin=rows)
    _mark_intended(path, undo.intended)
    message = git.run(path, "log", "-1", "--format=%B", undo.ref).text
    put_modes(path, message.strip().rpartition("\n")[2])
    git.run(path, *refresh, check=False, using=using)


def _mark_intended(path: Path, names: Collection[str]) -> None:
    there = [os.fsencode(name) for name in names if os.path.lexists(path / name)]
    if there:
        args = ("--literal-pathspecs", "add", "-N", "-f", "--sparse")
        given = ("--pathspec-from-file=-", "--pathspec-file-nul")
        # No more than a mark: the files are there without it.
        git.run(path, *args, *given, check=False, stdin=b"\0".join(there))
