"""Take worktrees away: judged at the moment, moved aside in one step, never forced."""

from __future__ import annotations

import contextlib
import dataclasses
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from mdtmux.errors import GitError, MdtmuxError, Refused
from mdtmux.system import git
from mdtmux.worktrees import trash
from mdtmux.worktrees.make import registering
from mdtmux.worktrees.record import Record, Store
from mdtmux.worktrees.repository import HEADS, Repository, admin_dir
from mdtmux.worktrees.safety import Risk, risks, survey
from mdtmux.worktrees.trash import UndoRecord


@dataclass(frozen=True, slots=True)
class Removal:
    """A worktree that is gone; `undo` brings it back. The branch stays always."""

    agent: str
    path: Path
    undo: str
    risks: tuple[Risk, ...] = ()


def remove(
    repository: Repository, record: Record, state: Path, *, force: bool = False
) -> Removal:
    """Remove one worktree; see `remove_all`, whose result for it is returned or raised."""
    result = remove_all(repository, [record], state, force=force)[record.agent]
    if isinstance(result, MdtmuxError):
        raise result
    return result


def remove_all(
    repository: Repository,
    records: Sequence[Record],
    state: Path,
    *,
    force: bool = False,
) -> dict[str, Removal | MdtmuxError]:
    """Remove worktrees that hold nothing of their own; the others are refused.

    Forced, they go too, but their folder is kept aside whole and a snapshot under
    refs/mdtmux/trash/. An undo record is written first; branches stay. The caller
    makes sure that nobody works in them. Files are deleted in the background.

    Raises:
        Busy: another mdtmux changed the repository's worktrees for two minutes.
    """
    _sweep(state)
    checks = survey((one.agent, partial(_judge, repository, one)) for one in records)
    tips = _tips(repository)
    results: dict[str, Removal | MdtmuxError] = {}
    dead: list[Path] = []
    with registering(repository.common_dir):
        for record in records:
            found = checks[record.agent]
            try:
                _refuse(record, found, force=force)
                at_stake = () if isinstance(found, MdtmuxError) else found
                keep = isinstance(found, MdtmuxError) or bool(found)
                undo = _undo_record(record, tips.get(record.branch), found)
                undo = _take_away(repository, undo, state, keep=keep)
            except MdtmuxError as error:
                results[record.agent] = error
                continue
            if undo.trash is not None and not keep:
                dead.append(undo.trash)
            results[record.agent] = Removal(
                record.agent, record.path, undo.id, at_stake
            )
    Store(state).drop(name for name, one in results.items() if isinstance(one, Removal))
    trash.delete_in_background(state, dead)
    return results


def _judge(repository: Repository, record: Record) -> tuple[Risk, ...]:
    if record.path.exists():
        admin = admin_dir(record.path)
        if admin is None or admin.parent != repository.common_dir / "worktrees":
            message = f"`{record.path}` is not a worktree of `{repository.top}`"
            raise Refused(message, hint="it is left alone; move it away by hand")
    return risks(record.path, record.branch, record, repository.top)


def _refuse(
    record: Record, found: tuple[Risk, ...] | MdtmuxError, *, force: bool
) -> None:
    if isinstance(found, Refused):
        raise found
    if force or found == ():
        return
    if isinstance(found, MdtmuxError):
        message = f"`{record.path}` stays, because it cannot be read: {found.message}"
    else:
        told = "; ".join(str(risk) for risk in found)
        message = f"`{record.path}` stays, because it holds {told}"
    raise Refused(
        message, hint="--force removes it all the same; `undo` brings it back"
    )


def _tips(repository: Repository) -> dict[str, str]:
    form = "--format=%(objectname) %(refname)"
    done = git.run(repository.common_dir, "for-each-ref", form, HEADS)
    rows = (line.split(" ", 1) for line in done.text.splitlines())
    return {ref.removeprefix(HEADS): sha for sha, ref in rows}


def _undo_record(
    record: Record, tip: str | None, found: tuple[Risk, ...] | MdtmuxError
) -> UndoRecord:
    undo = trash.new_undo(trash.REMOVED, record, tip or record.base_sha)
    told = (found.message,) if isinstance(found, MdtmuxError) else map(str, found)
    return dataclasses.replace(undo, risks=tuple(told))


def _take_away(
    repository: Repository, undo: UndoRecord, state: Path, *, keep: bool
) -> UndoRecord:
    """Move the folder aside and make git forget it; all or nothing."""
    path, common = undo.record.path, repository.common_dir
    if not path.exists():
        trash.save(state, undo)
        _unregister(common, path)
        return undo
    undo = dataclasses.replace(undo, trash=path.parent / f".mdtmux-trash-{undo.id}")
    if keep:
        undo = _keep(undo, state)
    trash.save(state, undo)
    assert undo.trash is not None
    try:
        _move(path, undo.trash)
        try:
            if keep or not _move_admin(common, undo.trash):
                _unregister(common, path, locked=keep)
        except MdtmuxError:
            _move(undo.trash, path)
            raise
    except MdtmuxError:
        trash.forget(common, state, undo)
        raise
    return undo


def _move(source: Path, target: Path) -> None:
    try:
        source.rename(target)
    except OSError as error:
        message = f"`{source}` cannot be moved aside: {error.strerror}"
        raise GitError(message, hint="it is left as it was") from error


def _keep(undo: UndoRecord, state: Path) -> UndoRecord:
    """Save what removal would take besides the files: git folder and a snapshot."""
    path = undo.record.path
    admin = admin_dir(path)
    assert admin is not None, "judged to be a worktree"
    copy = trash.folder(state) / f"{undo.id}.git"
    try:
        shutil.copytree(admin, copy, symlinks=True)
    except (OSError, shutil.Error) as error:
        message = f"the git folder of `{path}` cannot be saved: {error}"
        raise MdtmuxError(message) from error
    ref: str | None = trash.ref_of(undo.id)
    told = f"mdtmux: worktree of {undo.record.agent} before removal"
    # The folder stays whole, so a snapshot that cannot be made costs nothing.
    try:
        trash.snapshot(path, str(ref), told, strict=False)
    except GitError:
        ref = None
    return dataclasses.replace(undo, kept=True, admin=copy, ref=ref)


def _unregister(common: Path, path: Path, *, locked: bool = False) -> None:
    """Make git forget one worktree whose folder is gone; others are not touched."""
    if locked:
        git.run(common, "worktree", "unlock", str(path), check=False)
    args = ("worktree", "remove", str(path))
    done = git.run(common, *args, check=False)
    known = "is not a working tree" not in done.err
    if done.code and known:
        raise git.failure(args, done)


def _move_admin(common: Path, aside: Path) -> bool:
    """Move the git folder of a worktree into the worktree, moved aside itself.

    Git forgets the worktree by that, as by `worktree remove`, which takes a process
    each. Returns False when the two are on different file systems.
    """
    admin = admin_dir(aside)
    if admin is None or admin.parent != common / "worktrees":
        return False
    try:
        admin.rename(aside / ".mdtmux-admin")
    except OSError:
        return False
    with contextlib.suppress(OSError):
        admin.parent.rmdir()
    return True


def _sweep(state: Path) -> None:
    """Delete what an earlier removal judged safe, moved aside, and was killed before."""
    left = [
        undo.trash
        for undo in trash.records(state)
        if undo.kind == trash.REMOVED and not undo.kept and undo.trash
    ]
    with contextlib.suppress(MdtmuxError):
        trash.delete_in_background(state, [one for one in left if one.exists()])
