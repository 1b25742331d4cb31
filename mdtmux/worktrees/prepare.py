"""Read what a plan needs, and let it decide."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from mdtmux.errors import UsageError
from mdtmux.system import git
from mdtmux.worktrees import gitfolder, trash
from mdtmux.worktrees.anchors import only_in
from mdtmux.worktrees.plan import Place, Situation, Step, Want, decide
from mdtmux.worktrees.repository import (
    HEADS,
    Repository,
    Worktree,
    admin_dir,
    branch_of,
    is_void,
)

# Folders of a bare repository that are git's own.
_GITS = frozenset(
    ("branches", "hooks", "info", "logs", "modules", "objects", "refs", "worktrees")
)


def place_for(template: str, repository: Repository, office: str, agent: str) -> Path:
    """Return the absolute worktree path that the template gives an agent.

    It is relative to the main checkout's folder (the repository's own when bare).

    Raises:
        UsageError: the template has another field in braces.
    """
    text = template
    fields = {"repo": repository.name, "office": office, "agent": agent}
    for name, value in fields.items():
        text = text.replace(f"{{{name}}}", value)
    unknown = [part.split("}")[0] for part in template.split("{")[1:]]
    wrong = [name for name in unknown if name not in fields]
    if wrong:
        message = f"worktrees: `{{{wrong[0]}}}` is not known in `{template}`"
        raise UsageError(message, hint="known are {repo}, {office} and {agent}")
    path = Path(os.path.normpath(repository.top / Path(text).expanduser()))
    # git registers real paths; the last part is judged as it stands.
    return Path(os.path.realpath(path.parent)) / path.name


def plan(repository: Repository, wants: Sequence[Want]) -> tuple[Step, ...]:
    """Decide what to do for every agent; reads only, with one or two git calls.

    Raises:
        GitError: the branches cannot be read.
    """
    branches, remotes = _branches(repository, wants)
    exposed = _exposed(repository, wants)
    owners = {want.known.path: want.agent for want in wants if want.known}
    holders = repository.holders()
    situations = {}
    for want in wants:
        row = repository.at(want.path)
        holder = holders.get(want.branch)
        if holder is row:
            holder = None
        place, blocked = _place(want.path)
        gone = [one for one in (row, holder) if one and not _alive(repository, one)]
        situations[want.agent] = Situation(
            place=place,
            row=row,
            row_branch=branch_of(repository, row) if row else None,
            row_alive=_alive(repository, row),
            inside=exposed.get(want.path),
            branch_sha=branches.get(want.branch),
            holder=holder,
            holder_alive=_alive(repository, holder),
            owner=owners.get(holder.path) if holder else None,
            clash=_clash(want.branch, branches),
            remote=remotes.get(want.branch),
            blocked=blocked,
            only_git_has=_only_git_has(repository, gone),
        )
    return decide(wants, situations)


def _only_git_has(repository: Repository, gone: Sequence[Worktree]) -> str:
    """Say what git has of worktrees whose folders are gone, and nothing else has."""
    common = repository.common_dir
    for row in gone:
        admin = gitfolder.of_missing(common, row.path)
        if admin is None or _is_aside(row.path, admin):
            continue
        told = only_in(common, admin)
        if told:
            return told
    return ""


def _is_aside(path: Path, admin: Path) -> bool:
    """Tell whether a removal was killed right after it had moved the folder aside."""
    aside = path.parent.glob(f"{trash.ASIDE}*")
    return any(admin_dir(one) == admin for one in aside)


def _branches(
    repository: Repository, wants: Iterable[Want]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the local branches near the wanted ones, and remote ones of those names."""
    names = sorted({want.branch for want in wants if want.branch.isprintable()})
    if not names:
        return {}, {}
    roots = sorted({name.split("/")[0] for name in names})
    patterns = [HEADS + root for root in roots] + [f"refs/remotes/*/{n}" for n in names]
    form = "--format=%(objectname) %(refname)"
    done = git.run(repository.common_dir, "for-each-ref", form, *patterns)
    local, remote = {}, {}
    for line in done.text.splitlines():
        sha, ref = line.split(" ", 1)
        if ref.startswith(HEADS):
            local[ref.removeprefix(HEADS)] = sha
        else:
            whole = ref.removeprefix("refs/remotes/")
            remote[whole.partition("/")[2]] = whole
    return local, remote


def _clash(branch: str, existing: Iterable[str]) -> str | None:
    """Return a branch that cannot exist beside the wanted one (a file as a folder)."""
    for name in sorted(existing):
        if branch.startswith(f"{name}/") or name.startswith(f"{branch}/"):
            return name
    return None


def _alive(repository: Repository, row: Worktree | None) -> bool:
    """Tell whether the registered folder is there and is that worktree."""
    if row is None:
        return False
    if row.path == repository.top:
        return True
    admin = admin_dir(row.path)
    return admin is not None and admin.parent == repository.common_dir / "worktrees"


def _place(path: Path) -> tuple[Place, str]:
    """Tell what stands at the path, and why nothing could be made there."""
    try:
        if path.is_symlink():
            return Place.LINK, ""
        if path.is_dir():
            names = [entry.name for entry in path.iterdir()]
            empty = not names or (names == [".git"] and is_void(path / ".git"))
            return (Place.EMPTY if empty else Place.FULL), ""
        if path.exists():
            return Place.FILE, ""
    except OSError as error:
        return Place.BLOCKED, f"{error.strerror}"
    above = next((one for one in path.parents if os.path.lexists(one)), Path("/"))
    if not above.is_dir():
        return Place.BLOCKED, f"`{above}` is not a folder"
    if not os.access(above, os.W_OK | os.X_OK):
        return Place.BLOCKED, f"`{above}` is not writable"
    return Place.FREE, ""


def _exposed(repository: Repository, wants: Iterable[Want]) -> dict[Path, Path]:
    """Return the wanted paths that lie in a checkout and would show up in it."""
    found: dict[Path, Path] = {}
    asked: list[Path] = []
    for path in (want.path for want in wants):
        around = _around(repository, path)
        if around is None:
            continue
        if around == repository.top != path and not repository.is_bare:
            asked.append(path)
        found[path] = around
    for path in _ignored(repository, asked):
        # In an ignored folder of the main checkout nothing can be added by mistake.
        found.pop(path, None)
    return found


def _around(repository: Repository, path: Path) -> Path | None:
    if path == repository.top:
        return path
    if path.is_relative_to(repository.common_dir):
        inner = path.relative_to(repository.common_dir).parts
        own = repository.is_bare and inner and inner[0] not in _GITS
        if not own:
            return repository.common_dir
    rows = [row.path for row in repository.worktrees if not row.bare]
    inside = [one for one in rows if path != one and path.is_relative_to(one)]
    return max(inside, key=lambda one: len(one.parts), default=None)


def _ignored(repository: Repository, paths: list[Path]) -> list[Path]:
    if not paths:
        return []
    # The slash makes git take them for the folders that they will be.
    lines = b"\0".join(os.fsencode(path) + b"/" for path in paths)
    args = ("check-ignore", "-z", "--stdin")
    done = git.run(repository.top, *args, stdin=lines, check=False)
    told = {text.rstrip("/") for text in done.records()}
    return [path for path in paths if str(path) in told]
