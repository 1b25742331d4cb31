"""What speaks against the removal of a worktree: work that is only there, or workers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from mdtmux.errors import MdtmuxError, Refused
from mdtmux.system.processes import argv_of, working_in
from mdtmux.worktrees import gitfolder
from mdtmux.worktrees.contents import Contents
from mdtmux.worktrees.folders import mounts_below
from mdtmux.worktrees.naming import some
from mdtmux.worktrees.record import Record
from mdtmux.worktrees.repository import Repository, admin_dir
from mdtmux.worktrees.safety import Kind, Risk, risks
from mdtmux.worktrees.work import refuse_moved

_SHOWN = 10
# What a look at a worktree found, or why nothing is known.
Checked = tuple[Risk, ...] | MdtmuxError


def judge(repository: Repository, record: Record, marks: Contents) -> tuple[Risk, ...]:
    """Return what would be lost with the worktree, at its place; none means nothing.

    Raises:
        Refused: the folder is not that worktree, cannot be looked at or holds something
            mounted, or the worktree is elsewhere.
        GitError: git cannot read it, so nothing is known.
    """
    if _stands(record.path):
        admin = admin_dir(record.path)
        if admin is None or admin.parent != repository.common_dir / "worktrees":
            message = f"`{record.path}` is not a worktree of `{repository.top}`"
            raise Refused(message, hint="it is left alone; move it away by hand")
        _refuse_mounts(record.path)
    elif gitfolder.of_missing(repository.common_dir, record.path) is not None:
        return (Risk(Kind.MISSING, (str(record.path),), 1),)
    else:
        refuse_moved(repository, record)
    return risks(record.path, record.branch, record, repository.top, marks)


def _stands(path: Path) -> bool:
    try:
        return path.exists()
    except OSError as error:
        message = f"`{path}` cannot be looked at: {error.strerror}"
        raise Refused(
            message, hint="open the folders above it, then try again"
        ) from error


def _refuse_mounts(path: Path) -> None:
    """Refuse, forced or not: what is mounted there would be deleted where it lies."""
    found = mounts_below([path])
    if found:
        names = [str(one) for one in found]
        message = f"`{path}` stays, because something is mounted in it: {some(names)}"
        raise Refused(message, hint=f"run `umount {found[-1]}` first")


def add_workers(
    checks: Mapping[str, Checked], folders: Mapping[str, Path]
) -> dict[str, Checked]:
    """Return the checks with the processes at work in each agent's folder as a risk."""
    added = dict(checks)
    for name, risk in at_work(folders).items():
        found = checks[name]
        if not isinstance(found, MdtmuxError):
            added[name] = (risk, *found)
    return added


def at_work(folders: Mapping[str, Path]) -> dict[str, Risk]:
    """Return, by the names of the folders, the processes at work in them as a risk."""
    real = {os.path.realpath(folder): name for name, folder in folders.items()}
    told: dict[str, list[str]] = {}
    for pid, place in working_in([Path(one) for one in real]):
        top = next(one for one in (place, *place.parents) if str(one) in real)
        words = f"{pid} {' '.join(argv_of(pid))[:60]}"
        told.setdefault(real[str(top)], []).append(words)
    return {
        name: Risk(Kind.WORKED_IN, tuple(lines[:_SHOWN]), len(lines))
        for name, lines in told.items()
    }


def refuse(record: Record, found: Checked, *, force: bool) -> None:
    """Refuse a removal for what was found, unless it is forced.

    Raises:
        Refused: names what is at stake.
    """
    if isinstance(found, Refused):
        raise found
    if force or found == ():
        return
    if not record.path.exists():
        message = f"git knows a worktree at `{record.path}`, whose folder is not there"
        hint = "moved by hand? `git worktree repair NEW_PLACE`; deleted? --force forgets it"
        raise Refused(message, hint=hint)
    if isinstance(found, MdtmuxError):
        message = f"`{record.path}` stays, because it cannot be read: {found.message}"
    else:
        told = "; ".join(str(risk) for risk in found)
        message = f"`{record.path}` stays, because it holds {told}"
    raise Refused(
        message, hint="--force removes it all the same; `undo` brings it back"
    )
