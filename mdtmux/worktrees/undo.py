"""Bring back what a removal or a discard took, in full or not at all."""

from __future__ import annotations

import dataclasses
import os
import shutil
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from mdtmux.errors import MdtmuxError, Refused, UsageError
from mdtmux.names import nearest
from mdtmux.system import git
from mdtmux.worktrees import folders, gitfolder, trash
from mdtmux.worktrees.excludes import ignored, keep_out
from mdtmux.worktrees.furnish import Furnished, place
from mdtmux.worktrees.make import Made, make, registering, repository_state
from mdtmux.worktrees.naming import some
from mdtmux.worktrees.plan import Want
from mdtmux.worktrees.prepare import plan
from mdtmux.worktrees.record import LINK, Record, Store
from mdtmux.worktrees.repository import HEADS, Repository, admin_dir
from mdtmux.worktrees.restore import in_the_way, restore
from mdtmux.worktrees.safety import read_status
from mdtmux.worktrees.supplies import Supplies, Supply
from mdtmux.worktrees.trash import UndoRecord
from mdtmux.worktrees.work import refuse_running


@dataclass(frozen=True, slots=True)
class Undone:
    """What came back, in words for people."""

    undo: UndoRecord
    what: str
    notes: tuple[str, ...] = ()


def undo(
    repository: Repository,
    state: Path,
    identifier: str | None = None,
    living: Callable[[Record], Collection[str]] = lambda _: (),
) -> Undone:
    """Take back the last removal or discard of the office, or the one of that id.

    A forced removal comes back with everything: files, ignored ones too, staged
    changes, an unfinished rebase. The record is dropped once all stands again.
    `living` names the agents that live in a worktree.

    Raises:
        UsageError: there is nothing to take back, or no such id.
        Refused: the place or the branch is taken, or was changed since, or somebody
            works in it; nothing is touched.
    """
    chosen = _choose(trash.records(state), identifier)
    if chosen.kind == trash.DISCARDED:
        record = chosen.record
        refuse_running(record.path, living(record), record.agent)
        done = _undo_discard(state, chosen)
    elif chosen.kept:
        done = _undo_kept(repository, state, chosen)
    else:
        done = _undo_safe(repository, chosen)
    Store(state).put([chosen.record])
    trash.forget(repository.common_dir, state, chosen)
    return done


def _choose(known: tuple[UndoRecord, ...], identifier: str | None) -> UndoRecord:
    if not known:
        message = "there is nothing to undo: no removal or discard is on record"
        raise UsageError(message)
    if identifier is None:
        return known[0]
    for one in known:
        if one.id == identifier:
            return one
    near = nearest(identifier, [one.id for one in known])
    message = f"there is no undo `{identifier}`"
    raise UsageError(
        message, hint=f"did you mean `{near}`?" if near else "--list shows all"
    )


def _check_free(repository: Repository, undo: UndoRecord) -> None:
    record = undo.record
    if os.path.lexists(record.path):
        message = f"`{record.path}` is taken, so the worktree cannot come back there"
        raise Refused(message, hint="move it away, then undo again")
    holder = repository.holders().get(record.branch)
    if holder is not None and holder.path != record.path:
        message = f"branch `{record.branch}` is checked out at `{holder.path}` now"
        raise Refused(
            message, hint="let that checkout leave the branch, then undo again"
        )


def _check_branch(repository: Repository, undo: UndoRecord) -> None:
    """Make sure that the branch is where it was; one that is gone is made again."""
    record, common = undo.record, repository.common_dir
    args = ("rev-parse", "--verify", "-q", f"{HEADS}{record.branch}^{{commit}}")
    now = git.run(common, *args, check=False).text
    if not now:
        git.run(common, "update-ref", HEADS + record.branch, undo.sha, "")
    elif now != undo.sha:
        message = f"branch `{record.branch}` has moved from {undo.sha[:8]} to {now[:8]}"
        snapshot = undo.ref or undo.sha
        hint = f"what was there can be seen with `git log {snapshot}`"
        raise Refused(message, hint=hint)


