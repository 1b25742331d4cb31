"""What a removal or a discard leaves behind, so that it can be taken back."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mdtmux.errors import MdtmuxError
from mdtmux.system import git
from mdtmux.system.files import private_dir, read_json, write_json
from mdtmux.system.git_env import environment
from mdtmux.system.processes import identify
from mdtmux.system.programs import spawn_detached
from mdtmux.worktrees.anchors import release
from mdtmux.worktrees.exact import keep_bytes
from mdtmux.worktrees.folders import mounts_below, remove_empty
from mdtmux.worktrees.modes import modes_of
from mdtmux.worktrees.record import Record, from_json, to_json
from mdtmux.worktrees.repository import admin_dir

REMOVED = "removed"
DISCARDED = "discarded"
# Where a folder that was moved aside has its git folder, once git has forgotten it.
ADMIN = ".mdtmux-admin"
# How a folder is called that was moved aside, beside where it stood.
ASIDE = ".mdtmux-trash-"
_INDEX = "mdtmux-index-"
_REFS = "refs/mdtmux/trash/"
# A snapshot is nobody's commit, and must not fail where no identity is set.
_IDENTITY = tuple(
    (f"GIT_{who}_{what}", value)
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "mdtmux"), ("EMAIL", "mdtmux@localhost"))
)
_LIMIT = 1800.0
_SUBMODULE = "160000"


@dataclass(frozen=True, slots=True)
class UndoRecord:
    """One removal or discard that can be taken back; `time` is since the epoch.

    `sha` is where the branch stood. `trash` is the folder as it was, moved aside;
    it is `kept` when something was at stake, with `admin`, the copy of its git
    folder, or as long as that is not known, and deleted otherwise: `admin` has the
    settings then that only this worktree had, if there were any. `ref` keeps a
    snapshot commit from being collected.
    `left` is where a discard left the branch. `half` says that a discard or an undo has
    begun, and may have stopped in the middle. `intended` are the files that `git add -N`
    had marked, `conflicts` the rows of the index in conflict: no tree has them. `risks`
    says what was at stake.
    """

    id: str
    kind: str
    time: float
    record: Record
    sha: str
    trash: Path | None = None
    kept: bool = False
    admin: Path | None = None
    ref: str | None = None
    left: str | None = None
    half: bool = False
    intended: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return the record as a JSON object."""
        return {
            "id": self.id,
            "kind": self.kind,
            "time": self.time,
            "record": to_json(self.record),
            "sha": self.sha,
            "trash": str(self.trash) if self.trash else None,
            "kept": self.kept,
            "admin": str(self.admin) if self.admin else None,
            "ref": self.ref,
            "left": self.left,
            "half": self.half,
            "intended": list(self.intended),
            "conflicts": list(self.conflicts),
            "risks": list(self.risks),
        }


def new_id(agent: str) -> str:
    """Return an id for one removal or discard: the agent and six hexadecimal digits."""
    return f"{agent}-{secrets.token_hex(3)}"


def ref_of(identifier: str) -> str:
    """Return the ref under which a snapshot of that id is kept."""
    return _REFS + identifier


def folder(state: Path) -> Path:
    """Return where the office's undo records lie."""
    return state / "undo"


def save(state: Path, undo: UndoRecord) -> None:
    """Write an undo record; done before anything is taken away."""
    write_json(folder(state) / f"{undo.id}.json", undo.as_json())


def records(state: Path) -> tuple[UndoRecord, ...]:
    """Return what can be taken back, newest first; unreadable records are left out."""
    found = (_read(read_json(path)) for path in folder(state).glob("*.json"))
    return tuple(sorted((one for one in found if one), key=lambda one: -one.time))


def _read(value: object) -> UndoRecord | None:
    if not isinstance(value, Mapping):
        return None
    record = from_json(value.get("record"))
    try:
        if record is None:
            return None
        return UndoRecord(
            id=str(value["id"]),
            kind=str(value["kind"]),
            time=float(value["time"]),
            record=record,
            sha=str(value["sha"]),
            trash=Path(value["trash"]) if value["trash"] else None,
            kept=value["kept"] is True,
            admin=Path(value["admin"]) if value["admin"] else None,
            ref=str(value["ref"]) if value["ref"] else None,
            left=str(value["left"]) if value["left"] else None,
            half=value.get("half") is True,
            intended=tuple(str(one) for one in value.get("intended", ())),
            conflicts=tuple(str(one) for one in value.get("conflicts", ())),
            risks=tuple(str(one) for one in value["risks"]),
        )
    except (KeyError, TypeError, ValueError):
        return None


def forget(common_dir: Path, state: Path, undo: UndoRecord) -> None:
    """Drop an undo record with its snapshot, anchors and copy of the git folder."""
    release(common_dir, ref_of(undo.id))
    if undo.ref is not None:
        git.run(common_dir, "update-ref", "-d", undo.ref, check=False)
    if undo.admin is not None:
        shutil.rmtree(undo.admin, ignore_errors=True)
    (folder(state) / f"{undo.id}.json").unlink(missing_ok=True)


def new_undo(kind: str, record: Record, sha: str) -> UndoRecord:
    """Return a fresh undo record without anything kept yet."""
    return UndoRecord(new_id(record.agent), kind, time.time(), record, sha)


