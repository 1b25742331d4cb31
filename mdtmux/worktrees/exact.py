"""The bytes of files as they stand, past what git's filters make of them.

A clean filter strips outputs of notebooks, `text=auto` turns line ends: what git then
calls the same is not what stood there.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from mdtmux.errors import MdtmuxError
from mdtmux.system import git

_LIMIT = 1800.0
# Modes as git tells them.
_FILE, _RUN, _LINK = _MODES = ("100644", "100755", "120000")


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
        args = ("--literal-pathspecs", "add", "-f", "--sparse", "--", *links)
        git.run(path, *args, using=using)
    if rows:
        args = ("update-index", "-z", "--index-info")
        git.run(path, *args, stdin=b"".join(rows), using=using)


def put_missing(path: Path, before: str, tree: str) -> None:
    """Make the files and links that differ between the two and are not there.

    Git does not make what is outside of a sparse checkout.

    Raises:
        MdtmuxError: a file cannot be written.
    """
    for name, (mode, sha) in _rows(path, before, tree).items():
        place = path / name
        if mode not in _MODES or os.path.lexists(place):
            continue
        data = _read(path, sha)
        with _writing(place):
            place.parent.mkdir(parents=True, exist_ok=True)
            if mode == _LINK:
                place.symlink_to(os.fsdecode(data))
            else:
                place.write_bytes(data)
                place.chmod(place.stat().st_mode | (0o111 if mode == _RUN else 0))


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
        data = _read(path, wanted[name])
        with _writing(path / name):
            (path / name).write_bytes(data)


@contextlib.contextmanager
def _writing(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        message = f"cannot write `{place}`: {error.strerror}"
        raise MdtmuxError(message) from error


def _read(path: Path, sha: str) -> bytes:
    using = git.Using(timeout=_LIMIT)
    return git.run(path, "cat-file", "blob", sha, using=using).out


def _blobs(path: Path, before: str, tree: str) -> dict[str, str]:
    rows = _rows(path, before, tree)
    return {name: sha for name, (mode, sha) in rows.items() if mode in (_FILE, _RUN)}


def _rows(path: Path, before: str, tree: str) -> dict[str, tuple[str, str]]:
    args = ("diff-tree", "-r", "-z", "--no-renames", "--full-index", before, tree)
    parts = git.run(path, *args, using=git.Using(timeout=_LIMIT)).records()
    rows = zip(parts[::2], parts[1::2], strict=True)
    told = ((row.split(" "), name) for row, name in rows)
    return {name: (row[1], row[3]) for row, name in told}


def has_bytes(path: Path, before: str, tree: str) -> bool:
    """Tell whether every file that differs between the two is as it is in `tree`."""
    wanted = _blobs(path, before, tree)
    files = plain_files(path, list(wanted))
    return raw_shas(path, files, write=False) == wanted


def is_part_of(
    path: Path, name: str, commits: Sequence[str], *, whole: bool = False
) -> bool:
    """Tell whether a file is gone, or the beginning of what it is in a commit.

    A folder in its place counts where a commit has one there; its files are told of on
    their own. A git that could not go on, on a full disk, leaves half a file. With
    `whole` only all of what it is in a commit counts.
    """
    place = path / name
    try:
        linked = place.is_symlink()
        data = os.fsencode(place.readlink()) if linked else place.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return not whole
    except IsADirectoryError:
        return any(_is_folder(path, commit, name) for commit in commits)
    except OSError:
        return False
    for commit in commits:
        for how in ("blob", "--filters"):
            done = git.run(path, "cat-file", how, f"{commit}:{name}", check=False)
            if done.code == 0 and (
                done.out == data if whole else done.out.startswith(data)
            ):
                return True
    return False


def _is_folder(path: Path, commit: str, name: str) -> bool:
    done = git.run(path, "cat-file", "-t", f"{commit}:{name}", check=False)
    return done.text == "tree"
