"""Which repository a folder belongs to, seen the same from wherever one stands."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, replace
from pathlib import Path

from mdtmux.errors import MdtmuxError
from mdtmux.system import git
from mdtmux.system.files import text_of

HEADS = "refs/heads/"
# Files and folders of a git directory that tell what has not been finished there.
_OPERATIONS = (
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisect"),
    ("sequencer", "cherry-pick"),
)
# Why a worktree is locked while mdtmux registers it, so that `prune` leaves it alone.
BEING_MADE = "being made by mdtmux"
_HOLDERS = ("rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START")


class NoRepository(MdtmuxError):
    """A folder is not there, or in no repository."""


@dataclass(frozen=True, slots=True)
class Worktree:
    """One checkout that git has registered; `branch` is the short name.

    `locked` and `prunable` carry git's reason ("" when it gives none), None when the
    worktree is not. `sha` is None before the first commit and in a bare repository.
    """

    path: Path
    sha: str | None
    branch: str | None
    bare: bool = False
    locked: str | None = None
    prunable: str | None = None


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository as its main checkout sees it, whatever folder was asked about.

    `top` is the main checkout's folder, or the repository's own when it is bare;
    `name` is what `{repo}` stands for; `here` is the checkout that was asked about.
    `worktrees` has every registered checkout, the main one first. `operation` is
    what is unfinished in the main checkout (`rebase`, `merge`, …).
    """

    top: Path
    common_dir: Path
    is_bare: bool
    head_branch: str | None
    head_sha: str | None
    here: Path
    worktrees: tuple[Worktree, ...]
    operation: str | None = None

    @property
    def name(self) -> str:
        """The name for paths: the folder's, for `x.git` and `x/.git` it is `x`."""
        folder = self.top
        if self.is_bare and folder.name in (".git", ".bare"):
            folder = folder.parent
        return folder.name.removesuffix(".git") if self.is_bare else folder.name

    def at(self, path: Path) -> Worktree | None:
        """Return the registered checkout at that path, if there is one."""
        return next((row for row in self.worktrees if _same(row.path, path)), None)

    def holders(self) -> dict[str, Worktree]:
        """Return the checkout that has each branch, also while it rebases or bisects."""
        found: dict[str, Worktree] = {}
        for row in self.worktrees:
            branch = branch_of(self, row)
            if branch is not None:
                found.setdefault(branch, row)
        return found


def _same(one: Path, other: Path) -> bool:
    if one == other:
        return True
    try:
        # Case and Unicode form are the file system's to judge.
        return one.name.casefold() == other.name.casefold() and one.samefile(other)
    except OSError:
        return False


def inspect(path: Path) -> Repository:
    """Return the repository that the folder belongs to, read with two git calls.

    A linked worktree, a subfolder, a symbolic link, a submodule and a bare
    repository all lead to the right one.

    Raises:
        NoRepository: no such folder, or no repository.
        MdtmuxError: it is owned by somebody else, or its main checkout cannot be found.
    """
    if not path.is_dir():
        message = f"there is no folder `{path}`"
        raise NoRepository(message, hint="`repo:` in the office file says where it is")
    git_dir, common, is_bare, top = _locate(path)
    rows = worktrees(path)
    if git_dir != common:
        is_bare = rows[0].bare
        top = common if is_bare else _main_top(common, rows[0].path)
    elif top is None and not is_bare:
        top = _main_top(common, rows[0].path)
    main = common if is_bare or top is None else top
    head = _bare_head(common) if is_bare else (rows[0].branch, rows[0].sha)
    return Repository(
        top=main,
        common_dir=common,
        is_bare=is_bare,
        head_branch=head[0],
        head_sha=head[1],
        here=_here(path, main, git_dir == common, rows),
        worktrees=(replace(rows[0], path=main), *rows[1:]),
        operation=operation(common),
    )


def _locate(path: Path) -> tuple[Path, Path, bool, Path | None]:
    """Return the git folder, the common one, whether it is bare, and the top folder."""
    asked = "--git-dir --git-common-dir --is-bare-repository --show-toplevel"
    done = git.run(path, "rev-parse", *asked.split(), check=False)
    lines = done.text.split("\n")
    # The top folder stands last: in a bare repository git fails only there.
    if len(lines) < 3 or lines[2] not in ("true", "false"):
        raise _no_repository(path, done)
    start = path.resolve()
    git_dir, common = ((start / line).resolve() for line in lines[:2])
    top = Path(lines[3]) if len(lines) == 4 and done.code == 0 else None
    return git_dir, common, lines[2] == "true", top


