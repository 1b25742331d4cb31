"""The bytes of files as they stand, past what git's filters make of them.

A clean filter strips outputs of notebooks, `text=auto` turns line ends: what git then
calls the same is not what stood there.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from mdtmux.errors import MdtmuxError
from mdtmux.system import git

_LIMIT = 1800.0


def plain_files(path: Path, names: Sequence[str]) -> list[str]:
    """Return those of the names that are regular files, reached through no link."""
    found = []
    for name in dict.fromkeys(names):
        place = path / name
        inside = [one for one in place.parents if one.is_relative_to(path)]
        try:
            regular = stat.S_ISREG(place.lstat().st_mode)
        except OSError:
            continue
        if regular and not any(one.is_symlink() for one in inside if one != path):
            found.append(name)
    return found


def raw_shas(path: Path, names: Sequence[str], *, write: bool) -> dict[str, str]:
    """Return the blob of each file's bytes, stored in the repository when `write`.

    Raises:
        GitError: a file cannot be read, or the repository not be written.
    """
    store = ("-w",) if write else ()
    args = ("hash-object", *store, "--no-filters")
    using = git.Using(timeout=_LIMIT)
    found: dict[str, str] = {}
    simple = [name for name in names if not any(c in name for c in '\n\r"')]
    if simple:
        lines = b"".join(os.fsencode(name) + b"\n" for name in simple)
        done = git.run(path, *args, "--stdin-paths", stdin=lines, using=using)
        found.update(zip(simple, done.text.splitlines(), strict=True))
    for name in names:
        if name not in found:
            found[name] = git.run(path, *args, "--", name, using=using).text
    return found


def keep_bytes(path: Path, names: Sequence[str], using: git.Using) -> None:
    """Put the files into the index of `using` with the bytes that they have.

    Raises:
        GitError: a file cannot be read, or the repository not be written.
    """
    files = plain_files(path, names)
    rows = []
    for name, sha in raw_shas(path, files, write=True).items():
        mode = "100755" if (path / name).stat().st_mode & 0o100 else "100644"
        rows.append(f"{mode} {sha}\t".encode() + os.fsencode(name) + b"\0")
    links = [name for name in names if (path / name).is_symlink()]
    if links:
        # What git ignores is named on purpose; a link has no filter.
        args = ("--literal-pathspecs", "add", "-f", "--", *links)
        git.run(path, *args, using=using)
    if rows:
        args = ("update-index", "-z", "--index-info")
        git.run(path, *args, stdin=b"".join(rows), using=using)


def put_bytes(path: Path, before: str, tree: str) -> None:
    """Give the files that differ between the two the very bytes they have in `tree`.

    Raises:
        MdtmuxError: a file cannot be written.
    """
    wanted = _blobs(path, before, tree)
    files = plain_files(path, list(wanted))
    now = raw_shas(path, files, write=False)
    for name in files:
        if now[name] == wanted[name]:
            continue
        using = git.Using(timeout=_LIMIT)
        data = git.run(path, "cat-file", "blob", wanted[name], using=using).out
        try:
            (path / name).write_bytes(data)
        except OSError as error:
            message = f"cannot write `{path / name}`: {error.strerror}"
            raise MdtmuxError(message) from error


def _blobs(path: Path, before: str, tree: str) -> dict[str, str]:
    args = ("diff-tree", "-r", "-z", "--no-renames", "--full-index", before, tree)
    parts = git.run(path, *args, using=git.Using(timeout=_LIMIT)).records()
    rows = zip(parts[::2], parts[1::2], strict=True)
    told = ((row.split(" "), name) for row, name in rows)
    return {name: row[3] for row, name in told if row[1] in ("100644", "100755")}


def has_bytes(path: Path, before: str, tree: str) -> bool:
    """Tell whether every file that differs between the two is as it is in `tree`."""
    wanted = _blobs(path, before, tree)
    files = plain_files(path, list(wanted))
    return raw_shas(path, files, write=False) == wanted


def is_part_of(path: Path, name: str, commits: Sequence[str]) -> bool:
    """Tell whether a file is gone, or the beginning of what it is in a commit.

    A git that could not go on, on a full disk, leaves half a file.
    """
    place = path / name
    try:
        linked = place.is_symlink()
        data = os.fsencode(place.readlink()) if linked else place.read_bytes()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    for commit in commits:
        for how in ("blob", "--filters"):
            done = git.run(path, "cat-file", how, f"{commit}:{name}", check=False)
            if done.code == 0 and done.out.startswith(data):
                return True
    return False
