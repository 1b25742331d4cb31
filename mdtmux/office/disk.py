"""Read the files that an office file stands in or names: bounded, never blocking."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from mdtmux.office.envfile import FORM, parse
from mdtmux.office.nodes import shown
from mdtmux.office.report import Where
from mdtmux.units import format_size

MAX_PROMPT = 4_000_000


def read_bounded(path: Path, limit: int, where: Where) -> bytes | None:
    """Return the bytes of a regular file of at most `limit` bytes.

    Notes at `where` why not: missing, unreadable, a folder, a device or pipe (which
    could block for ever), or too large.
    """
    try:
        # O_NONBLOCK: opening a pipe that nobody writes to must not wait.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
            data = _take(descriptor, limit + 1) if regular else b""
        finally:
            os.close(descriptor)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        where.fault(f"cannot read {shown(str(path))}: {reason}")
        return None
    if not regular:
        where.fault(f"{shown(str(path))} is not a regular file")
        return None
    if len(data) > limit:
        where.fault(f"{shown(str(path))} is larger than {format_size(limit)}")
        return None
    return data


def _take(descriptor: int, limit: int) -> bytes:
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        return file.read(limit)


def expand(text: str, where: Where) -> str | None:
    """Return the path with a leading `~` or `~user` expanded; note an unknown user."""
    try:
        return str(Path(text).expanduser()) if text.startswith("~") else text
    except RuntimeError:
        where.fault(f"{shown(text)}: there is no such user")
        return None


class Folder:
    """The folder against which an office file's paths are read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._prompts: dict[Path, str] = {}

    def resolve(self, text: str, where: Where) -> Path | None:
        """Return the absolute path, `~` and `~user` expanded; the end may not exist."""
        expanded = expand(text, where)
        # Not normpath: `link/..` must mean what the kernel takes it for.
        return (
            None if expanded is None else Path(os.path.realpath(self.path / expanded))
        )

    def env_file(self, text: str, where: Where) -> Path | None:
        """Return the absolute path of an env file; note what keeps it from being used."""
        path = self.resolve(text, where)
        data = None if path is None else read_bounded(path, MAX_PROMPT, where)
        if data is None:
            return None
        try:
            wrong = parse(data.decode("utf-8-sig"))[1]
        except UnicodeDecodeError:
            where.fault(f"{shown(str(path))} is not UTF-8")
            return None
        for number in wrong:
            where.fault(f"{shown(str(path))}, line {number}: {FORM}")
        return path

    def prompt(self, file: str, where: Where) -> str | None:
        """Return the text of a prompt file; one that many agents name is read once."""
        path = self.resolve(file, where)
        if path is None:
            return None
        text = self._prompts.get(path) or self._read_prompt(path, where)
        if text is not None:
            self._prompts[path] = text
        return text

    def _read_prompt(self, path: Path, where: Where) -> str | None:
        data = read_bounded(path, MAX_PROMPT, where)
        if data is None:
            return None
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            where.fault(f"{shown(str(path))} is not UTF-8")
            return None
        if "\0" in text:
            where.fault(f"{shown(str(path))} holds a NUL character")
        elif not text.strip():
            where.fault(f"{shown(str(path))} is empty")
        else:
            return text
        return None
