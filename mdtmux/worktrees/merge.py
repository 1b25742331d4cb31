"""Merge an agent's branch: tried out elsewhere first, landed in one step or not at all."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from mdtmux.errors import MdtmuxError, Refused
from mdtmux.system import git
from mdtmux.system.locks import hold
from mdtmux.worktrees.clobber import changes, clobbered, met
from mdtmux.worktrees.make import repository_state
from mdtmux.worktrees.naming import some
from mdtmux.worktrees.record import Record
from mdtmux.worktrees.repository import (
    HEADS,
    Repository,
    Worktree,
    admin_dir,
    operation,
)
from mdtmux.worktrees.safety import read_status
from mdtmux.worktrees.scratch import scratch
from mdtmux.worktrees.unseen import filtered, hidden
from mdtmux.worktrees.work import (
    is_there,
    open_files,
    refuse_moved,
    refuse_running,
    tip_of,
    unfinished_in,
)

# The longest that a hook of the user's may take.
_USING = git.Using(timeout=1800.0, hooks=True)


class Way(StrEnum):
    """How the branch comes in: as a merge, as one commit, or commit by commit."""

    MERGE = "merge"
    SQUASH = "squash"
    REBASE = "rebase"


def _nobody(_: Path) -> Collection[str]:
    return ()


@dataclass(frozen=True, slots=True)
class Wish:
    """What to merge how; `into` None is the branch of the main checkout.

    `message` replaces git's own for the commit that is made. `running` names the
    agents that live in the worktree; `living` tells those that live in another one,
    but for the caller.
    """

    record: Record
    way: Way = Way.MERGE
    into: str | None = None
    message: str | None = None
    running: Collection[str] = ()
    living: Callable[[Path], Collection[str]] = _nobody


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge did: `sha` is the new tip of `into`.

    `changed` is False when there was nothing to merge. `checkout` is where files
    changed, None when the branch is checked out nowhere. `tip` is how far the
    agent's branch is in now.
    """

    agent: str
    branch: str
    into: str
    sha: str
    before: str
    tip: str
    changed: bool
    checkout: Path | None

    def as_json(self) -> dict[str, object]:
        """Return the outcome as a JSON object."""
        return {
            "agent": self.agent,
            "branch": self.branch,
            "into": self.into,
            "sha": self.sha,
            "before": self.before,
            "changed": self.changed,
            "checkout": str(self.checkout) if self.checkout else None,
        }


def merge(repository: Repository, wish: Wish) -> Merged:
    """Merge the agent's commits; on any refusal everything is as it was.

    The result is made in a scratch worktree, with the user's hooks, settings and
    merge drivers, so a conflict or a failing hook never touches a checkout. Then the
    target is moved forward to it: by a fast-forward where it is checked out, else by
    its ref alone.

    Raises:
        Refused: uncommitted work of the agent, a conflict, changes in the target's
            checkout that would be overwritten, a failing hook, an unfinished merge.
        Busy: another mdtmux merges in this repository.
    """
    record, common = wish.record, repository.common_dir
    lock = repository_state(common) / "merge.lock"
    with hold(lock, wait=30, what=f"merging in `{repository.top}`"):
        refuse_moved(repository, record)
        _check_agent(wish)
        into, row = _target(repository, wish)
        tip, before = tip_of(common, record.branch), tip_of(common, into)
        where = row.path if row else None
        if _is_ancestor(common, tip, before):
            return Merged(
                record.agent, record.branch, into, before, before, tip, False, where
            )
        if row is not None:
            if row.path != repository.top:
                refuse_running(row.path, wish.living(row.path))
            _check_checkout(repository, row)
        sha = _result(repository, wish, into, tip, before)
        if wish.way is Way.REBASE:
            _check_follow(record, tip, sha)
        if row is None:
            _move(common, into, sha, before, record)
        else:
            _land(row, sha, before, record)
        if wish.way is Way.REBASE:
            tip = _follow(repository, record, tip, sha)
        changed = sha != before
        return Merged(
            record.agent, record.branch, into, sha, before, tip, changed, where
        )


