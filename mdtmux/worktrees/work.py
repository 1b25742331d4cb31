"""The work of an agent: what it committed and changed since it left its base."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from mdtmux.errors import GitError, Refused
from mdtmux.system import git
from mdtmux.worktrees import trash
from mdtmux.worktrees.record import Record
from mdtmux.worktrees.repository import HEADS, Repository, admin_dir, operation
from mdtmux.worktrees.safety import Status, read_status

_LIMIT = git.Using(timeout=600.0)
# What the user's settings could turn into something that no `git apply` reads.
_PLAIN_DIFF = (
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    "--submodule=short",
    "--src-prefix=a/",
    "--dst-prefix=b/",
)


@dataclass(frozen=True, slots=True)
class FileChange:
    """One changed file; `added` and `deleted` are lines, None for a binary file.

    `status` is git's letter: A, M, D, T.
    """

    path: str
    status: str
    added: int | None
    deleted: int | None


@dataclass(frozen=True, slots=True)
class Work:
    """An agent's whole work. `fork` is where it left its base, `tip` its last commit.

    `files` has every changed file, uncommitted and untracked ones too; `open` those
    of them that are not committed as they stand.
    """

    record: Record
    fork: str
    tip: str
    commits: tuple[git.Commit, ...]
    files: tuple[FileChange, ...]
    open: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """Return the work as a JSON object."""
        return {
            "agent": self.record.agent,
            "branch": self.record.branch,
            "path": str(self.record.path),
            "base": self.record.base_ref or self.record.base_sha,
            "fork": self.fork,
            "tip": self.tip,
            "commits": [dataclasses.asdict(commit) for commit in self.commits],
            "files": [dataclasses.asdict(file) for file in self.files],
            "uncommitted": list(self.open),
        }


def tip_of(where: Path, branch: str) -> str:
    """Return the commit that a branch points at.

    Raises:
        Refused: there is no such branch.
    """
    args = ("rev-parse", "--verify", "-q", f"{HEADS}{branch}^{{commit}}")
    sha = git.run(where, *args, check=False).text
    if not sha:
        message = f"there is no branch `{branch}`"
        raise Refused(message)
    return sha


def fork_point(repository: Repository, record: Record) -> str:
    """Return the newest commit of the branch that its base has, or had.

    The base as it is now counts, the commit the branch was made from, and what went
    into the base by `merge` already.

    Raises:
        Refused: the branch is gone, or the worktree was moved.
        GitError: branch and base have no history in common.
    """
    refuse_moved(repository, record)
    where = repository.common_dir
    tip = tip_of(where, record.branch)
    names = [record.base_ref, record.base_sha]
    if _is_bases(record.base_ref, record.merged_into):
        names.append(record.merged)
    bases = [name for name in names if name and _is_commit(where, name)]
    found = git.run(where, "merge-base", tip, *bases, check=False) if bases else None
    if found is None or found.code or not found.text:
        base = record.base_ref or record.base_sha
        message = f"branch `{record.branch}` has no history in common with `{base}`"
        raise GitError(message)
    return found.text.splitlines()[0]


def refuse_moved(repository: Repository, record: Record) -> None:
    """Refuse when the worktree was moved: nothing is known of its files there.

    Raises:
        Refused: its branch is checked out in another worktree.
    """
    if is_there(record):
        return
    holder = repository.holders().get(record.branch)
    if holder is None or holder.path in (record.path, repository.top):
        return
    message = f"the worktree is not at `{record.path}` any more: its branch"
    message += f" `{record.branch}` is checked out at `{holder.path}`"
    old, new = shlex.quote(str(holder.path)), shlex.quote(str(record.path))
    parent = shlex.quote(str(record.path.parent))
    hint = f"move it back: mkdir -p {parent} && git worktree move {old} {new}"
    raise Refused(message, hint=hint)


def _is_bases(base_ref: str | None, into: str | None) -> bool:
    """Tell whether the branch that was merged into is that of the base, if it has one."""
    return not (base_ref and into) or base_ref.endswith(f"/{into}")


def _is_commit(where: Path, name: str) -> bool:
    args = ("cat-file", "-e", f"{name}^{{commit}}")
    return git.run(where, *args, check=False).code == 0


def open_files(record: Record, status: Status) -> tuple[str, ...]:
    """Return what is not committed, without what mdtmux placed there itself."""
    ours = {one.path for one in record.placed}
    changed = dict.fromkeys((*status.staged, *status.modified, *status.submodules))
    untracked = [one for one in status.untracked if one.rstrip("/") not in ours]
    return (*changed, *untracked)


def is_there(record: Record) -> bool:
    """Tell whether the agent's worktree stands (its branch may without it)."""
    return admin_dir(record.path) is not None


