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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mdtmux.errors import MdtmuxError
from mdtmux.system import git
from mdtmux.worktrees import gitfolder
from mdtmux.worktrees.checkout import MARKER
from mdtmux.worktrees.plan import Action, Step
from mdtmux.worktrees.repository import (
    BEING_MADE,
    HEADS,
    Repository,
    is_void,
    worktrees,
)

# A folder name that git would take for the registration as it is.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
# Extensions that change nothing of what is written here.
_HARMLESS = frozenset(
    ["extensions.objectformat", "extensions.partialclone", "worktree.guessremote"]
)
_NO = ("false", "no", "off", "0")


@dataclass(frozen=True, slots=True)
class _Registration:
    """What was written: the folder in the repository, and the worktree's own.

    `fresh` tells that there was no folder at the path before.
    """

    admin: Path
    path: Path
    branch: str
    fresh: bool


def register(repository: Repository, steps: Sequence[Step]) -> frozenset[str]:
    """Register the steps whose branch was just made; return the agents it was done for.

    Each has our marker of an unfinished worktree. The rest is to be registered by
    git: nothing of it was left behind. Call it with the repository's list of
    worktrees held. A kill in between leaves what git does not see, or a registration
    without its folder, which the next plan repairs.
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
    good = _seen(repository, written.values())
    for one in written.values():
        if one.path not in good:
            _drop(one)
    return frozenset(agent for agent, one in written.items() if one.path in good)


def _seen(repository: Repository, made: Iterable[_Registration]) -> set[Path]:
    """Return the paths of those that git lists as they were meant."""
    try:
        rows = {row.path: row for row in worktrees(repository.common_dir)}
    except MdtmuxError:
        return set()
    good = set()
    for one in made:
        row = rows.get(one.path)
        if row is not None and row.branch == one.branch and row.prunable is None:
            good.add(one.path)
    return good


def sweep(common_dir: Path) -> None:
    """Unlock what a killed mdtmux had registered, and remove what it had only begun.

    Call it with the repository's list of worktrees held: nobody registers now.
    """
    for marker in (common_dir / "worktrees").glob(f"*/{MARKER}"):
        with contextlib.suppress(OSError):
            _finish_or_remove(marker.parent)


def _finish_or_remove(admin: Path) -> None:
    gitdir = (admin / "gitdir").read_bytes() if (admin / "gitdir").exists() else b""
    lock = admin / "locked"
    if not gitdir:
        shutil.rmtree(admin)
    elif lock.exists() and lock.read_bytes() == BEING_MADE.encode():
        link = Path(os.fsdecode(gitdir.removesuffix(b"\n")))
        if _leads_to(link, admin):
            lock.unlink()
        else:
            _drop(_Registration(admin, link.parent, "", fresh=True))


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
    fresh, made = not step.path.exists(), None
    try:
        step.path.mkdir(parents=True, exist_ok=True)
        if any(step.path.iterdir()):
            return None
        admin = gitfolder.new(repository.common_dir, step.path.name)
        made = _Registration(admin, step.path, step.branch, fresh)
        _fill(made, step.sha, author)
    except OSError:
        if made is not None:
            _drop(made)
        elif fresh:
            with contextlib.suppress(OSError):
                step.path.rmdir()
        return None
    return made


def _fill(made: _Registration, sha: str, author: str) -> None:
    """Write the files in an order in which git never sees a half-made worktree.

    Git passes over a folder without `gitdir`, and `worktree prune` over a locked one.
    The marker comes first: what a kill leaves behind is ours to clean up.

    Raises:
        OSError: a file cannot be written.
    """
    admin, link = made.admin, made.path / ".git"
    (admin / MARKER).touch(mode=0o600)
    (admin / "locked").write_bytes(BEING_MADE.encode())
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
        if _leads_to(link, made.admin) or is_void(link):
            link.unlink()
        if made.fresh:
            made.path.rmdir()
    shutil.rmtree(made.admin, ignore_errors=True)


def _leads_to(link: Path, admin: Path) -> bool:
    try:
        return link.read_bytes() == b"gitdir: " + os.fsencode(admin) + b"\n"
    except OSError:
        return False
