"""Throw an agent's work away, after a snapshot that brings it back."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from mdtmux.errors import MdtmuxError, Refused
from mdtmux.system import git
from mdtmux.worktrees import trash
from mdtmux.worktrees.record import Record
from mdtmux.worktrees.repository import Repository
from mdtmux.worktrees.safety import Status, read_status
from mdtmux.worktrees.work import (
    fork_point,
    is_there,
    open_files,
    refuse_running,
    unfinished_in,
)


@dataclass(frozen=True, slots=True)
class Discarded:
    """What a discard took; `undo` is its id, None when there was nothing to take.

    `before` and `after` are where the branch was and is; `files` were not committed.
    `left` names nested repositories, which stay.
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
        Refused: somebody works in it, or its worktree is not in a state to be reset.
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
        Refused: somebody works in it, or its worktree is not in a state to be reset.
        GitError: a file cannot be saved, so nothing was done.
    """
    plan, status = _look(repository, record, running=running)
    if plan.undo is None:
        return plan
    undo = trash.new_undo(trash.DISCARDED, record, plan.before)
    ref = trash.ref_of(undo.id)
    if plan.files:
        told = f"mdtmux: work of {record.agent} before discard"
        trash.snapshot(record.path, ref, told, strict=True, skip=plan.left)
    else:
        trash.keep_commit(repository.common_dir, ref, plan.before)
    undo = dataclasses.replace(undo, ref=ref, left=plan.after, risks=(plan.told(),))
    trash.save(state, undo)
    using = git.Using(timeout=1800.0)
    git.run(record.path, "reset", "--hard", "-q", plan.after, using=using)
    _delete(record.path, [name for name in plan.files if name in status.untracked])
    return dataclasses.replace(plan, undo=undo.id)


def _look(
    repository: Repository, record: Record, *, running: Collection[str]
) -> tuple[Discarded, Status]:
    agent, path = record.agent, record.path
    refuse_running(record, running)
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
    if status.branch != record.branch or status.head is None:
        on = f"on branch `{status.branch}`" if status.branch else "on no branch"
        message = f"the worktree `{path}` is {on}, not on `{record.branch}`"
        raise Refused(
            message, hint=f"run `git -C '{path}' switch {record.branch}` first"
        )
    fork = fork_point(repository, record)
    count = git.run(path, "rev-list", "--count", f"{fork}..HEAD").text
    changed = open_files(record, status)
    nested = tuple(name for name in changed if name.endswith("/"))
    files = tuple(name for name in changed if name not in nested)
    nothing = not files and fork == status.head
    undo = None if nothing else ""
    plan = Discarded(agent, status.head, fork, int(count), files, undo, nested)
    return plan, status


def _quit(doing: str) -> str:
    return "bisect reset" if doing == "bisect" else f"{doing} --abort"


def _delete(path: Path, names: list[str]) -> None:
    """Delete exactly the files that the snapshot holds, and folders left empty."""
    for name in names:
        file = path / name
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
