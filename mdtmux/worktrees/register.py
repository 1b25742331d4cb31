"""Register many new worktrees at once, in the layout that git documents.

`git worktree add` takes two processes for each; an office of 64 waits a third of its
start for them. The files are those of gitrepository-layout(5), `worktrees/`; a test
compares them with what git itself writes. What is not plain is left to git: see
`_plain`. Afterwards git is asked whether it sees each as it was meant.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mdtmux.system import git
from mdtmux.worktrees.checkout import MARKER
from mdtmux.worktrees.plan import Action, Step
from mdtmux.worktrees.repository import BEING_MADE, HEADS, Repository, worktrees

# A folder name that git would take for the registration as it is.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
# Extensions that change nothing of what is written here.
_HARMLESS = frozenset(["extensions.objectformat", "extensions.partialclone"])
_NO = ("false", "no", "off", "0")
_MOST_NAMES = 1000


@dataclass(frozen=True, slots=True)
class _Registration:
    """What was written: the folder in the repository, and the worktree's own."""

    admin: Path
    path: Path
    branch: str


def register(repository: Repository, steps: Sequence[Step]) -> frozenset[str]:
    """Register the steps whose branch was just made; return the agents it was done for.

    Each has our marker of an unfinished worktree. The rest is to be registered by
    git: nothing of it was left behind. Call it with the repository's list of
    worktrees held. A kill in between leaves what git does not see, or a registration
    without its folder, which the next plan repairs.

    Raises:
        MdtmuxError: git cannot be asked.
    """
    fresh = [step for step in steps if step.action is Action.CREATE]
    if not fresh:
        return frozenset()
    settings = _settings(repository.common_dir)
    if not _plain(repository, settings):
        return frozenset()
    author = _author(repository, settings)
    if author is None:
        return frozenset()
    written: dict[str, _Registration] = {}
    for step in fresh:
        found = _write(repository, step, author)
        if found is not None:
            written[step.agent] = found
    seen = {row.path: row for row in worktrees(repository.common_dir)}
    good = set()
    for agent, one in written.items():
        row = seen.get(one.path)
        if row is not None and row.branch == one.branch and row.prunable is None:
            good.add(agent)
        else:
            _drop(one)
    return frozenset(good)


def sweep(common_dir: Path) -> None:
    """Unlock or remove what a killed mdtmux was registering.

    Call it with the repository's list of worktrees held: nobody registers now.
    """
    for lock in (common_dir / "worktrees").glob("*/locked"):
        with contextlib.suppress(OSError):
            if lock.read_text() != BEING_MADE:
                continue
            if (lock.parent / "gitdir").exists():
                lock.unlink()
            else:
                shutil.rmtree(lock.parent)


def _settings(common_dir: Path) -> Mapping[str, str]:
    args = ("config", "-z", "--get-regexp", r"^(core|extensions|worktree)\.")
    rows = git.run(common_dir, *args, check=False).records()
    pairs = (row.partition("\n") for row in rows)
    return {key: value for key, _, value in pairs}


def _plain(repository: Repository, settings: Mapping[str, str]) -> bool:
    """Tell whether git would write these files and no others.

    It would not with references in another format, with settings for each worktree
    or a sparse checkout, which it copies, with relative paths (git 2.48), and with
    the permissions of a shared repository.
    """
    folder = repository.common_dir
    special = ("reftable", "config.worktree", "info/sparse-checkout")
    if any((folder / name).exists() for name in special):
        return False
    if any(
        key.startswith(("extensions.", "worktree.")) and key not in _HARMLESS
        for key in settings
    ):
        return False
    return settings.get("core.sharedrepository", "umask") in ("umask", *_NO)


def _author(repository: Repository, settings: Mapping[str, str]) -> str | None:
    """Return who stands in the new HEAD's log, "" for no log, None when git must say."""
    # A worktree has a log by default, that of a bare repository too.
    if settings.get("core.logallrefupdates", "").lower() in _NO:
        return ""
    done = git.run(repository.common_dir, "var", "GIT_COMMITTER_IDENT", check=False)
    return done.text if done.code == 0 and "\n" not in done.text else None


def _write(repository: Repository, step: Step, author: str) -> _Registration | None:
    """Write one registration, or nothing."""
    if not _NAME.fullmatch(step.path.name):
        return None
    made = None
    try:
        step.path.mkdir(parents=True, exist_ok=True)
        if any(step.path.iterdir()):
            return None
        admin = _folder(repository.common_dir / "worktrees", step.path.name)
        made = _Registration(admin, step.path, step.branch)
        _fill(made, step.sha, author)
    except OSError:
        if made is not None:
            _drop(made)
        return None
    return made


def _folder(parent: Path, name: str) -> Path:
    """Make the registration's folder; another worktree of that name may have it."""
    parent.mkdir(exist_ok=True)
    for number in range(_MOST_NAMES):
        path = parent / (f"{name}{number}" if number else name)
        with contextlib.suppress(FileExistsError):
            path.mkdir()
            return path
    message = f"too many worktrees are named `{name}`"
    raise OSError(message)


def _fill(made: _Registration, sha: str, author: str) -> None:
    """Write the files in an order in which git never sees a half-made worktree.

    Git passes over a folder without `gitdir`, and `worktree prune` over a locked one.

    Raises:
        OSError: a file cannot be written.
    """
    admin, link = made.admin, made.path / ".git"
    (admin / "locked").write_bytes(BEING_MADE.encode())
    (admin / MARKER).touch(mode=0o600)
    (admin / "commondir").write_bytes(b"../..\n")
    (admin / "HEAD").write_bytes(os.fsencode(f"ref: {HEADS}{made.branch}\n"))
    if author:
        (admin / "logs").mkdir()
        row = f"{'0' * len(sha)} {sha} {author}\n"
        (admin / "logs/HEAD").write_bytes(os.fsencode(row))
    (admin / "gitdir").write_bytes(os.fsencode(link) + b"\n")
    with link.open("xb") as file:
        file.write(b"gitdir: " + os.fsencode(admin) + b"\n")
    (admin / "locked").unlink()


def _drop(made: _Registration) -> None:
    """Remove the files that were written; the worktree's folder may be somebody's."""
    link = made.path / ".git"
    with contextlib.suppress(OSError):
        if link.read_bytes() == b"gitdir: " + os.fsencode(made.admin) + b"\n":
            link.unlink()
    shutil.rmtree(made.admin, ignore_errors=True)
