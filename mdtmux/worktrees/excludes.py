"""Keep placed links out of commits: lines of ours in the repository's `info/exclude`.

A pattern like `node_modules/` is for folders: the folder in the main checkout is
ignored by it, a link to that folder is not, and `git add -A` would commit it. The file
is shared by all worktrees, so only what the main checkout ignores anyway gets a line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from mdtmux.system import git
from mdtmux.system.locks import hold
from mdtmux.worktrees.make import repository_state

_MARK = b"# mdtmux: a link in worktrees to a folder that git ignores\n"
_OURS = re.compile(re.escape(_MARK) + rb"/([^\n]*)\n")
# Seconds to write or read a file of some lines.
_WAIT = 10.0
_SPECIAL = re.compile(r"([\\*?\[]|\s(?=\s*$))")


def keep_out(top: Path, path: Path, names: Sequence[str]) -> list[str]:
    """Add lines for the links in the worktree that only git's folder patterns miss.

    `names` are those that git does not ignore in the worktree at `path`. Returns those
    that it ignores from now on: what the main checkout `top` does not ignore either,
    and what cannot be written, is left as it is.
    """
    links = [name for name in names if (path / name).is_symlink() and "\n" not in name]
    if not links:
        return []
    known = set(ignored(top, links))
    hidden = [name for name in links if name in known]
    common = path / git.run(path, "rev-parse", "--git-common-dir").text
    file = common / "info/exclude"
    # One that is a link leads to a file that may be more than this repository's.
    if not hidden or file.is_symlink():
        return []
    try:
        with _held(common):
            _add(file, hidden)
    except OSError:
        return []
    return hidden


def ignored(where: Path, names: Sequence[str]) -> list[str]:
    """Return those of the paths that git ignores in a checkout."""
    lines = b"\0".join(os.fsencode(one) for one in names)
    done = git.run(where, "check-ignore", "-z", "--stdin", stdin=lines, check=False)
    return list(done.records())


def tidy(common: Path) -> None:
    """Take out our lines for links that stand in no worktree any more."""
    file = common / "info/exclude"
    try:
        if file.is_symlink() or _MARK not in file.read_bytes():
            return
        with _held(common):
            _take_out(file, _worktrees(common))
    except OSError:
        # They do no harm: the main checkout ignores the same.
        return


def _add(file: Path, names: Sequence[str]) -> None:
    file.parent.mkdir(exist_ok=True)
    text = file.read_bytes() if file.exists() else b""
    rows = [os.fsencode(_SPECIAL.sub(r"\\\1", name)) for name in names]
    known = set(_OURS.findall(text))
    new = b"".join(_MARK + b"/" + row + b"\n" for row in rows if row not in known)
    if new:
        start = b"\n" if text and not text.endswith(b"\n") else b""
        with file.open("ab") as stream:
            stream.write(start + new)


def _take_out(file: Path, trees: Sequence[Path]) -> None:
    text = file.read_bytes()

    def stays(found: re.Match[bytes]) -> bytes:
        name = os.fsdecode(re.sub(rb"\\(.)", rb"\1", found.group(1)))
        used = any((tree / name).is_symlink() for tree in trees)
        return found.group() if used else b""

    left = _OURS.sub(stays, text)
    if left != text:
        draft = file.with_name("exclude.mdtmux")
        draft.write_bytes(left)
        draft.chmod(file.stat().st_mode & 0o7777)
        draft.replace(file)


def _worktrees(common: Path) -> list[Path]:
    texts = [one.read_bytes() for one in common.glob("worktrees/*/gitdir")]
    return [Path(os.fsdecode(text.rstrip(b"\n"))).parent for text in texts]


def _held(common: Path) -> AbstractContextManager[None]:
    place = repository_state(common.resolve()) / "exclude.lock"
    return hold(place, wait=_WAIT, what=f"`{common / 'info/exclude'}`")
