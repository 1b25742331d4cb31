"""Worktrees made as `up` makes them, and pictures of a repository to compare."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from mdtmux.errors import MdtmuxError
from mdtmux.worktrees.base import Base, resolve_all
from mdtmux.worktrees.furnish import Furnished, place
from mdtmux.worktrees.make import Made, make
from mdtmux.worktrees.plan import Step, Want
from mdtmux.worktrees.prepare import place_for, plan
from mdtmux.worktrees.record import Placed, Record, Store
from mdtmux.worktrees.repository import Repository, inspect
from mdtmux.worktrees.supplies import gather
from tests.support.repos import git

TEMPLATE = "../{repo}__worktrees/{office}/{agent}"


def wants(
    repo: Path,
    agents: Sequence[str] | Mapping[str, str],
    *,
    base: str = "HEAD",
    template: str = TEMPLATE,
) -> list[Want]:
    """Return wants of an office `ag`: agents with their branches, default `ag/NAME`."""
    repository = inspect(repo)
    branches = agents if isinstance(agents, Mapping) else {a: f"ag/{a}" for a in agents}
    sha = resolve_all(repository, [base])[base].sha
    return [
        Want(
            agent,
            place_for(template, repository, "ag", agent),
            branch,
            sha,
        )
        for agent, branch in branches.items()
    ]


def steps(
    repo: Path, agents: Sequence[str] | Mapping[str, str], **how: str
) -> list[Step]:
    """Return what would be done for the agents."""
    return list(plan(inspect(repo), wants(repo, agents, **how)))


def make_trees(
    repo: Path, agents: Sequence[str] | Mapping[str, str], **how: str
) -> dict[str, Made | MdtmuxError]:
    """Plan and make worktrees for the agents."""
    return make(inspect(repo), plan(inspect(repo), wants(repo, agents, **how)))


def tree(
    repo: Path, agent: str = "a", *, base: str = "HEAD", placed: Sequence[Placed] = ()
) -> Record:
    """Make one worktree that must succeed, and return its record."""
    repository = inspect(repo)
    want = wants(repo, [agent], base=base)[0]
    made = make(repository, plan(repository, [want]))[agent]
    assert isinstance(made, Made), made
    resolved = resolve_all(repository, [base])[base]
    return Record(
        agent=agent,
        path=made.path,
        branch=made.branch,
        base_sha=resolved.sha,
        base_ref=resolved.ref,
        made_branch=made.made_branch,
        made_worktree=made.made_worktree,
        placed=tuple(placed),
    )


def stored(state: Path, *records: Record) -> Store:
    """Put records into a store as `up` does, and return it."""
    store = Store(state)
    store.put(records)
    return store


def resolve(repository: Repository, base: str) -> Base:
    """Resolve one base."""
    return resolve_all(repository, [base])[base]


def furnish(
    top: Path, path: Path, copy: Sequence[str] = (), link: Sequence[str] = ()
) -> Furnished:
    """Gather for one worktree and place."""
    return place(gather(top, copy, link), path)


def commit(where: Path, name: str, text: str = "text\n", message: str = "work") -> str:
    """Write a file, commit it and return the commit."""
    path = where / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    git(where, "add", "--", name)
    git(where, "commit", "-q", "-m", message)
    return git(where, "rev-parse", "HEAD")


def add_submodule(where: Path, source: Path, name: str) -> None:
    """Add a repository as a submodule, checked out, and commit that."""
    allow = ("-c", "protocol.file.allow=always")
    git(where, *allow, "submodule", "add", "-q", "--force", str(source), name)
    git(where, "commit", "-q", "-m", f"submodule {name}")


def branches(repo: Path) -> set[str]:
    """Return the repository's local branches."""
    listed = git(repo, "for-each-ref", "--format=%(refname:short)", "refs/heads")
    return set(listed.splitlines())


def files_of(folder: Path) -> dict[str, bytes | str]:
    """Return every file in the folder with its content; links with their targets."""
    found: dict[str, bytes | str] = {}
    for base, folders, names in os.walk(folder):
        if ".git" in folders:
            folders.remove(".git")
        for name in names:
            path = Path(base) / name
            key = str(path.relative_to(folder))
            found[key] = (
                str(path.readlink()) if path.is_symlink() else path.read_bytes()
            )
    return found


def all_of(folder: Path) -> dict[str, bytes | str]:
    """Return every file in the folder, those of repositories in it too."""
    inner = [one.parent for one in folder.rglob(".git") if one.is_dir()]
    found = files_of(folder)
    for one in inner:
        if one != folder:
            for name, data in files_of(one / ".git").items():
                found[f"{one.relative_to(folder)}/.git/{name}"] = data
    return found


def picture(repo: Path, *folders: Path) -> object:
    """Return all that a refused command must leave as it was: refs, index, files."""
    return (
        git(repo, "for-each-ref"),
        git(repo, "symbolic-ref", "-q", "HEAD") if _on_branch(repo) else "",
        git(repo, "worktree", "list", "--porcelain"),
        [
            (files_of(one), git(one, "status", "--porcelain", "--ignored"))
            for one in folders
        ],
    )


def _on_branch(repo: Path) -> bool:
    return git(repo, "rev-parse", "--abbrev-ref", "HEAD") != "HEAD"


def needs_git(major: int, minor: int) -> pytest.MarkDecorator:
    """Return a mark that skips a test of what an older git does not have."""
    said = subprocess.run(
        ["git", "version"], capture_output=True, text=True, check=True
    )
    numbers = tuple(int(part) for part in said.stdout.split()[2].split(".")[:2])
    needed = f"git {major}.{minor} brought it, this is {said.stdout.strip()}"
    return pytest.mark.skipif(numbers < (major, minor), reason=needed)


def other_git(world: Path, rule: str) -> str:
    """Return a PATH whose `git` obeys a shell rule first, to stand in for an old git.

    The rule may `exit`; what it lets pass goes to the real git.
    """
    real = shutil.which("git")
    script = world / "old" / "git"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\n{rule}\nexec {real} "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return f"{script.parent}{os.pathsep}{os.environ['PATH']}"


def killed_removal(
    repo: Path, state: Path, record: Record, path: str, *, force: bool = False
) -> subprocess.CompletedProcess[bytes]:
    """Remove a worktree in a process of its own, which the git on that PATH may kill."""
    code = (
        "from pathlib import Path; from mdtmux.worktrees.remove import remove; "
        "from mdtmux.worktrees.record import Record; "
        "from mdtmux.worktrees.repository import inspect; "
        f"repo = Path({str(repo)!r}); record = Record({record.agent!r}, "
        f"Path({str(record.path)!r}), {record.branch!r}, {record.base_sha!r}); "
        f"remove(inspect(repo), record, Path({str(state)!r}), force={force})"
    )
    env = {**os.environ, "PATH": path}
    return subprocess.run([sys.executable, "-c", code], env=env, check=False)