def _check_agent(wish: Wish) -> None:
    record, path = wish.record, wish.record.path
    if wish.way is Way.REBASE:
        refuse_running(record.path, wish.running, record.agent)
    if not is_there(record):
        return
    doing = unfinished_in(record)
    if doing is not None:
        message = f"a {doing} is unfinished in `{path}`"
        raise Refused(message, hint="finish or abort it there first")
    status = read_status(path, ignored=False)
    if status.branch != record.branch:
        on = f"on branch `{status.branch}`" if status.branch else "on no branch"
        message = f"agent `{record.agent}` is {on}, not on its branch `{record.branch}`"
        raise Refused(
            message, hint=f"run `git -C '{path}' switch {record.branch}` first"
        )
    left = open_files(record, status)
    if left:
        message = f"agent `{record.agent}` has work that is not committed: {some(left)}"
        raise Refused(message, hint=f"let it commit, or commit in `{path}`")


def _target(repository: Repository, wish: Wish) -> tuple[str, Worktree | None]:
    into = wish.into or repository.head_branch
    if into is None or (repository.is_bare and not wish.into):
        what = "is bare" if repository.is_bare else "is on no branch (detached HEAD)"
        message = f"`{repository.top}` {what}: merge into which branch?"
        raise Refused(message, hint="name it with --into BRANCH")
    if into == wish.record.branch:
        message = f"`{into}` is the branch of agent `{wish.record.agent}` itself"
        raise Refused(message, hint="name another one with --into BRANCH")
    row = repository.holders().get(into)
    if row is not None and row.bare:
        return into, None
    if row is not None and row.branch != into:
        message = f"branch `{into}` is in the middle of an operation at `{row.path}`"
        raise Refused(message, hint="finish or abort it there first")
    return into, row


def _is_ancestor(where: Path, one: str, other: str) -> bool:
    done = git.run(where, "merge-base", "--is-ancestor", one, other, check=False)
    return done.code == 0


def _check_checkout(repository: Repository, row: Worktree) -> None:
    main = row.path == repository.top
    folder = repository.common_dir if main else admin_dir(row.path)
    doing = operation(folder) if folder else None
    if doing is not None:
        message = f"a {doing} is unfinished in `{row.path}`"
        raise Refused(message, hint="finish or abort it there first")


def _result(
    repository: Repository, wish: Wish, into: str, tip: str, before: str
) -> str:
    """Return the commit to move the target to; made where nobody works."""
    common = repository.common_dir
    if wish.way is not Way.REBASE:
        # Cheap where git is 2.38 or newer; the scratch worktree has the last word.
        args = ("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages")
        tried = git.run(common, *args, before, tip, check=False)
        if tried.code == 1:
            raise _conflict(wish, into, tried.records()[1:])
    start = tip if wish.way is Way.REBASE else before
    with scratch(repository, start) as path:
        if wish.way is Way.MERGE:
            message = wish.message or _message(wish.record.branch, into)
            # A fast-forward would leave no commit for the words.
            own = ("--no-ff",) if wish.message else ()
            _try(path, wish, into, ("merge", *own, "--no-edit", "-m", message, tip))
        elif wish.way is Way.SQUASH:
            # With merge.ff=false git would refuse to squash at all.
            _try(path, wish, into, ("-c", "merge.ff=true", "merge", "--squash", tip))
            text = wish.message or _squash_message(path, wish.record, before, tip)
            if git.run(path, "diff", "--cached", "--quiet", check=False).code:
                _try(path, wish, into, ("commit", "-m", text))
        else:
            # No other branch may move along, whatever the user's settings say.
            quiet = ("-c", "rebase.updateRefs=false", "-c", "rebase.autoSquash=false")
            _try(path, wish, into, (*quiet, "rebase", before))
        return git.run(path, "rev-parse", "HEAD").text


def _message(branch: str, into: str) -> str:
    # As `git merge` words it, which leaves out the usual target.
    target = "" if into in ("main", "master") else f" into {into}"
    return f"Merge branch '{branch}'{target}"


def _squash_message(path: Path, record: Record, before: str, tip: str) -> str:
    args = ("log", "--reverse", "--no-merges", "--format=* %s", f"{before}..{tip}")
    return f"{record.agent}: {record.branch}, squashed\n\n{git.run(path, *args).text}"


