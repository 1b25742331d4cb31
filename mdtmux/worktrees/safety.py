"""What would be lost with a worktree: everything in it that stands nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from mdtmux.errors import GitError, MdtmuxError
from mdtmux.system import git
from mdtmux.system.files import text_of
from mdtmux.worktrees.checkout import MARKER
from mdtmux.worktrees.commits import only_here, only_logged
from mdtmux.worktrees.contents import Contents
from mdtmux.worktrees.halfmade import strange_files
from mdtmux.worktrees.modules import own_work
from mdtmux.worktrees.naming import some
from mdtmux.worktrees.record import LINK, Placed, Record
from mdtmux.worktrees.repository import admin_dir, operation
from mdtmux.worktrees.unseen import closed, filtered, hidden, walk

_LIMIT = 300.0
_SHOWN = 10


class Kind(StrEnum):
    """The ways in which work can be only here."""

    MODIFIED = "modified"
    STAGED = "staged"
    UNTRACKED = "untracked"
    IGNORED = "ignored"
    COMMITS = "commits"
    REFLOG = "reflog"
    DETACHED = "detached"
    OPERATION = "operation"
    SUBMODULE = "submodule"
    LOCKED = "locked"
    MISSING = "missing"
    CLOSED = "closed"
    WORKED_IN = "worked in"


_WORDS = {
    Kind.MODIFIED: "modified files",
    Kind.STAGED: "staged changes",
    Kind.WORKED_IN: "a process at work",
    Kind.UNTRACKED: "untracked files",
    Kind.IGNORED: "ignored files that are no copies",
    Kind.COMMITS: "commits that no other branch has",
    Kind.REFLOG: "commits that only its reflog or ORIG_HEAD has",
    Kind.DETACHED: "commits on no branch",
    Kind.OPERATION: "an unfinished operation",
    Kind.SUBMODULE: "work in submodules",
    Kind.LOCKED: "a lock",
    Kind.MISSING: "a folder that is not there",
    Kind.CLOSED: "folders that cannot be read",
}


@dataclass(frozen=True, slots=True)
class Risk:
    """Something that is only here; `what` is at most ten of `count` names."""

    kind: Kind
    what: tuple[str, ...]
    count: int

    def __str__(self) -> str:
        """Say it in a phrase: ``modified files: `a`, `b` and 3 more``."""
        return f"{_WORDS[self.kind]}: {some(self.what, total=self.count)}"


@dataclass(frozen=True, slots=True)
class Status:
    """One reading of `git status`; paths are relative to the worktree.

    `ignored` may name folders, with a slash at the end. `intended` are those of the
    modified ones that `git add -N` marked, `closed` folders that git could not look into.
    """

    head: str | None
    branch: str | None
    modified: tuple[str, ...]
    staged: tuple[str, ...]
    untracked: tuple[str, ...]
    ignored: tuple[str, ...]
    submodules: tuple[str, ...]
    intended: tuple[str, ...]
    closed: tuple[str, ...] = ()


def read_status(path: Path, *, ignored: bool = True, inner: bool = True) -> Status:
    """Return what git sees in the worktree, whatever the user's settings hide.

    Without `inner`, submodules are not looked into.

    Raises:
        GitError: git cannot read the worktree.
    """
    flag = "--ignored=matching" if ignored else "--ignored=no"
    args = ("--porcelain=v2", "--branch", "-z", "--untracked-files=all", flag)
    using = git.Using(timeout=_LIMIT)
    depth = "none" if inner else "dirty"
    plain = ("--no-renames", "--no-ahead-behind", f"--ignore-submodules={depth}")
    done = git.run(path, "status", *args, *plain, using=using)
    found: dict[str, list[str]] = {key: [] for key in "MSU!sN"}
    told: dict[str, str] = {}
    for row in done.records():
        if row.startswith("# "):
            key, _, value = row[2:].partition(" ")
            told[key] = value
        elif row[0] in "?!":
            found["U" if row[0] == "?" else "!"].append(row[2:])
        else:
            _changed(row, found)
    return Status(
        head=told["branch.oid"] if told.get("branch.oid") != "(initial)" else None,
        branch=told["branch.head"] if told.get("branch.head") != "(detached)" else None,
        modified=tuple(found["M"]),
        staged=tuple(found["S"]),
        untracked=tuple(found["U"]),
        ignored=tuple(found["!"]),
        submodules=tuple(found["s"]),
        intended=tuple(found["N"]),
        closed=closed(done),
    )


def _changed(row: str, found: Mapping[str, list[str]]) -> None:
    """Sort one changed entry: `1 XY sub …8 fields path`, `u …10 fields path`."""
    fields = row.split(" ", 10 if row[0] == "u" else 8)
    kinds, submodule, path = fields[1], fields[2], fields[-1]
    if submodule[0] == "S" and submodule[1:] != "...":
        found["s"].append(path)
    # A submodule is looked at as one, but not what came in the place of one.
    if row[0] == "u" or kinds[1] == "T" or (kinds[1] != "." and submodule[0] == "N"):
        found["M"].append(path)
    if kinds[0] != ".":
        found["S"].append(path)
    if kinds == ".A":
        found["N"].append(path)


def risks(
    path: Path,
    branch: str,
    record: Record | None,
    top: Path,
    marks: Contents | None = None,
) -> tuple[Risk, ...]:
    """Return everything that would be lost with the worktree; none means nothing.

    Proven copies do not count: files with the content that stands in the main
    checkout `top` now, and links that were placed. `marks` remembers what was read,
    for a second look; in a folder that was moved, submodules are not looked into.
    Neither does the worktree's own branch save a commit: another branch, a remote
    branch or a tag must have it, or it was merged from there by mdtmux. A folder
    that is gone has nothing left to lose.

    Raises:
        GitError: git cannot read the worktree, so nothing is known.
    """
    try:
        return _find(path, branch, record, top, marks or Contents())
    except OSError as error:
        message = f"cannot read `{error.filename}`: {error.strerror}"
        raise GitError(message) from error


def _find(
    path: Path, branch: str, record: Record | None, top: Path, marks: Contents
) -> tuple[Risk, ...]:
    found: list[Risk] = []
    placed = {one.path: one for one in record.placed} if record else {}
    if not path.exists():
        return ()
    admin = admin_dir(path)
    if admin and (admin / MARKER).exists() and not (admin / "index").exists():
        # mdtmux was killed before the files stood: nobody has worked here.
        return tuple(_risk(Kind.UNTRACKED, strange_files(path)))
    found += _state_risks(admin)
    # Submodules know their place: in a folder that was moved, git cannot read them.
    at_home = record is None or path == record.path
    status = read_status(path, inner=at_home)
    proven = _Proof(path, top, placed, marks)
    base = record.base_sha if record else None
    inner = own_work(path, base, _changed_inside) if at_home else []
    lists = (
        (Kind.MODIFIED, (*status.modified, *hidden(path), *filtered(path))),
        (Kind.STAGED, status.staged),
        (Kind.UNTRACKED, _unproven(proven, status.untracked)),
        (Kind.IGNORED, _unproven(proven, status.ignored)),
        (Kind.SUBMODULE, (*status.submodules, *inner)),
        (Kind.CLOSED, status.closed),
    )
    for kind, names in lists:
        found += _risk(kind, dict.fromkeys(names))
    found += _risk(Kind.REFLOG, only_logged(path, status.head, record))
    own = dict.fromkeys(name for name in (branch, status.branch) if name)
    lines, on_none = only_here(path, list(own), status.branch is None, record)
    found += _risk(Kind.DETACHED if on_none else Kind.COMMITS, lines)
    return tuple(found)


def _risk(kind: Kind, names: Iterable[str]) -> Iterator[Risk]:
    every = tuple(names)
    if every:
        yield Risk(kind, every[:_SHOWN], len(every))


def _state_risks(admin: Path | None) -> Iterator[Risk]:
    if admin is None:
        return
    doing = operation(admin)
    if doing is not None:
        yield Risk(Kind.OPERATION, (doing,), 1)
    try:
        reason = text_of(admin / "locked").strip()
    except OSError:
        return
    yield Risk(Kind.LOCKED, (reason or "no reason given",), 1)


@dataclass(frozen=True, slots=True)
class _Proof:
    """Tells whether a file of a worktree stands elsewhere, unchanged."""

    path: Path
    top: Path
    placed: Mapping[str, Placed]
    marks: Contents

    def of(self, name: str) -> bool:
        file = self.path / name
        try:
            if file.is_symlink():
                return self._link(name, str(file.readlink()))
            if not file.is_file():
                return False
            # What was placed once proves nothing: its source may have changed or gone.
            source = self.top / name
            same = source.is_file() and source.stat().st_size == file.stat().st_size
            return same and self.marks.of(source) == self.marks.of(file)
        except OSError:
            return False

    def _link(self, name: str, target: str) -> bool:
        noted = self.placed.get(name)
        if noted is not None and noted.kind == LINK and noted.mark == target:
            return True
        source = self.top / name
        return source.is_symlink() and str(source.readlink()) == target


def _unproven(proof: _Proof, names: Iterable[str]) -> tuple[str, ...]:
    return tuple(
        one for name in names for one in _files(proof.path, name) if not proof.of(one)
    )


def _files(path: Path, name: str) -> Iterator[str]:
    """Yield the files of a folder that status named as a whole, or the file itself."""
    if not name.endswith("/") or (path / name.rstrip("/")).is_symlink():
        yield name.rstrip("/")
        return
    for folder, folders, files in walk(path / name):
        inner = folder.relative_to(path)
        links = [one for one in folders if (folder / one).is_symlink()]
        yield from (str(inner / one) for one in (*files, *links))


def _changed_inside(module: Path) -> bool:
    status = read_status(module)
    seen = (status.modified, status.staged, status.untracked, status.ignored)
    blind = (status.submodules, status.closed)
    return any(seen) or any(blind) or bool(hidden(module) or filtered(module))


def judge_all(
    asked: Iterable[tuple[str, Callable[[], tuple[Risk, ...]]]], workers: int = 2
) -> dict[str, tuple[Risk, ...] | MdtmuxError]:
    """Run many checks on a few workers; return risks, or why they are not known."""
    with ThreadPoolExecutor(workers) as pool:
        futures = {name: pool.submit(check) for name, check in asked}
    found: dict[str, tuple[Risk, ...] | MdtmuxError] = {}
    for name, future in futures.items():
        try:
            found[name] = future.result()
        except MdtmuxError as error:
            found[name] = error
    return found
