"""Take worktrees away: judged at the moment, moved aside in one step, never forced."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from mdtmux.errors import GitError, MdtmuxError
from mdtmux.system import git
from mdtmux.worktrees import excludes, folders, gitfolder, trash
from mdtmux.worktrees.anchors import anchor
from mdtmux.worktrees.contents import Contents
from mdtmux.worktrees.judgement import add_workers, judge, refuse
from mdtmux.worktrees.make import registering, repository_state
from mdtmux.worktrees.modules import has_repositories
from mdtmux.worktrees.record import Record, Store
from mdtmux.worktrees.register import sweep
from mdtmux.worktrees.repository import HEADS, Repository, admin_dir
from mdtmux.worktrees.safety import Risk, judge_all, risks
from mdtmux.worktrees.trash import UndoRecord


@dataclass(frozen=True, slots=True)
class Removal:
    """A worktree that is gone; `undo` is the id that brings it back.

    The branch stays always. `told` says in phrases what went that was nowhere else.
    """

    agent: str
    path: Path
    undo: str
    risks: tuple[Risk, ...] = ()
    told: tuple[str, ...] = ()


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
    with registering(repository.common_dir):
        sweep(repository.common_dir)
    for record in records:
        # An empty folder is all that a kill left of an `up`, or a person of the tree.
        with contextlib.suppress(OSError):
            record.path.rmdir()
    marks = Contents()
    checks = judge_all(
        (one.agent, partial(judge, repository, one, marks)) for one in records
    )
    checks = add_workers(checks, {one.agent: one.path for one in records})
    tips = _tips(repository)
    results: dict[str, Removal | MdtmuxError] = {}
    leaving: list[_Leaving] = []
    with registering(repository.common_dir):
        for record in records:
            found = checks[record.agent]
            try:
                refuse(record, found, force=force)
                undo = _undo_record(record, tips.get(record.branch), found)
                one = _Leaving(repository, undo, state, found)
                if one.keep or not record.path.exists():
                    results[record.agent] = _keep_aside(one)
                else:
                    leaving.append(_step_aside(one, marks))
            except MdtmuxError as error:
                results[record.agent] = error
        dead = _second_look(leaving, marks, results, force=force)
    Store(state).drop(name for name, one in results.items() if isinstance(one, Removal))
    _delete(repository, state, dead)
    excludes.tidy(repository.common_dir)
    return {record.agent: results[record.agent] for record in records}


def _second_look(
    leaving: Sequence[_Leaving],
    marks: Contents,
    results: dict[str, Removal | MdtmuxError],
    *,
    force: bool,
) -> list[Path]:
    """Note what becomes of folders that were moved aside; return those to delete.

    Much can be written while hundreds of megabytes are compared: what nobody finds
    by its path any more is judged again before anything is deleted.
    """
    again = judge_all(
        (one.undo.record.agent, partial(_judge_aside, one, marks)) for one in leaving
    )
    asides = {one.undo.record.agent: _aside(one.undo) for one in leaving}
    again = add_workers(again, asides)
    dead: list[Path] = []
    for one in leaving:
        name = one.undo.record.agent
        try:
            results[name] = _let_go(one, again[name], dead, force=force)
        except MdtmuxError as error:
            results[name] = error
    return dead


def _delete(repository: Repository, state: Path, dead: Sequence[Path]) -> None:
    """Delete the folders in the background, and those above that are empty then."""
    above = folders.made(repository_state(repository.common_dir))
    trash.delete_in_background(state, dead, above)


@dataclass(frozen=True, slots=True)
class _Leaving:
    """A worktree on its way out, and what is known of the risks."""

    repository: Repository
    undo: UndoRecord
    state: Path
    found: tuple[Risk, ...] | MdtmuxError
    gitdir: bytes = b""

    @property
    def keep(self) -> bool:
        """Whether something is at stake, so that the folder stays whole."""
        return self.found != ()


def _judge_modules(one: _Leaving, marks: Contents) -> tuple[Risk, ...]:
    """Look again at a worktree with submodules, which cannot be judged elsewhere."""
    record = one.undo.record
    if not has_repositories(record.path):
        return ()
    return judge(one.repository, record, marks)


def _judge_aside(one: _Leaving, marks: Contents) -> tuple[Risk, ...]:
    record, aside = one.undo.record, one.undo.trash
    assert aside is not None, "moved aside"
    return risks(aside, record.branch, record, one.repository.top, marks)


def _step_aside(one: _Leaving, marks: Contents) -> _Leaving:
    """Move a folder without risks away; until the second look, its record keeps it."""
    path, undo = one.undo.record.path, one.undo
    refuse(undo.record, _judge_modules(one, marks), force=False)
    admin = admin_dir(path)
    assert admin is not None, "judged to be a worktree"
    undo = dataclasses.replace(undo, trash=_aside(undo), kept=True)
    trash.save(one.state, undo)
    try:
        gitdir = (admin / "gitdir").read_bytes()
        _move(path, _aside(undo))
    except (MdtmuxError, OSError) as error:
        trash.forget(one.repository.common_dir, one.state, undo)
        if isinstance(error, MdtmuxError):
            raise
        message = f"`{path}` cannot be moved aside: {error.strerror}"
        raise GitError(message, hint="it is left as it was") from error
    return dataclasses.replace(one, undo=undo, gitdir=gitdir)


def _let_go(
    one: _Leaving,
    found: tuple[Risk, ...] | MdtmuxError,
    dead: list[Path],
    *,
    force: bool,
) -> Removal:
    """Give a folder that was moved aside up for deletion, or put it back."""
    undo, common, record = one.undo, one.repository.common_dir, one.undo.record
    if found != ():
        _put_back(one)
        refuse(record, found, force=force)
        fresh = _undo_record(record, undo.sha, found)
        return _keep_aside(dataclasses.replace(one, undo=fresh, found=found))
    settings: Path | None = None
    try:
        settings = gitfolder.keep_settings(undo, one.state, _aside(undo))
        if not gitfolder.move_into(common, _aside(undo)):
            gitfolder.unregister(common, record.path)
    except MdtmuxError:
        undo = dataclasses.replace(undo, admin=settings)
        _put_back(dataclasses.replace(one, undo=undo))
        raise
    trash.save(one.state, dataclasses.replace(undo, kept=False, admin=settings))
    dead.append(_aside(undo))
    return Removal(record.agent, record.path, undo.id)


def _put_back(one: _Leaving) -> None:
    """Put a folder back in its place, where git knows it; else its record stays."""
    path, aside = one.undo.record.path, _aside(one.undo)
    admin = admin_dir(aside)
    if os.path.lexists(path):
        message = f"`{path}` was taken while the worktree was moved aside"
        raise GitError(message, hint=f"`mdtmux undo {one.undo.id}` brings it back")
    _move(aside, path)
    # Git notes where it found a worktree, at times.
    if admin is not None and one.gitdir:
        with contextlib.suppress(OSError):
            (admin / "gitdir").write_bytes(one.gitdir)
    trash.forget(one.repository.common_dir, one.state, one.undo)


def _aside(undo: UndoRecord) -> Path:
    return undo.record.path.parent / f"{trash.ASIDE}{undo.id}"


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


def _keep_aside(one: _Leaving) -> Removal:
    """Move the folder aside to be kept, and make git forget it; all or nothing."""
    record, common, state = one.undo.record, one.repository.common_dir, one.state
    at_stake = () if isinstance(one.found, MdtmuxError) else one.found
    undo = one.undo
    gone = Removal(record.agent, record.path, undo.id, at_stake, undo.risks)
    if not record.path.exists():
        return _forget_missing(one, gone)
    undo = _keep(dataclasses.replace(one.undo, trash=_aside(one.undo)), state)
    try:
        _anchor(one)
        trash.save(state, undo)
        _move(record.path, _aside(undo))
        try:
            gitfolder.unregister(common, record.path, locked=True)
        except MdtmuxError:
            _move(_aside(undo), record.path)
            raise
    except MdtmuxError:
        trash.forget(common, state, undo)
        raise
    return gone


def _anchor(one: _Leaving) -> None:
    """Hold fast what only the worktree's git folder names; git forgets that folder."""
    admin = admin_dir(one.undo.record.path)
    if admin is not None and admin.is_dir():
        anchor(one.repository.common_dir, admin, trash.ref_of(one.undo.id))