@contextlib.contextmanager
def scratch_index(path: Path) -> Iterator[Path]:
    """Yield a copy of the worktree's index that may be changed; it is removed after.

    It lies in the worktree's git folder, since a split index is found from there. What
    killed ones left there is removed first.
    """
    admin = admin_dir(path)
    if admin is None:
        message = f"`{path}` is not a worktree"
        raise MdtmuxError(message)
    _clear(admin)
    copy = admin / f"{_INDEX}{_owner(os.getpid())}-{secrets.token_hex(4)}"
    try:
        with contextlib.suppress(FileNotFoundError):
            _copy_index(admin / "index", copy)
        yield copy
    finally:
        for name in (copy, copy.with_name(f"{copy.name}.lock")):
            name.unlink(missing_ok=True)


def _owner(pid: int) -> str:
    """Name a process for good: `PID-START`; a pid that nobody has is no such name."""
    found = identify(pid)
    return f"{pid}-{found.created}" if found else ""


def _clear(admin: Path) -> None:
    """Remove the copies of processes that are gone, and git's locks of them."""
    for stale in admin.glob(f"{_INDEX}*-*"):
        owner = stale.name.removeprefix(_INDEX).rpartition("-")[0]
        pid = owner.partition("-")[0]
        if pid.isdecimal() and _owner(int(pid)) != owner:
            stale.unlink(missing_ok=True)


def _copy_index(index: Path, copy: Path) -> None:
    try:
        shutil.copy2(index, copy)
    except FileNotFoundError:
        raise
    except OSError as error:
        message = f"cannot copy `{index}`: {error.strerror}"
        raise MdtmuxError(message) from error


def snapshot(
    path: Path,
    ref: str,
    message: str,
    skip: Sequence[str] = (),
    exact: Sequence[str] | None = None,
) -> str:
    """Commit everything in the worktree that git does not ignore; return the sha.

    The commit's parents are HEAD and a commit of the index; branch, index and files
    stay as they are; a parent of the latter keeps what is in conflict. `ref` is made
    to point at it. What `skip` names is left out; `exact` names files, ignored ones
    too, of which the bytes are kept as they are, and the permissions in the message's
    last line.

    Raises:
        GitError: a file cannot be read; without `exact` such are left out.
    """
    with scratch_index(path) as index:
        inner = git.Using(timeout=_LIMIT, index=index)
        stages = _take_conflicts(path, inner)
        staged = git.run(path, "write-tree", using=inner).text
        strict = exact is not None
        flags = () if strict else ("--ignore-errors",)
        quiet = ("-c", "advice.addEmbeddedRepo=false")
        names = (".", *(f":(exclude,literal){name.rstrip('/')}" for name in skip))
        # Also what is outside of a sparse checkout.
        add = (*quiet, "add", "-A", "--sparse", *flags, "--", *names)
        git.run(path, *add, check=strict, using=inner)
        keep_bytes(path, exact or (), inner)
        files = git.run(path, "write-tree", using=inner).text
    parents = git.run(path, "rev-parse", "--verify", "-q", "HEAD", check=False).text
    above = ["-p", parents] if parents else []
    kept = ["-p", _commit(path, "conflicts", [], stages)] if stages else []
    index_commit = _commit(path, "index", [*above, *kept], staged)
    modes = modes_of(path, exact or ())
    sha = _commit(path, message, [*above, "-p", index_commit], files, modes)
    git.run(path, "update-ref", ref, sha, "")
    return sha


def _commit(
    path: Path, title: str, above: Sequence[str], tree: str, body: str = ""
) -> str:
    using = git.Using(timeout=_LIMIT, env=_IDENTITY)
    args = ("commit-tree", "-m", title, *(("-F", "-") if body else ()), *above, tree)
    return git.run(path, *args, stdin=body.encode(), using=using).text


def _take_conflicts(path: Path, using: git.Using) -> str | None:
    """Take what is in conflict out of the index; return a tree that keeps its blobs.

    An index in conflict makes no tree.
    """
    told = git.run(path, "ls-files", "-u", "-z", using=using).records()
    rows = [row.replace("\t", " ", 1).split(" ", 3) for row in told]
    if not rows:
        return None
    lines = [
        f"{mode} blob {sha}\t{number}\n"
        for number, (mode, sha, _, _) in enumerate(rows)
        if mode != _SUBMODULE
    ]
    tree = git.run(path, "mktree", stdin="".join(lines).encode()).text
    names = b"".join(os.fsencode(row[3]) + b"\0" for row in rows)
    args = ("update-index", "-z", "--force-remove", "--stdin")
    git.run(path, *args, stdin=names, using=using)
    return tree


# Folders without write permission (a module cache, a test's) stop `rm`. Only folders
# are changed: a file may be a hard link into somebody's store.
_DELETE = """\
while [ "$1" != / ]; do
    find "$1" -type d ! -perm -u+wx -exec chmod u+rwx {} + 2>/dev/null
    rm -rf -- "$1"
    shift
done
shift
[ $# = 0 ] || rmdir -- "$@" 2>/dev/null
"""


def _holds(folder: Path, mounts: Sequence[Path]) -> bool:
    top = os.path.realpath(folder)
    return any(mount.is_relative_to(top) for mount in mounts)


def delete_in_background(
    state: Path, folders: Sequence[Path], above: Sequence[Path] = ()
) -> None:
    """Delete the folders by one process of low priority that outlives this one.

    Then those of the folders `above`, the innermost first, that are empty. A folder in
    which something is mounted stays.
    """
    mounts = mounts_below(folders) if folders else []
    folders = [one for one in folders if not _holds(one, mounts)]
    if not folders:
        remove_empty(above)
        return
    log = private_dir(state / "logs") / "trash.log"
    argv = ["nice", "-n", "19", "sh", "-c", _DELETE, "sh", *map(str, folders)]
    argv += ["/", *map(str, above)]
    spawn_detached(argv, env=environment(), log=log)