def _no_repository(path: Path, done: git.Completed) -> MdtmuxError:
    error = git.failure(("rev-parse",), done)
    if error.hint:
        return MdtmuxError(f"`{path}`: {error.message}", hint=error.hint)
    if "not a git repository" not in done.err:
        return MdtmuxError(f"cannot read the repository at `{path}`: {error.message}")
    hint = "run `git init` and make a commit there, or let `repo:` name a repository"
    return NoRepository(f"`{path}` is not in a git repository", hint=hint)


def _main_top(common: Path, listed: Path) -> Path:
    """Return the main checkout's folder, seen from elsewhere.

    `worktree list` names it as the common folder without `/.git`, which is wrong for
    a submodule and with --separate-git-dir; there, git itself must know.
    """
    if common.name == ".git" and listed.is_dir() and listed != common:
        return listed
    done = git.run(common, "rev-parse", "--show-toplevel", check=False)
    if done.code == 0 and done.text:
        return Path(done.text)
    message = f"cannot tell where the main checkout of `{common}` is"
    raise MdtmuxError(message, hint="let `repo:` in the office file name it")


def _here(path: Path, main: Path, is_main: bool, rows: tuple[Worktree, ...]) -> Path:
    if is_main:
        return main
    place = path.resolve()
    inside = [row.path for row in rows[1:] if place.is_relative_to(row.path)]
    return max(inside, key=lambda one: len(one.parts), default=main)


def _bare_head(common: Path) -> tuple[str | None, str | None]:
    branch = git.run(common, "symbolic-ref", "--short", "-q", "HEAD", check=False)
    sha = git.run(common, "rev-parse", "--verify", "-q", "HEAD^{commit}", check=False)
    return branch.text or None, sha.text or None


def worktrees(where: Path) -> tuple[Worktree, ...]:
    """Return every registered checkout, the main one first.

    Raises:
        GitError: git cannot list them.
    """
    args = ("worktree", "list", "--porcelain")
    done = git.run(where, *args, "-z", check=False)
    end = "\0"
    if done.code == 129:  # git before 2.36 does not know -z
        done, end = git.run(where, *args, check=False), "\n"
    if done.code:
        raise git.failure(args, done)
    blocks = os.fsdecode(done.out).split(end * 2)
    return tuple(_row(block.split(end)) for block in blocks if block.strip(end))


def _row(lines: list[str]) -> Worktree:
    told = {key: rest for key, _, rest in (line.partition(" ") for line in lines)}
    sha = told.get("HEAD", "")
    branch = told.get("branch")
    return Worktree(
        path=Path(told["worktree"]),
        sha=sha if sha.strip("0") else None,
        branch=branch.removeprefix(HEADS) if branch else None,
        bare="bare" in told,
        locked=None if told.get("locked") == BEING_MADE else told.get("locked"),
        prunable=told.get("prunable"),
    )


def has_commit(where: Path, name: str) -> bool:
    """Tell whether the name leads to a commit there."""
    args = ("rev-parse", "--verify", "-q", f"{name}^{{commit}}")
    return git.run(where, *args, check=False).code == 0


def operation(git_dir: Path) -> str | None:
    """Name what is unfinished in the checkout of that git folder, None if nothing."""
    for name, what in _OPERATIONS:
        if (git_dir / name).exists():
            return what
    return None


def admin_dir(path: Path) -> Path | None:
    """Return the git folder of the linked worktree at `path`, None when it is none."""
    try:
        text = (path / ".git").read_bytes()
    except OSError:
        return None
    if not text.startswith(b"gitdir: "):
        return None
    # Relative since git 2.48 when worktree.useRelativePaths is set.
    return (path / os.fsdecode(text[len(b"gitdir: ") :].rstrip(b"\n"))).resolve()


def is_void(link: Path) -> bool:
    """Tell whether that `.git` is an empty file: a kill came before it was written."""
    try:
        return stat.S_ISREG(link.lstat().st_mode) and link.lstat().st_size == 0
    except OSError:
        return False


def branch_of(repository: Repository, row: Worktree) -> str | None:
    """Return the branch a checkout is on, or will come back to; None when detached."""
    if row.branch is not None or row.bare:
        return row.branch
    main = row.path == repository.top
    folder = repository.common_dir if main else admin_dir(row.path)
    for name in _HOLDERS if folder else ():
        try:
            text = text_of((folder or Path()) / name).strip()
        except OSError:
            continue
        return text.removeprefix(HEADS)
    return None
