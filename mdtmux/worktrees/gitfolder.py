"""The folder that git keeps for each worktree: what only it has goes with nobody."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from pathlib import Path

from mdtmux.errors import MdtmuxError
from mdtmux.system import git
from mdtmux.worktrees import trash
from mdtmux.worktrees.repository import admin_dir
from mdtmux.worktrees.trash import UndoRecord

_MOST_NAMES = 1000
# What `git config --worktree` and `git sparse-checkout` write for one worktree.
_SETTINGS = ("config.worktree", "info/sparse-checkout")


def new(common: Path, name: str) -> Path:
    """Make an empty git folder for a worktree; another one of that name may be there.

    Raises:
        OSError: it cannot be made.
    """
    parent = common / "worktrees"
    parent.mkdir(exist_ok=True)
    for number in range(_MOST_NAMES):
        path = parent / (f"{name}{number}" if number else name)
        with contextlib.suppress(FileExistsError):
            path.mkdir()
            return path
    message = f"too many worktrees are named `{name}`"
    raise OSError(message)


def of_missing(common: Path, path: Path) -> Path | None:
    """Return the git folder of the worktree that git knows at a path without a folder."""
    for admin in (common / "worktrees").glob("*"):
        with contextlib.suppress(OSError):
            text = os.fsdecode((admin / "gitdir").read_bytes().rstrip(b"\n"))
            if (admin / text).parent == path:
                return admin
    return None


def copy_aside(undo: UndoRecord, state: Path, admin: Path) -> Path:
    """Copy a worktree's git folder to where undo finds it.

    Raises:
        MdtmuxError: it cannot be copied; nothing is left of the copy.
    """
    copy = trash.folder(state) / f"{undo.id}.git"
    try:
        shutil.copytree(admin, copy, symlinks=True, ignore=_specials)
    except (OSError, shutil.Error) as error:
        shutil.rmtree(copy, ignore_errors=True)
        message = f"the git folder `{admin}` cannot be saved: {error}"
        raise MdtmuxError(message) from error
    return copy


def _specials(folder: str, names: list[str]) -> list[str]:
    """Return sockets and the like: a file system monitor's cannot be copied, nor used."""
    modes = {name: (Path(folder) / name).lstat().st_mode for name in names}
    known = (stat.S_ISREG, stat.S_ISDIR, stat.S_ISLNK)
    return [name for name, mode in modes.items() if not any(is_(mode) for is_ in known)]


def keep_settings(undo: UndoRecord, state: Path, path: Path) -> Path | None:
    """Copy the settings that the worktree at `path` has for itself to where undo finds them.

    Returns None when there are none.

    Raises:
        MdtmuxError: they cannot be copied; nothing is left of the copy.
    """
    admin = admin_dir(path)
    own = [name for name in _SETTINGS if admin and (admin / name).exists()]
    if admin is None or not own:
        return None
    copy = trash.folder(state) / f"{undo.id}.git"
    try:
        for name in own:
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(admin / name, copy / name)
    except OSError as error:
        shutil.rmtree(copy, ignore_errors=True)
        message = f"the settings in `{admin}` cannot be saved: {error.strerror}"
        raise MdtmuxError(message) from error
    return copy


def put_settings(saved: Path, path: Path) -> list[str]:
    """Give a worktree, made anew, the settings that were saved; return notes for people.

    Raises:
        MdtmuxError: they cannot be written; what was saved stays.
    """
    admin = admin_dir(path)
    assert admin is not None, "just made"
    try:
        shutil.copytree(saved, admin, dirs_exist_ok=True)
    except (OSError, shutil.Error) as error:
        message = f"the git settings of `{path}` cannot be put back: {error}"
        raise MdtmuxError(message, hint=f"they are in `{saved}`") from error
    asked = ("config", "--type=bool", "--get", "core.sparseCheckout")
    if git.run(path, *asked, check=False).text != "true":
        return []
    using = git.Using(timeout=1800.0)
    done = git.run(path, "sparse-checkout", "reapply", check=False, using=using)
    return [git.failure(("sparse-checkout",), done).message] if done.code else []


def unregister(common: Path, path: Path, *, locked: bool = False) -> None:
    """Make git forget one worktree whose folder is gone; others are not touched."""
    if locked:
        git.run(common, "worktree", "unlock", str(path), check=False)
    args = ("worktree", "remove", str(path))
    done = git.run(common, *args, check=False)
    known = "is not a working tree" not in done.err
    if done.code and known:
        raise git.failure(args, done)


def move_into(common: Path, aside: Path) -> bool:
    """Move the git folder of a worktree into the worktree, moved aside itself.

    Git forgets the worktree by that, as by `worktree remove`, which takes a process
    each. Returns False when the two are on different file systems.
    """
    admin = admin_dir(aside)
    if admin is None or admin.parent != common / "worktrees":
        return False
    try:
        admin.rename(aside / trash.ADMIN)
    except OSError:
        return False
    with contextlib.suppress(OSError):
        admin.parent.rmdir()
    return True
