"""Keep what only a removed worktree's git folder names from being collected."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from mdtmux.errors import GitError
from mdtmux.system import git
from mdtmux.worktrees.named import named_in
from mdtmux.worktrees.repository import operation

_USING = git.Using(timeout=1800.0)
_TREE, _BLOB, _COMMIT, _TAG = "tree", "blob", "commit", "tag"


def anchor(common: Path, admin: Path, ref: str) -> None:
    """Make references beside `ref` that lead to every object of that git folder.

    Those are the objects that its files, logs and references name, and the files in
    its index that its HEAD does not have.

    Raises:
        GitError: the folder cannot be read, or the repository not be written.
    """
    names = {*_named(admin), *_told_by_git(admin), *_indexed(admin)}
    kinds = _kinds(common, names)
    tags = [sha for sha, kind in kinds.items() if kind == _TAG]
    tips = [_commit(common, kinds), *tags] if kinds else []
    lines = (f"create {_beside(ref)}{n} {sha}\n" for n, sha in enumerate(tips))
    git.run(common, "update-ref", "--stdin", stdin="".join(lines).encode())


def only_in(common: Path, admin: Path) -> str:
    """Say what would go with a git folder whose worktree is not there; "" for nothing.

    Raises:
        GitError: the folder cannot be read.
    """
    doing = operation(admin)
    if doing is not None:
        return f"an unfinished {doing}"
    if _kinds(common, _indexed(admin)):
        return "staged files that are in no commit"
    names = {*_named(admin), *_told_by_git(admin)}
    tips = [sha for sha, kind in _kinds(common, names).items() if kind == _COMMIT]
    args = ("rev-list", "--stdin", "--not", "--branches", "--tags", "--remotes")
    lines = "".join(f"{sha}\n" for sha in tips).encode()
    found = set(git.run(common, *args, stdin=lines, using=_USING).text.split())
    if found:
        # Branches stay, and so do their logs.
        logs = git.run(common, "log", "-g", "--format=%H", "--branches", check=False)
        found -= set(logs.text.split())
    return "commits that no branch has" if found else ""


def _named(admin: Path) -> tuple[str, ...]:
    try:
        return named_in(admin)
    except OSError as error:
        message = f"cannot read `{error.filename}`: {error.strerror}"
        raise GitError(message) from error


def release(common: Path, ref: str) -> None:
    """Remove the references that `anchor` made beside that one."""
    form = "--format=delete %(refname)"
    listed = git.run(common, "for-each-ref", form, _beside(ref), check=False)
    if listed.text:
        git.run(common, "update-ref", "--stdin", stdin=listed.out, check=False)


def _beside(ref: str) -> str:
    return f"{ref}.kept/"


def _of(admin: Path, *args: str) -> git.Completed:
    # Named, since git would search upwards from a broken one.
    return git.run(admin, f"--git-dir={admin}", *args, check=False, using=_USING)


def _told_by_git(admin: Path) -> list[str]:
    """Return what is in no plain file when the repository has another ref format."""
    own = ("refs/worktree", "refs/bisect", "refs/rewritten")
    refs = _of(admin, "for-each-ref", "--format=%(objectname)", *own)
    logs = _of(admin, "reflog", "show", "--format=%H", "HEAD")
    return [*refs.text.split(), *logs.text.split()]


def _indexed(admin: Path) -> set[str]:
    """Return the blobs of the index, all sides of a conflict, that HEAD lacks."""
    listed = (
        *_of(admin, "ls-files", "-s", "-z").records(),
        *_of(admin, "ls-files", "--resolve-undo", "-z").records(),
    )
    known = _of(admin, "ls-tree", "-rz", "HEAD").records()
    # MODE SHA STAGE, and MODE TYPE SHA; the path follows a tab.
    rows = (row.partition("\t")[0].split(" ") for row in listed)
    blobs = {row[1] for row in rows if row[0] != "160000"}
    return blobs - {row.partition("\t")[0].split(" ")[2] for row in known}


def _kinds(common: Path, shas: Iterable[str]) -> dict[str, str]:
    """Return the type of each of these objects that exists."""
    lines = "".join(f"{sha}\n" for sha in sorted(shas))
    form = "--batch-check=%(objectname) %(objecttype)"
    done = git.run(common, "cat-file", form, stdin=lines.encode(), using=_USING)
    rows = (line.split(" ") for line in done.text.splitlines())
    return {sha: kind for sha, kind in rows if kind in (_TREE, _BLOB, _COMMIT, _TAG)}


def _commit(common: Path, kinds: Mapping[str, str]) -> str:
    """Write one commit that leads to all but the tags: as its parents, and in its tree."""
    modes = {_BLOB: "100644 blob", _TREE: "040000 tree"}
    rows = [
        f"{modes[kind]} {sha}\t{sha}\n" for sha, kind in kinds.items() if kind in modes
    ]
    made = git.run(common, "mktree", stdin="".join(rows).encode(), using=_USING)
    parents = [f"parent {sha}" for sha, kind in kinds.items() if kind == _COMMIT]
    who = f"mdtmux <mdtmux@localhost> {int(time.time())} +0000"
    head = [f"tree {made.text}", *parents, f"author {who}", f"committer {who}"]
    text = "\n".join((*head, "", "mdtmux: what a removed worktree named", ""))
    # By hand, since a long log has more commits than arguments may be long.
    args = ("hash-object", "-t", "commit", "-w", "--stdin")
    return git.run(common, *args, stdin=text.encode(), using=_USING).text
