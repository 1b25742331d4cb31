"""Make what a plan says: register under one lock, fill on two workers meanwhile."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from mdtmux.errors import GitError, MdtmuxError
from mdtmux.system import git
from mdtmux.system.files import sha256, state_root
from mdtmux.system.locks import hold
from mdtmux.worktrees import folders, gitfolder
from mdtmux.worktrees.checkout import (
    Hook,
    finish,
    hooks_of,
    mark_unfinished,
    unfinished,
)
from mdtmux.worktrees.halfmade import foreign_files
from mdtmux.worktrees.plan import Action, Step, refusal
from mdtmux.worktrees.register import register, sweep
from mdtmux.worktrees.repository import HEADS, Repository, admin_dir, is_void

LOCK_WAIT = 120.0

Done = Callable[["Made"], None]


@dataclass(frozen=True, slots=True)
class Made:
    """A worktree that stands; `notes` is what people should know of it."""

    agent: str
    path: Path
    branch: str
    sha: str
    action: Action
    made_branch: bool
    made_worktree: bool
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Job:
    """What was made for a step so far, to fill it or to take it back."""

    repository: Repository
    step: Step
    made_branch: bool
    registered: bool
    new_parents: tuple[Path, ...] = ()


def repository_state(common_dir: Path) -> Path:
    """Return where mdtmux keeps what belongs to a repository and to no office."""
    digest = sha256(os.fsencode(common_dir))[:12]
    return state_root() / ".repositories" / digest


@contextlib.contextmanager
def registering(common_dir: Path) -> Iterator[None]:
    """Hold the repository's list of worktrees: one mdtmux changes it at a time.

    Git's own locks do not cover it (field case C51).

    Raises:
        Busy: another mdtmux held it for two minutes.
    """
    path = repository_state(common_dir) / "worktrees.lock"
    with hold(path, wait=LOCK_WAIT, what=f"the worktree list of `{common_dir}`"):
        yield


def make(
    repository: Repository,
    steps: Sequence[Step],
    on_done: Done | None = None,
    workers: int = 2,
) -> dict[str, Made | MdtmuxError]:
    """Carry the steps out; return per agent what stands, or why it does not.

    `on_done` is called from a worker thread as soon as a worktree stands; an
    MdtmuxError it raises becomes that agent's result. After a failure exactly what
    this call made for the agent is taken back. After a kill, `plan` and `make` again
    finish the rest.

    Raises:
        Refused: a step is a refusal; nothing was made.
        Busy: another mdtmux changed the repository's worktrees for two minutes.
    """
    refused = refusal(steps)
    if refused is not None:
        raise refused
    results: dict[str, Made | MdtmuxError] = {}
    jobs: dict[str, Future[Made]] = {}
    if not steps:
        return results
    hook = hooks_of(repository.common_dir)
    pool = ThreadPoolExecutor(workers, thread_name_prefix="worktree")
    try:
        with registering(repository.common_dir):
            for agent, job in _register_all(repository, steps):
                if isinstance(job, MdtmuxError):
                    results[agent] = job
                else:
                    jobs[agent] = pool.submit(_fill, job, hook, on_done)
        for agent, future in jobs.items():
            try:
                results[agent] = future.result()
            except MdtmuxError as error:
                results[agent] = error
    finally:
        pool.shutdown(cancel_futures=True)
    return results


def _register_all(
    repository: Repository, steps: Sequence[Step]
) -> Iterator[tuple[str, _Job | MdtmuxError]]:
    """Make the branches and register; yield each agent's as soon as it can be filled."""
    sweep(repository.common_dir)
    branches = _make_branches(repository, steps)
    missing = _missing_parents(steps)
    able = [step for step in steps if branches[step.agent] is True]
    done = register(repository, able)
    for step in steps:
        if step.agent in done:
            job = _Job(repository, step, True, registered=True, new_parents=missing)
            yield step.agent, job
            continue
        try:
            job = _register(repository, step, branches[step.agent], missing)
        except MdtmuxError as error:
            yield step.agent, error
        else:
            yield step.agent, job
    # Only now: a folder is ours when it was made, not when it was missing.
    folders.note(repository_state(repository.common_dir), missing)


