"""Commits that nothing leads to any more once a worktree is gone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mdtmux.system import git
from mdtmux.worktrees.named import named_in
from mdtmux.worktrees.record import Record
from mdtmux.worktrees.repository import HEADS, admin_dir, has_commit

# References that a worktree has for itself (gitrepository-layout(5)), and those that
# stay without it.
_OWN_REFS = ("refs/worktree", "refs/bisect", "refs/rewritten")
_STAYING = ("refs/heads", "refs/tags", "refs/remotes")


def only_here(
    where: Path, own: Sequence[str], detached: bool, record: Record | None
) -> tuple[list[str], bool]:
    """Return the commits of HEAD and the own branches that nothing else leads to.

    Each is a line for people. The second value tells whether some are on no branch.

    Raises:
        GitError: git cannot read them.
    """
    elsewhere = [f"--exclude={name}" for name in own] + [
        "--branches",
        "--tags",
        "--remotes",
    ]
    known = [record.base_sha] if record and has_commit(where, record.base_sha) else []
    if record and record.merged and _is_kept(where, record.merged):
        known.append(record.merged)
    tips = [HEADS + name for name in own if has_commit(where, HEADS + name)]
    heads = ["HEAD"] if detached else []
    heads += git.run(
        where, "for-each-ref", "--format=%(refname)", *_OWN_REFS
    ).text.split()
    if not tips and not heads:
        return [], False
    done = git.run(
        where, "log", "--format=%h %s", *heads, *tips, "--not", *elsewhere, *known
    )
    lines = done.text.splitlines()
    if not lines or not detached:
        return lines, False
    args = ("rev-list", "-1", "HEAD", "--not", *tips, *elsewhere, *known)
    return lines, bool(git.run(where, *args).text)


def only_logged(where: Path, head: str | None, record: Record | None) -> list[str]:
    """Return the commits to which only the worktree's own reflog leads, `head` aside.

    ORIG_HEAD and its like count as the log does. Branches stay, and so do their
    reflogs: they have what was amended or reset.

    Raises:
        GitError: git cannot read them.
        OSError: a file of the git folder cannot be read.
    """
    asked = git.run(where, "reflog", "show", "--format=%H", "HEAD", check=False)
    admin = admin_dir(where)
    names = (*asked.text.split(), *(named_in(admin) if admin else ()))
    known = {record.base_sha} if record else set()
    tips = [sha for sha in dict.fromkeys(names) if sha not in known]
    if not tips:
        return []
    refs = (*([head] if head else []), "--branches", "--tags", "--remotes")
    args = ("log", "--format=%H %h %s", "--ignore-missing", "--stdin")
    lines = "".join(f"{sha}\n" for sha in tips)
    done = git.run(where, *args, "--not", *refs, stdin=lines.encode())
    rows = [line.split(" ", 1) for line in done.text.splitlines()]
    if not rows:
        return []
    logs = git.run(where, "log", "-g", "--format=%H", "--branches", check=False)
    kept = set(logs.text.split())
    return [words for sha, words in rows if sha not in kept]


def _is_kept(where: Path, sha: str) -> bool:
    """Tell whether some ref that stays leads to the commit."""
    args = ("for-each-ref", "--count=1", "--contains", sha, *_STAYING)
    return bool(git.run(where, *args, check=False).text)
