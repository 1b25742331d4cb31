"""What a branch starts from: a name made a commit, and how stale that is."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass

from mdtmux.errors import MdtmuxError, UsageError
from mdtmux.names import nearest
from mdtmux.system import git
from mdtmux.worktrees.repository import HEADS, Repository

REMOTES = "refs/remotes/"


@dataclass(frozen=True, slots=True)
class Base:
    """A resolved base. `asked` is as written; `ref` the full name of the branch it is.

    `behind` is how many commits its upstream had more when last fetched, None when
    it has no upstream; `note` is for people, "" when there is nothing to say.
    """

    asked: str
    sha: str
    ref: str | None = None
    upstream: str | None = None
    behind: int | None = None
    note: str = ""

    def __str__(self) -> str:
        """Say the base in one line: `main 1a2b3c4d (3 behind origin/main)`."""
        name = short(self.ref) if self.ref else self.asked
        stale = f" ({self.behind} behind {self.upstream})" if self.behind else ""
        return f"{name} {self.sha[:8]}{stale}"


def short(ref: str) -> str:
    """Return a branch's full name without refs/heads/ or refs/remotes/."""
    return ref.removeprefix(HEADS).removeprefix(REMOTES)


def resolve_all(repository: Repository, bases: Iterable[str]) -> dict[str, Base]:
    """Resolve each distinct base once: HEAD, branch, remote branch, tag or sha.

    HEAD is the main checkout's. Nothing is fetched.

    Raises:
        UsageError: some name no commit; all are told.
        MdtmuxError: nothing is committed yet.
    """
    wanted = list(dict.fromkeys(bases))
    if "HEAD" in wanted and repository.head_sha is None:
        raise _unborn(repository)
    found = _commits(repository, [base for base in wanted if base != "HEAD"])
    unknown = [base for base in wanted if base != "HEAD" and base not in found]
    if unknown:
        raise _unknown(repository, unknown)
    if repository.head_sha is not None:
        branch = repository.head_branch
        found["HEAD"] = (HEADS + branch if branch else None, repository.head_sha)
    tracks = _tracking(repository, [found[base][0] for base in wanted])
    return {base: _base(repository, base, found[base], tracks) for base in wanted}


def _base(
    repository: Repository,
    asked: str,
    found: tuple[str | None, str],
    tracks: dict[str, tuple[str, int]],
) -> Base:
    ref, sha = found
    note = ""
    if asked == "HEAD" and ref is None:
        doing = (
            f" (a {repository.operation} is unfinished)" if repository.operation else ""
        )
        note = f"HEAD is detached at {sha[:8]}{doing}: that commit is the base"
    upstream, behind = tracks.get(ref or "", (None, None))
    return Base(asked, sha, ref, upstream, behind, note)


def _candidates(base: str) -> tuple[tuple[str | None, str], ...]:
    if re.search(r"[~^:]|@\{", base):
        return ((None, base),)
    # A branch before a tag of the same name; git itself would take the tag.
    return (
        (HEADS + base, HEADS + base),
        (REMOTES + base, REMOTES + base),
        (None, base),
    )


def _commits(
    repository: Repository, bases: list[str]
) -> dict[str, tuple[str | None, str]]:
    """Return full name (if a branch) and sha of each base that is a commit."""
    clean = [base for base in bases if base.isprintable() and base.strip()]
    if not clean:
        return {}
    asked = [(base, ref, word) for base in clean for ref, word in _candidates(base)]
    lines = "".join(f"{word}^{{commit}}\n" for _, _, word in asked)
    done = git.run(
        repository.common_dir, "cat-file", "--batch-check", stdin=os.fsencode(lines)
    )
    found: dict[str, tuple[str | None, str]] = {}
    for (base, ref, _), line in zip(asked, done.text.split("\n"), strict=True):
        match = re.fullmatch(r"([0-9a-f]{40,64}) commit \d+", line)
        if match and base not in found:
            full = base if base.startswith((HEADS, REMOTES)) else ref
            found[base] = (full, match.group(1))
    return found


def _tracking(
    repository: Repository, refs: list[str | None]
) -> dict[str, tuple[str, int]]:
    """Return upstream and commits behind it of each local branch that has one."""
    local = sorted({ref for ref in refs if ref and ref.startswith(HEADS)})
    if not local:
        return {}
    form = "%(refname)%00%(upstream)%00%(upstream:track,nobracket)"
    done = git.run(repository.common_dir, "for-each-ref", f"--format={form}", *local)
    found: dict[str, tuple[str, int]] = {}
    for line in done.text.splitlines():
        ref, upstream, track = line.split("\0")
        behind = re.search(r"behind (\d+)", track)
        if upstream and track != "gone":
            found[ref] = (short(upstream), int(behind.group(1)) if behind else 0)
    return found


def _unborn(repository: Repository) -> MdtmuxError:
    branch = repository.head_branch
    form = "--format=%(refname:short)"
    refs = git.run(
        repository.common_dir, "for-each-ref", "--count=1", form, "refs/heads"
    )
    if refs.text:
        message = f"HEAD is on branch `{branch}`, which has no commit yet"
        return MdtmuxError(
            message, hint=f"let `base:` name another branch, as `{refs.text}`"
        )
    message = f"the repository `{repository.top}` has no commit yet: make one first"
    return MdtmuxError(message, hint="git commit --allow-empty -m 'first commit'")


def _unknown(repository: Repository, bases: list[str]) -> UsageError:
    form = "--format=%(refname)"
    places = ("refs/heads", "refs/remotes", "refs/tags")
    done = git.run(repository.common_dir, "for-each-ref", form, *places)
    names = [short(ref).removeprefix("refs/tags/") for ref in done.text.splitlines()]
    parts = []
    for base in bases:
        near = nearest(base, names)
        parts.append(f"`{base}`" + (f" (did you mean `{near}`?)" if near else ""))
    message = (
        f"base {', '.join(parts)}: no such branch, tag or commit in `{repository.top}`"
    )
    hint = "a branch that only the remote has must be fetched first: git fetch"
    return UsageError(message, hint=hint)
