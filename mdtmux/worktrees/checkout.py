"""Fill a registered worktree with its files, so that a kill at any moment is mended.

A marker file in the worktree's git folder says that mdtmux has not finished it, and
that nobody has worked in it. It is also a lease that the git at work inherits: while
a git of a killed mdtmux still writes, nobody else begins.
"""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path

from mdtmux.errors import GitError, MdtmuxError
from mdtmux.system import git
from mdtmux.system.files import text_of
from mdtmux.system.git_lease import lease
from mdtmux.worktrees.halfmade import changed_files, in_the_way
from mdtmux.worktrees.naming import some
from mdtmux.worktrees.repository import HEADS, admin_dir

MARKER = "mdtmux-unfinished"
# A cold disk and a big repository take minutes; a hook may build.
_CHECKOUT_LIMIT = 1800.0
_LEASE_WAIT = 60.0
_HOOK = "post-checkout"


@dataclass(frozen=True, slots=True)
class Hook:
    """Where a post-checkout hook may lie: `core.hooksPath`, or git's own folder."""

    folder: str

    def exists(self, worktree: Path) -> bool:
        """Tell whether git would run a hook after a checkout in that worktree."""
        return os.access(self.file(worktree), os.X_OK)

    def file(self, worktree: Path) -> Path:
        """Return the hook's path, whether it exists or not."""
        # A relative core.hooksPath counts from the worktree (husky uses one).
        return worktree / self.folder / _HOOK


def hooks_of(common_dir: Path) -> Hook:
    """Return where the repository's hooks lie."""
    args = ("config", "--type=path", "--get", "core.hooksPath")
    asked = git.run(common_dir, *args, check=False).text
    return Hook(asked or str(common_dir / "hooks"))


def unfinished(path: Path) -> bool:
    """Tell whether the worktree is half made by mdtmux, with nobody's work in it.

    True with our marker, or when it was registered but never filled: no index, and
    no file but git's own.
    """
    admin = admin_dir(path)
    if admin is None or not admin.is_dir():
        return False
    if (admin / MARKER).exists():
        return True
    if (admin / "index").exists():
        return False
    with os.scandir(path) as entries:
        return all(entry.name == ".git" for entry in entries)


def mark_unfinished(path: Path) -> None:
    """Leave the marker in a worktree that was just registered.

    Raises:
        MdtmuxError: the worktree has no git folder, or it cannot be written.
    """
    admin = _admin(path)
    try:
        (admin / MARKER).touch(mode=0o600)
    except OSError as error:
        message = f"cannot write `{admin / MARKER}`: {error.strerror}"
        raise MdtmuxError(message) from error


def finish(path: Path, branch: str, hook: Hook) -> tuple[str, ...]:
    """Fill the worktree, run the hook as git would, and return notes for people.

    A hook that fails is a note when the worktree is right all the same: on its
    branch, and every file as committed (field case C54).

    Raises:
        GitError: git could not fill it, or the hook left it wrong.
        Busy: a git of an earlier mdtmux still works in it.
    """
    admin = _admin(path)
    notes = []
    with lease(admin / MARKER, wait=_LEASE_WAIT) as descriptor:
        # With the lease in hand and our marker there, no git of ours lives.
        (admin / "index.lock").unlink(missing_ok=True)
        # The index comes last: with it the files stood, and somebody may have worked
        # on them since, while a hook ran, or after a kill.
        if (admin / "index").exists():
            notes += _kept(path)
        else:
            _check_untouched(path)
            using = git.Using(timeout=_CHECKOUT_LIMIT, descriptors=(descriptor,))
            # Not `checkout` or `reset`: those read every other worktree, of which one
            # may be half registered, and write HEAD; this one writes files and index.
            git.run(path, "read-tree", "--reset", "-u", "HEAD", using=using)
        if hook.exists(path):
            notes += _run_hook(path, branch, hook)
        (admin / MARKER).unlink()
    return tuple(notes)


def _check_untouched(path: Path) -> None:
    """Refuse to fill a worktree in which somebody has worked since a kill."""
    with os.scandir(path) as entries:
        if all(one.name == ".git" for one in entries):
            return
    hit = (*changed_files(path), *in_the_way(path))
    if hit:
        message = f"{some(hit)} was changed there before the worktree was finished"
        raise GitError(message, hint="move it away, then run `up` again")


def _kept(path: Path) -> list[str]:
    """Tell of files that are not as committed, and stay so."""
    args = ("--porcelain=v1", "-z", "--untracked-files=no", "--ignore-submodules=all")
    rows = git.run(path, "status", *args, "--no-renames").records()
    return [f"kept as it was found there: `{row[3:]}`" for row in rows[:3]]


def _admin(path: Path) -> Path:
    admin = admin_dir(path)
    if admin is None:
        message = f"`{path}` is not a worktree"
        raise MdtmuxError(message)
    return admin


def _run_hook(path: Path, branch: str, hook: Hook) -> list[str]:
    sha = git.run(path, "rev-parse", "HEAD").text
    # Git calls it after `worktree add` with no commit before, and 1 for a branch.
    given = ("0" * len(sha), sha, "1")
    args: tuple[str, ...] = ("hook", "run", "--ignore-missing", _HOOK, "--", *given)
    if git.version(path) < (2, 36):  # `git hook` is newer: an alias runs it likewise
        alias = f"alias.mdtmux-hook=!exec {shlex.quote(str(hook.file(path)))}"
        args = ("-c", alias, "mdtmux-hook", *given)
    using = git.Using(timeout=_CHECKOUT_LIMIT, hooks=True)
    done = git.run(path, *args, check=False, using=using)
    if done.code == 0:
        return []
    said = (done.err.strip() or done.text.strip()).splitlines()[-1:]
    told = f"the hook {_HOOK} failed with exit code {done.code}"
    told += f": {said[0]}" if said else ""
    if not is_pristine(path, branch):
        message = f"{told}; it left `{path}` changed"
        raise GitError(message, hint="run the hook there by hand to see more")
    return [told]


def is_pristine(path: Path, branch: str) -> bool:
    """Tell whether the worktree is on the branch with every tracked file as committed."""
    args = ("--porcelain=v2", "--branch", "-z", "--untracked-files=no")
    done = git.run(path, "status", *args, "--ignore-submodules=all", check=False)
    rows = done.records()
    head = next((row for row in rows if row.startswith("# branch.head ")), "")
    entries = [row for row in rows if not row.startswith("#")]
    return done.code == 0 and head.split(" ", 2)[-1] == branch and not entries


def fault_of(common_dir: Path, path: Path, branch: str) -> str | None:
    """Say why the folder is not that branch's worktree of the repository, else None.

    For the moment before an agent is started there: reads two files, starts no git.
    """
    if not path.is_dir():
        return f"the folder `{path}` does not exist"
    admin = admin_dir(path)
    if admin is None or admin.parent != common_dir / "worktrees" or not admin.is_dir():
        return f"`{path}` is not a worktree of `{common_dir}`"
    if (admin / MARKER).exists():
        return f"the worktree `{path}` is not finished"
    try:
        head = text_of(admin / "HEAD").strip()
    except OSError as error:
        return f"the worktree `{path}` has no HEAD: {error.strerror}"
    on = head.removeprefix("ref: ").removeprefix(HEADS)
    # With the reftable format, the file names no branch.
    if head.startswith("ref: ") and on not in (
        branch,
        "refs/heads/.invalid",
        ".invalid",
    ):
        return f"the worktree `{path}` is on branch `{on}`, not on `{branch}`"
    return None