def _undo_safe(repository: Repository, undo: UndoRecord) -> Undone:
    """Make the worktree anew: everything in it stands in the branch and the main checkout."""
    record = undo.record
    _check_free(repository, undo)
    _check_branch(repository, undo)
    want = Want(record.agent, record.path, record.branch, undo.sha, record)
    result = make(repository, plan(repository, [want]))[record.agent]
    if not isinstance(result, Made):
        raise result
    told = gitfolder.put_settings(undo.admin, record.path) if undo.admin else ()
    furnished = place(_supplies(repository.top, record), record.path)
    notes = (
        *told,
        *furnished.notes,
        *_changed_sources(repository.top, record, furnished),
    )
    return Undone(undo, f"worktree `{record.path}` on `{record.branch}`", notes)


def _changed_sources(top: Path, record: Record, now: Furnished) -> list[str]:
    marks = {one.path: one.mark for one in now.placed}
    return [
        f"`{one.path}` has changed in `{top}` since and was copied as it is now"
        for one in record.placed
        if one.path in marks and marks[one.path] != one.mark
    ]


def _supplies(top: Path, record: Record) -> Supplies:
    items, notes = [], []
    for one in record.placed:
        source = top / one.path
        if one.kind == LINK:
            items.append(Supply(one.path, source, one.mark))
        elif source.is_file():
            items.append(Supply(one.path, source))
        else:
            notes.append(f"`{one.path}` is no longer in `{top}` and was not copied")
    return Supplies(top, tuple(items), tuple(notes))


def _undo_kept(repository: Repository, state: Path, undo: UndoRecord) -> Undone:
    """Put the folder that was kept back in its place, with its git folder."""
    record, common = undo.record, repository.common_dir
    if undo.trash is None and undo.admin is not None:
        return _undo_missing(repository, undo, undo.admin)
    what = f"worktree `{record.path}` on `{record.branch}` with everything in it"
    gone = undo.trash is not None and not undo.trash.is_dir()
    if gone and undo.half and _is_back(repository, record):
        # Killed after it had put all back, before it dropped the record.
        return Undone(undo, what)
    if undo.trash is None or not undo.trash.is_dir():
        message = f"the folder `{undo.trash}` that was kept is gone"
        hint = f"its files are in `{undo.ref}`" if undo.ref else None
        raise MdtmuxError(message, hint=hint)
    _check_free(repository, undo)
    _check_branch(repository, undo)
    trash.save(state, dataclasses.replace(undo, half=True))
    with registering(common):
        try:
            _back_in_place(repository, undo, undo.trash)
        except OSError as error:
            message = f"the worktree cannot be put back: {error.strerror}"
            raise MdtmuxError(message) from error
    links = [one.path for one in record.placed if one.kind == LINK]
    if links:
        known = ignored(record.path, links)
        left = [one for one in links if one not in known]
        keep_out(repository.top, record.path, left)
    return Undone(undo, what)


def _is_back(repository: Repository, record: Record) -> bool:
    row = repository.at(record.path)
    return row is not None and admin_dir(record.path) is not None


def _undo_missing(repository: Repository, undo: UndoRecord, saved: Path) -> Undone:
    """Let git know again a worktree whose folder was not there: it may be elsewhere."""
    path, common = undo.record.path, repository.common_dir
    _check_free(repository, undo)
    with registering(common):
        if repository.at(path) is None:
            try:
                admin = gitfolder.new(common, path.name)
                _copy(saved, admin)
                _let_see(admin, path)
            except (OSError, shutil.Error) as error:
                message = f"the registration cannot be put back: {error}"
                raise MdtmuxError(message) from error
    return Undone(undo, f"git's knowledge of `{path}`; its folder was not there")


