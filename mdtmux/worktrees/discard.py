"""Throw an agent's work away, after a snapshot that brings it back."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from mdtmux.errors import GitError, MdtmuxError, Refused
from mdtmux.system import git
from mdtmux.worktrees import trash
from mdtmux.worktrees.clobber import changes, clobbered, written
from mdtmux.worktrees.exact import has_bytes
from mdtmux.worktrees.judgement import at_work
from mdtmux.worktrees.naming import some
from mdtmux.worktrees.record import Record
from mdtmux.worktrees.repository import HEADS, Repository
from mdtmux.worktrees.safety import Status, read_status
from mdtmux.worktrees.sight import Mark, Sight, changed, look, mark_of
from mdtmux.worktrees.unseen import hidden
from mdtmux.worktrees.work import (
    fork_point,
    is_there,
    open_files,
    refuse_running,
    unfinished_in,
)

_USING = git.Using(timeout=1800.0)


@dataclass(frozen=True, slots=True)
class Discarded:
    """What a discard took; `undo` is its id, None when there was nothing to take.

    `before` and `after` are where the branch was and is; `files` were not committed.
    `left` names nested repositories and submodules, which stay.
    """

    agent: str
    before: str
    after: str
    commits: int
    files: tuple[str, ...]
    undo: str | None
    left: tuple[str, ...] = ()

    def told(self) -> str:
        """Say what is taken: `2 commits and 1 file that was not committed`."""
        parts = []
        if self.commits:
            parts.append(f"{self.commits} commit{'s' if self.commits > 1 else ''}")
        if self.files:
            many = "s that were" if len(self.files) > 1 else " that was"
            parts.append(f"{len(self.files)} file{many} not committed")
        return " and ".join(parts)

    def as_json(self) -> dict[str, object]:
        """Return the outcome as a JSON object."""
        return {
            "agent": self.agent,
            "before": self.before,
            "after": self.after,
            "commits": self.commits,
            "files": list(self.files),
            "left": list(self.left),
            "undo": self.undo,
        }


def preview(
    repository: Repository, record: Record, *, running: Collection[str] = ()
) -> Discarded:
    """Return what `discard` would take; changes nothing.

    `running` names the agents that live in the worktree.

    Raises:
        Refused: an agent or a process works in it, or its worktree is not in a state
            to be reset.
    """
    return _look(repository, record, running=running)[0]


def discard(
    repository: Repository,
    record: Record,
    state: Path,
    *,
    running: Collection[str] = (),
) -> Discarded:
    """Set the agent's branch and worktree back to where they left the base.

    Commits, changes and untracked files go, kept in a snapshot for `undo`; ignored
    files and what mdtmux placed stay. What was merged already is not taken.

    Raises:
        Refused: an agent or a process works in it, or its worktree is not in a state
            to be reset.
        GitError: a file cannot be saved, so nothing was done.
    """
    plan, status = _look(repository, record, running=running)
    if plan.undo is None:
        return plan
    path = record.path
    # What git would replace although it is in no commit: once tracked, ignored now.
    hit = clobbered(path, written(path, plan.after))
    _check_folders(path, plan, hit)
    exact = (*plan.files, *hit, *changes(path, plan.before, plan.after))
    before = look(path, status, exact)
    undo = _save(plan, record, state, exact, before)
    # As late as can be: all before takes its time.
    try:
        _check_still(path, before)
    except MdtmuxError:
        trash.forget(repository.common_dir, state, undo)
        raise
    _reset(repository, state, undo, status)
    new = (name for name in plan.files if name in status.untracked)
    _delete(path, {name: before.files[name] for name in new})
    # Only now: what a kill leaves of the files is known for our own halves.
    undo = dataclasses.replace(undo, half=False)
    trash.save(state, undo)
    return dataclasses.replace(plan, undo=undo.id)


def _save(
    plan: Discarded,
    record: Record,
    state: Path,
    exact: tuple[str, ...],
    before: Sight,
) -> trash.UndoRecord:
    """Make the snapshot and the record that bring back what is about to go."""
    path = record.path
    undo = trash.new_undo(trash.DISCARDED, record, plan.before)
    ref = trash.ref_of(undo.id)
    told = f"mdtmux: work of {record.agent} before discard"
    status = before.status
    # A repository that came in the place of a file is in there by its name; what was
    # placed stays, and would be in the way of undo.
    skip = [name for name in plan.left if name not in status.modified]
    skip += set(status.untracked).difference(plan.files)
    trash.snapshot(path, ref, told, skip=skip, exact=exact)
    undo = dataclasses.replace(
        undo,
        ref=ref,
        left=plan.after,
        half=True,
        intended=status.intended,
        conflicts=before.conflicts,
        risks=(plan.told(),),
    )
    # A file that only looks changed would be written anew, without what a filter hides.
    git.run(path, "update-index", "-q", "--refresh", check=False, using=_USING)
    trash.save(state, undo)
    return undo


def _reset(
    repository: Repository, state: Path, undo: trash.UndoRecord, before: Status
) -> None:
    """Set branch and files back; the branch only from where the snapshot was made."""
    path, left = undo.record.path, str(undo.left)
    branch = HEADS + undo.record.branch
    args = ("update-ref", "-m", "discard: by mdtmux", branch, left, undo.sha)
    try:
        git.run(path, *args)
    except MdtmuxError as error:
        trash.forget(repository.common_dir, state, undo)
        message = f"`{path}`: {error.message}; nothing was discarded"
        raise Refused(message, hint="run it again") from error
    try:
        git.run(path, "reset", "--hard", "-q", using=_USING)
    except MdtmuxError as error:
        with contextlib.suppress(MdtmuxError):
            git.run(path, "update-ref", branch, undo.sha, left)
        raise _half(repository, state, undo, before, error) from error


def _check_folders(path: Path, plan: Discarded, hit: tuple[str, ...]) -> None:
    """Refuse when something would go with a folder because a file comes there."""
    there = changes(path, plan.before, plan.after)
    deep = [name for name in hit if name not in there and name not in plan.files]
    if deep:
        told = f"`{path}` has, where the base has files, what no snapshot keeps"
        message = f"{told}: {some(deep)}"
        raise Refused(message, hint="move them away first")


def _half(
    repository: Repository,
    state: Path,
    undo: trash.UndoRecord,
    before: Status,
    error: MdtmuxError,
) -> MdtmuxError:
    """Forget a discard that did nothing; one that stopped in the middle can be undone."""
    hint = f"nothing is lost: `mdtmux undo {undo.id}` puts back what was changed"
    with contextlib.suppress(MdtmuxError):
        path, left, ref = undo.record.path, str(undo.left), str(undo.ref)
        same = read_status(path, ignored=False) == before
        if same and has_bytes(path, left, ref):
            trash.forget(repository.common_dir, state, undo)
            hint = "nothing was changed"
    return GitError(f"the discard failed: {error.message}", hint=hint)


def _look(
    repository: Repository, record: Record, *, running: Collection[str]
) -> tuple[Discarded, Status]:
    agent, path = record.agent, record.path
    refuse_running(record.path, running, record.agent)
    if not is_there(record):
        message = f"agent `{agent}` has no worktree at `{path}`"
        raise Refused(message, hint="`mdtmux undo` brings a removed one back")
    doing = unfinished_in(record)
    if doing is not None:
        message = f"a {doing} is unfinished in `{path}`"
        raise Refused(
            message, hint=f"finish it or run `git -C '{path}' {_quit(doing)}`"
        )
    status = read_status(path, ignored=False)
    head = _check_state(record, status)
    fork = fork_point(repository, record)
    count = git.run(path, "rev-list", "--count", f"{fork}..HEAD").text
    names = open_files(record, status)
    # Other repositories stay as they are, nested ones and submodules.
    inner = frozenset(status.submodules)
    nested = tuple(name for name in names if name.endswith("/") or name in inner)
    files = tuple(name for name in names if name not in nested)
    nothing = not files and fork == head
    undo = None if nothing else ""
    if not nothing:
        _refuse_workers(record)
    plan = Discarded(agent, head, fork, int(count), files, undo, nested)
    return plan, status


def _refuse_workers(record: Record) -> None:
    """Refuse while a process is at work that is no agent, or one that outlived its own."""
    found = at_work({record.agent: record.path}).get(record.agent)
    if found is not None:
        message = f"`{record.path}` stays as it is, because it holds {found}"
        raise Refused(message, hint="end what works there, then discard again")


def _check_state(record: Record, status: Status) -> str:
    """Refuse unless the worktree is on its branch, all changes in sight; return HEAD."""
    path = record.path
    if status.head is None and status.branch == record.branch:
        message = f"branch `{record.branch}` is gone, and `{path}` was on it"
        hint = (
            f"git -C '{path}' reflog shows where it was; "
            f"`git branch {record.branch} SHA` makes it again"
        )
        raise Refused(message, hint=hint)
    if status.branch != record.branch or status.head is None:
        on = f"on branch `{status.branch}`" if status.branch else "on no branch"
        message = f"the worktree `{path}` is {on}, not on `{record.branch}`"
        raise Refused(
            message, hint=f"run `git -C '{path}' switch {record.branch}` first"
        )
    blind = hidden(path)
    if blind:
        message = (
            f"git was told not to look at changed files in `{path}`: {some(blind)}"
        )
        hint = f"git -C '{path}' update-index --no-assume-unchanged --no-skip-worktree FILE"
        raise Refused(message, hint=hint)
    return status.head


def _quit(doing: str) -> str:
    return "bisect reset" if doing == "bisect" else f"{doing} --abort"


def _check_still(path: Path, before: Sight) -> None:
    """Refuse when something is not as the snapshot has it."""
    late = changed(path, before)
    if late:
        message = f"somebody works in `{path}`: {some(late)}; nothing was discarded"
        raise Refused(message, hint="end what works there, then discard again")


def _delete(path: Path, seen: Mapping[str, Mark]) -> None:
    """Delete exactly the files that the snapshot holds, and folders left empty."""
    for name, before in seen.items():
        file = path / name
        if mark_of(file) != before:
            # Written to since: the snapshot does not have it so.
            continue
        try:
            file.unlink(missing_ok=True)
        except OSError as error:
            message = f"cannot delete `{file}`: {error.strerror}"
            raise MdtmuxError(
                message, hint="the rest is discarded; `undo` works"
            ) from error
        for parent in file.parents:
            if parent == path:
                break
            with contextlib.suppress(OSError):
                parent.rmdir()