def refuse_running(
    path: Path, running: Collection[str], owner: str | None = None
) -> None:
    """Refuse to change the files of a worktree while one of these agents works in it.

    Those of other offices are named as OFFICE/NAME.

    Raises:
        Refused: names all of them.
    """
    if not running:
        return
    who = " and ".join(f"`{name}`" for name in running)
    verb = "are" if len(running) > 1 else "is"
    where = "" if list(running) == [owner] else f" in `{path}`"
    plural = "agents" if len(running) > 1 else "agent"
    message = f"{plural} {who} {verb} running{where}: files would change meanwhile"
    raise Refused(message, hint=f"run {stops(running)} first")


def stops(running: Collection[str]) -> str:
    """Return the commands that stop the agents."""
    own = [name for name in running if "/" not in name]
    commands = [f"`mdtmux stop {' '.join(own)}`"] if own else []
    for office, _, name in (one.partition("/") for one in running if "/" in one):
        commands.append(f"`mdtmux -o {office} stop {name}`")
    return " and ".join(commands)


def unfinished_in(record: Record) -> str | None:
    """Name the merge, rebase and so on that is unfinished in the agent's worktree."""
    admin = admin_dir(record.path)
    return operation(admin) if admin else None


def read_work(repository: Repository, record: Record) -> Work:
    """Return the agent's work in figures.

    Raises:
        Refused: the branch is gone.
        GitError: git cannot read it.
    """
    fork = fork_point(repository, record)
    tip = tip_of(repository.common_dir, record.branch)
    commits = git.commits(repository.common_dir, tip, fork)
    stat = git_diff(repository, record, fork, ("--numstat", "--no-renames", "-z"))
    kinds = git_diff(repository, record, fork, ("--name-status", "--no-renames", "-z"))
    letters = kinds.records()
    status = dict(zip(letters[1::2], letters[::2], strict=True))
    files = []
    for row in stat.records():
        added, deleted, path = row.split("\t", 2)
        files.append(
            FileChange(path, status.get(path, "M"), _lines(added), _lines(deleted))
        )
    left: tuple[str, ...] = ()
    if is_there(record):
        left = open_files(record, read_status(record.path, ignored=False))
    return Work(record, fork, tip, commits, tuple(files), left)


def _lines(count: str) -> int | None:
    return int(count) if count.isdecimal() else None


def git_diff(
    repository: Repository, record: Record, fork: str, flags: tuple[str, ...]
) -> git.Completed:
    """Return what `git diff` prints of the work against where it left its base.

    Untracked files are in it as new ones, and nothing is written to the repository.

    Raises:
        GitError: git cannot read it.
    """
    args = (*_PLAIN_DIFF, *flags)
    if not is_there(record):
        where = repository.common_dir
        return git.run(where, *args, fork, HEADS + record.branch, "--", using=_LIMIT)
    hidden = [f":(exclude,literal){one.path}" for one in record.placed]
    with trash.scratch_index(record.path) as index:
        using = git.Using(timeout=600.0, index=index)
        # Marked as to be added, untracked files show in a diff, and no object is made.
        git.run(
            record.path,
            "add",
            "-N",
            "--sparse",
            "--",
            ".",
            *hidden,
            check=False,
            using=using,
        )
        return git.run(record.path, *args, fork, "--", using=using)
