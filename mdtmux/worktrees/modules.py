"""Repositories inside a worktree: submodules, nested ones, and what git keeps of them.

They go with the worktree, or with its git folder, and so do their own tags, stashes
and logs: nothing of theirs proves that a commit is elsewhere but their remotes. Those
say nothing of tags with a note; the copy that the main checkout has of it does.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mdtmux.system import git
from mdtmux.worktrees.named import named_in
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
    path: Path,
    base: str | None,
    changed: Callable[[Path], bool],
    home: Path | None = None,
) -> list[str]:
    """Return the inner repositories that hold something of their own.

    `base` is the commit of the worktree that others have: what it names of a
    submodule is published. `changed` tells whether files differ in a checkout; `home`
    is the git folder of the worktree that it all goes with, by default that at `path`.

    Raises:
        GitError: git cannot read one of them.
        OSError: a folder or a file cannot be read.
    """
    found = []
    home = home or admin_dir(path)
    for name in links(path):
        module = path / name
        if not (module / ".git").exists():
            # Git looks at nothing in the place of one that is not checked out.
            busy = module.is_dir() and any(module.iterdir())
        else:
            busy = (
                _commits(module, _published(path, base, name))
                or _notes(module, home)
                or changed(module)
                or bool(own_work(module, None, changed, home))
            )
        if busy:
            found.append(name)
    return [*found, *_kept(path, base, home)]


def _kept(path: Path, base: str | None, home: Path | None) -> list[str]:
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
        if _commits(folder, _published(path, base, name)) or _notes(folder, home)
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
    heads = ["HEAD"] if has_commit(where, "HEAD") else []
    args = (
        "rev-list",
        "-1",
        *heads,
        "--all",
        "--reflog",
        "--ignore-missing",
        "--stdin",
    )
    lines = "".join(f"{sha}\n" for sha in named_in(_folder(where)))
    rest = ("--not", "--remotes", *known)
    done = git.run(where, *args, *rest, stdin=lines.encode(), check=False)
    return done.code != 0 or bool(done.text)


def _notes(where: Path, home: Path | None) -> bool:
    """Tell whether it has tags with a note, or names of files, that may be only here.

    Nothing in a repository says which of them were fetched.
    """
    found, folder = _named(where), _folder(where)
    if not found or home is None or not folder.is_relative_to(home):
        return bool(found)
    # `worktrees/NAME/modules/SUB` goes, `modules/SUB` is the main checkout's.
    other = home.parent.parent / folder.relative_to(home)
    return not _is_repository(other) or not found <= _named(other)


def _named(where: Path) -> set[str]:
    """Return the objects that references lead to and that are no commits."""
    form = "--format=%(objecttype) %(objectname)"
    rows = git.run(where, "for-each-ref", form).text.splitlines()
    parts = (row.split(" ") for row in rows)
    return {sha for kind, sha in parts if kind != "commit"}


def _folder(where: Path) -> Path:
    """Return the git folder of a checkout, or the folder itself when it is one."""
    inner = where / ".git"
    return admin_dir(where) or (inner if inner.is_dir() else where)