def _try(path: Path, wish: Wish, into: str, args: tuple[str, ...]) -> None:
    """Run one step in the scratch worktree; a failure there is nobody's loss."""
    done = git.run(path, *args, check=False, using=_USING)
    if done.code == 0:
        return
    names = git.run(path, "diff", "--name-only", "--diff-filter=U", "-z").records()
    if names:
        raise _conflict(wish, into, names)
    said = [line for line in (done.err + done.text).splitlines() if line.strip()]
    told = "; ".join(line.strip() for line in said[-3:]) or f"exit code {done.code}"
    verb = next(word for word in args if word in ("merge", "commit", "rebase"))
    message = f"`git {verb}` of `{wish.record.branch}` did not go through: {told}"
    raise Refused(message, hint="nothing was changed; a hook may have said no")


def _conflict(wish: Wish, into: str, names: list[str]) -> Refused:
    names = sorted(dict.fromkeys(name for name in names if name))
    message = (
        f"`{wish.record.branch}` conflicts with `{into}` in {some(names, most=20)}"
    )
    hint = f"let agent `{wish.record.agent}` merge `{into}` into its branch first"
    return Refused(message, hint=hint)


def _move(common: Path, into: str, sha: str, before: str, record: Record) -> None:
    told = f"merge {record.branch}: by mdtmux"
    args = ("update-ref", "-m", told, HEADS + into, sha, before)
    done = git.run(common, *args, check=False)
    if done.code:
        message = f"branch `{into}` moved meanwhile; nothing was merged"
        raise Refused(message, hint="try again")


def _land(row: Worktree, sha: str, before: str, record: Record) -> None:
    """Move the checkout forward to the result; git and we refuse to overwrite."""
    _check_overwrite(row, sha, before, record)
    args = ("merge", "--ff-only", "--no-squash", "--no-autostash", "-q", sha)
    using = dataclasses.replace(
        _USING, env=(("GIT_REFLOG_ACTION", f"merge {record.branch}"),)
    )
    done = git.run(row.path, *args, check=False, using=using)
    if done.code and git.run(row.path, "rev-parse", "HEAD").text != sha:
        message = f"`{row.path}`: {git.failure(args, done).message}"
        raise Refused(message, hint="nothing was merged")


def _check_overwrite(row: Worktree, sha: str, before: str, record: Record) -> None:
    """Refuse when a file of the checkout that is not committed would be replaced.

    Git itself looks after changed and untracked files, but replaces ignored ones.
    """
    status = read_status(row.path, ignored=False)
    dirty = {*status.modified, *status.staged, *status.submodules, *hidden(row.path)}
    moved = changes(row.path, before, sha)
    lost = sorted(met(dirty | set(filtered(row.path, moved)), moved))
    lost += [one for one in clobbered(row.path, moved) if one not in dirty]
    ours = [
        one.path
        for one in record.placed
        if any(name == one.path or name.startswith(f"{one.path}/") for name in lost)
    ]
    if ours:
        did = "has committed what mdtmux placed in its worktree"
        message = f"`{record.branch}` {did}: {some(ours)}"
        hint = (
            f"run `git rm -r --cached {ours[0]}` in `{record.path}` and commit;"
            f" a line `/{ours[0]}` in .gitignore keeps it out"
        )
        raise Refused(message, hint=hint)
    if lost:
        message = f"`{row.path}` has files that the merge would overwrite: {some(lost)}"
        raise Refused(message, hint="commit them or move them away first")


def _check_follow(record: Record, tip: str, sha: str) -> None:
    """Refuse when the agent's own checkout could not follow without a loss."""
    if not is_there(record):
        return
    moved = changes(record.path, tip, sha)
    lost = (*clobbered(record.path, moved), *filtered(record.path, moved))
    if lost:
        told = f"`{record.path}` has files that the rebase would overwrite"
        message = f"{told}: {some(lost)}"
        raise Refused(message, hint="move them away, or merge without --rebase")


def _follow(repository: Repository, record: Record, tip: str, sha: str) -> str:
    """Let the agent's branch follow its rebased commits; return where it is then."""
    if not is_there(record):
        args = ("update-ref", HEADS + record.branch, sha, tip)
        git.run(repository.common_dir, *args, check=False)
        return sha
    try:
        git.run(record.path, "reset", "--keep", "-q", sha)
    except MdtmuxError:
        return tip
    return sha