def _make_branches(
    repository: Repository, steps: Sequence[Step]
) -> dict[str, bool | GitError]:
    """Make the new branches in one call; tell per agent whether one was made.

    `update-ref` says for certain who made a branch: it never takes an existing one.
    """
    made: dict[str, bool | GitError] = {step.agent: False for step in steps}
    new = [step for step in steps if step.action is Action.CREATE]
    if new and _update_refs(repository, new) is None:
        return made | {step.agent: True for step in new}
    for step in new:
        # The call is all or nothing: find out which one is at fault.
        made[step.agent] = _update_refs(repository, [step]) or True
    return made


def _update_refs(repository: Repository, steps: Sequence[Step]) -> GitError | None:
    lines = (f"create {HEADS}{step.branch}\0{step.sha}\0" for step in steps)
    args = ("update-ref", "-m", "branch: made by mdtmux", "--stdin", "-z")
    try:
        git.run(repository.common_dir, *args, stdin=os.fsencode("".join(lines)))
    except GitError as error:
        return error
    return None


def _missing_parents(steps: Sequence[Step]) -> tuple[Path, ...]:
    """Return the folders that will be made on the way, the innermost first."""
    found: dict[Path, None] = {}
    for step in steps:
        for parent in step.path.parents:
            if parent in found or parent.exists():
                break
            found[parent] = None
    return tuple(sorted(found, key=lambda path: -len(path.parts)))


def _register(
    repository: Repository,
    step: Step,
    branch: bool | GitError,
    missing: tuple[Path, ...],
) -> _Job:
    if isinstance(branch, GitError):
        raise branch
    if step.action is Action.ADOPT:
        return _Job(repository, step, made_branch=False, registered=False)
    job = _Job(repository, step, branch, registered=True, new_parents=missing)
    try:
        if step.stale is not None:
            _forget(repository.common_dir, step.stale)
        args = ("worktree", "add", "--no-checkout", str(step.path), step.branch)
        git.run(repository.common_dir, *args)
        mark_unfinished(step.path)
    except MdtmuxError:
        _take_back(job)
        raise
    return job


def _forget(common_dir: Path, stale: Path) -> None:
    """Make git forget a registration whose folder is gone or was never filled."""
    with contextlib.suppress(OSError):
        if is_void(stale / ".git"):
            (stale / ".git").unlink()
        stale.rmdir()
    # What a killed mdtmux had begun was swept away by now.
    if gitfolder.of_missing(common_dir, stale) is not None:
        # Without --force git removes only what is gone or clean: it is gone.
        git.run(common_dir, "worktree", "remove", str(stale))


def _fill(job: _Job, hook: Hook, on_done: Done | None) -> Made:
    step = job.step
    try:
        notes: tuple[str, ...] = (step.note,) if step.note else ()
        if job.registered or unfinished(step.path):
            notes += finish(step.path, step.branch, hook)
    except (MdtmuxError, OSError) as error:
        left = None
        if job.registered:
            with registering(job.repository.common_dir):
                left = _take_back(job)
        if isinstance(error, MdtmuxError):
            raise _told(step, error, left) from error
        message = f"cannot fill `{step.path}`: {error.strerror}"
        raise MdtmuxError(message, hint=left) from error
    made = Made(
        step.agent,
        step.path,
        step.branch,
        step.sha,
        step.action,
        made_branch=job.made_branch,
        made_worktree=job.registered,
        notes=notes,
    )
    if on_done is not None:
        on_done(made)
    return made


def _told(step: Step, error: MdtmuxError, left: str | None) -> MdtmuxError:
    hint = "; ".join(text for text in (error.hint, left) if text)
    return GitError(f"worktree `{step.path}`: {error.message}", hint=hint or None)


def _take_back(job: _Job) -> str | None:
    """Undo what was made for a step; return what had to stay, for people.

    A folder that holds a file which the commit does not have stays: it is not ours.
    Call it with the repository's list of worktrees held.
    """
    step, where = job.step, job.repository.common_dir
    admin = admin_dir(step.path)
    if admin is not None and admin.parent == where / "worktrees":
        if foreign_files(step.path):
            return f"`{step.path}` holds other files and was left"
        shutil.rmtree(step.path, ignore_errors=True)
    git.run(where, "worktree", "remove", str(step.path), check=False)
    if job.made_branch:
        # With the old value: a branch that got a commit meanwhile stays.
        git.run(where, "update-ref", "-d", HEADS + step.branch, step.sha, check=False)
    for parent in job.new_parents:
        with contextlib.suppress(OSError):
            parent.rmdir()
    return None
