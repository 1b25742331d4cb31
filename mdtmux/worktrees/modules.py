"""Repositories inside a worktree: submodules, nested ones, and what git keeps of them.

They go with the worktree, or with its git folder, and so do their own tags, stashes
and logs: nothing of theirs proves that a commit is elsewhere but their remotes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mdtmux.system import git
from mdtmux.worktrees.repository import admin_dir, has_commit
from mdtmux.worktrees.unseen import walk


def links(path: Path) -> list[str]:
    """Return the places in the index where another repository belongs."""
    rows = git.run(path, "ls-files", "-s", "-z").records()
    return [row.split("\t", 1)[1] for row in rows if row.startswith("160000 ")]


def empty(path: Path) -> list[str]:
    """Return the submodules of a worktree that are not checked out."""
    if not (path / ".gitmodules").exists():
        return []
    return [name for name in links(path) if not (path / name / ".git").exists()]


def has_repositories(path: Path) -> bool:
    """Tell whether the worktree or its git folder has to do with other repositories."""
    admin = admin_dir(path)
    kept = admin is not None and (admin / "modules").is_dir()
    return kept or bool(links(path))


def own_work(
    path: Path, base: str | None, changed: Callable[[Path], bool]
) -> list[str]:
    """Return the inner repositories that hold something of their own.

    `base` is the commit of the worktree that others have: what it names of a
    submodule is published. `changed` tells whether files differ in a checkout.
    """
    found = []
    for name in links(path):
        module = path / name
        if not (module / ".git").exists():
            # Git looks at nothing in the place of one that is not checked out.
            busy = module.is_dir() and any(module.iterdir())
        else:
            busy = (
                _commits(module, _published(path, base, name))
                or changed(module)
                or bool(own_work(module, None, changed))
            )
        if busy:
            found.append(name)
    return [*found, *_kept(path, base)]


def _kept(path: Path, base: str | None) -> list[str]:
    """Return the same of repositories that are not checked out any more."""
    admin = admin_dir(path)
    if admin is None:
        return []
    root = admin / "modules"
    seen = {admin_dir(path / name) for name in links(path)}
    # A name may have slashes; a repository's own modules lie inside it.
    if not root.is_dir():
        return []
    heads = [folder for folder, _, files in walk(root) if "HEAD" in files]
    folders = [one for one in heads if one not in seen and _is_repository(one)]
    names = {one: str(one.relative_to(root)) for one in folders}
    return [
        f"modules/{name}"
        for folder, name in names.items()
        if _commits(folder, _published(path, base, name))
    ]


def _is_repository(folder: Path) -> bool:
    return (folder / "objects").is_dir() and (folder / "refs").is_dir()


def _published(path: Path, base: str | None, name: str) -> str | None:
    if base is None:
        return None
    args = ("rev-parse", "--verify", "-q", f"{base}:{name}")
    return git.run(path, *args, check=False).text or None


def _commits(where: Path, published: str | None) -> bool:
    """Tell whether it has a commit that no remote of it has; unreadable counts."""
    known = [published] if published and has_commit(where, published) else []
    args = ("rev-list", "-1", "--all", "--reflog", "--not", "--remotes", *known)
    heads = ["HEAD"] if has_commit(where, "HEAD") else []
    done = git.run(where, *args[:2], *heads, *args[2:], check=False)
    return done.code != 0 or bool(done.text)