def _back_in_place(repository: Repository, undo: UndoRecord, aside: Path) -> None:
    path, common = undo.record.path, repository.common_dir
    own = admin_dir(aside)
    still = own is not None and own.is_dir() and own.parent == common / "worktrees"
    saved = undo.admin or aside / trash.ADMIN
    stale = repository.at(path)
    if undo.admin is None and own is not None and still:
        # Killed before git forgot it: it never left.
        (own / "gitdir").write_bytes(os.fsencode(path / ".git") + b"\n")
        aside.rename(path)
        return
    if stale is not None:
        git.run(common, "worktree", "remove", str(path))
    if not saved.is_dir():
        aside.rename(path)
        return
    admin = gitfolder.new(common, path.name)
    try:
        _copy(saved, admin)
        # Killed from here on, the next undo finds that git folder by this file.
        (aside / ".git").write_bytes(b"gitdir: " + os.fsencode(admin) + b"\n")
        _let_see(admin, path)
        aside.rename(path)
    except (OSError, shutil.Error) as error:
        shutil.rmtree(admin, ignore_errors=True)
        if isinstance(error, shutil.Error):
            raise OSError(0, str(error)) from error
        raise
    shutil.rmtree(path / trash.ADMIN, ignore_errors=True)


def _copy(saved: Path, admin: Path) -> None:
    """Fill a git folder from a saved one; git does not see it yet."""
    left = shutil.ignore_patterns("gitdir", "locked")
    shutil.copytree(saved, admin, symlinks=True, dirs_exist_ok=True, ignore=left)


def _let_see(admin: Path, path: Path) -> None:
    """Let git list the folder as that of the worktree at `path`."""
    (admin / "gitdir").write_bytes(os.fsencode(path / ".git") + b"\n")


def _undo_discard(state: Path, undo: UndoRecord) -> Undone:
    """Put branch, index and files of a worktree back to where a discard found them."""
    record, path = undo.record, undo.record.path
    if admin_dir(path) is None or undo.ref is None:
        message = f"the worktree `{path}` is gone"
        raise Refused(message, hint="bring it back first, then undo again")
    status = read_status(path, ignored=False)
    ours = (undo.left, undo.sha) if undo.half else (undo.left,)
    if status.branch != record.branch or status.head not in ours:
        message = f"`{path}` is no longer where the discard left it"
        raise Refused(message, hint=f"the discarded work is in `{undo.ref}`")
    changed = in_the_way(undo, status)
    if changed:
        told = f"`{path}` has changes since the discard, which undo would overwrite"
        message = f"{told}: {some(changed)}"
        raise Refused(message, hint="commit them or move them away first")
    trash.save(state, dataclasses.replace(undo, half=True))
    restore(path, undo)
    return Undone(undo, f"work of `{record.agent}` on `{record.branch}`")


def purge(repository: Repository, state: Path, identifier: str | None = None) -> int:
    """Drop what could be taken back, all of it or that id; return how many it was.

    Kept folders are deleted in the background: after this, nothing brings them back.

    Raises:
        UsageError: there is no such id.
        Refused: something is mounted in a kept folder.
    """
    known = trash.records(state)
    chosen = known if identifier is None else (_choose(known, identifier),)
    dead = [one.trash for one in chosen if one.trash and one.trash.is_dir()]
    mounts = folders.mounts_below(dead) if dead else []
    if mounts:
        message = f"nothing was dropped: something is mounted at `{mounts[-1]}`"
        raise Refused(message, hint=f"run `umount {mounts[-1]}` first")
    above = folders.made(repository_state(repository.common_dir))
    trash.delete_in_background(state, dead, above)
    for one in chosen:
        trash.forget(repository.common_dir, state, one)
    return len(chosen)


def describe(undo: UndoRecord) -> str:
    """Say in one line what an undo would bring back."""
    stake = f": {'; '.join(undo.risks)}" if undo.risks else ""
    return f"{undo.kind} {undo.record.path} ({undo.record.branch} at {undo.sha[:8]}){stake}"