def _forget_missing(one: _Leaving, gone: Removal) -> Removal:
    """Make git forget a worktree whose folder is not there; its git folder is kept."""
    path, common = one.undo.record.path, one.repository.common_dir
    undo, admin = one.undo, gitfolder.of_missing(common, path)
    if admin is not None:
        undo = dataclasses.replace(
            undo, kept=True, admin=gitfolder.copy_aside(undo, one.state, admin)
        )
        try:
            anchor(common, admin, trash.ref_of(undo.id))
        except MdtmuxError:
            trash.forget(common, one.state, undo)
            raise
    trash.save(one.state, undo)
    gitfolder.unregister(common, path, locked=True)
    return gone


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
    # Pruned by hand, there is none: the folder alone is kept then.
    copy = gitfolder.copy_aside(undo, state, admin) if admin.is_dir() else None
    ref: str | None = trash.ref_of(undo.id)
    told = f"mdtmux: worktree of {undo.record.agent} before removal"
    # The folder stays whole, so a snapshot that cannot be made costs nothing.
    try:
        trash.snapshot(path, str(ref), told)
    except GitError:
        ref = None
    return dataclasses.replace(undo, kept=True, admin=copy, ref=ref)


def _sweep(state: Path) -> None:
    """Delete what an earlier removal judged safe, moved aside, and was killed before."""
    left = [
        undo.trash
        for undo in trash.records(state)
        if undo.kind == trash.REMOVED and not undo.kept and undo.trash
    ]
    with contextlib.suppress(MdtmuxError):
        trash.delete_in_background(state, [one for one in left if one.exists()])
