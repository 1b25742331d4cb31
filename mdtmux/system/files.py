"""State files: private folders, atomic writes, whole-line appends.

Everything here is for the user alone: folders are 0700, files 0600, and a reader
sees an old file or a new one, never half of one.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from pathlib import Path

from mdtmux.errors import MdtmuxError


def state_root() -> Path:
    """Return the folder under which every office keeps its state."""
    value = os.environ.get("XDG_STATE_HOME", "")
    # The XDG specification: a relative path is invalid and must be ignored.
    base = Path(value) if value.startswith("/") else Path.home() / ".local/state"
    return base / "mdtmux"


def office_state_dir(office: str, common_git_dir: Path) -> Path:
    """Return where that office on that repository keeps its state (not created)."""
    digest = sha256(os.fsencode(common_git_dir))[:8]
    return state_root() / f"{office}-{digest}"


def sha256(data: bytes) -> str:
    """Return the SHA-256 of the bytes in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def private_dir(path: Path) -> Path:
    """Make the folder (and those above it) for this user alone and return it.

    Raises:
        MdtmuxError: it cannot be made; the message names it.
    """
    try:
        if path.is_dir():
            return path
        # `parents=True` would give the folders above the process's own mode.
        for folder in reversed((path, *path.parents)):
            if not folder.is_dir():
                folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        message = f"cannot make the folder `{path}`: {error.strerror}"
        hint = "mdtmux keeps its state there; set XDG_STATE_HOME to a writable folder"
        raise MdtmuxError(message, hint=hint) from error
    return path


def write_private(path: Path, data: str | bytes) -> None:
    """Write a file of mode 0600 in one step: readers see all of it or none.

    Raises:
        MdtmuxError: the folder cannot be written or the disk is full.
    """
    payload = data.encode() if isinstance(data, str) else data
    private_dir(path.parent)
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(payload)
            Path(name).replace(path)
        except OSError:
            with contextlib.suppress(FileNotFoundError):
                Path(name).unlink()
            raise
    except OSError as error:
        message = f"cannot write `{path}`: {error.strerror}"
        raise MdtmuxError(message) from error


def text_of(path: Path) -> str:
    """Return the text of a file that others write; odd bytes survive `os.fsencode`.

    Raises:
        OSError: it cannot be read.
    """
    return os.fsdecode(path.read_bytes())


def read_json(path: Path) -> object | None:
    """Return the file's JSON value, None when there is no such file or no usable JSON."""
    try:
        value: object = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return value


def write_json(path: Path, value: object) -> None:
    """Write a JSON value with `write_private`."""
    # Without an indent: with one, json does not use its fast encoder.
    text = json.dumps(value, ensure_ascii=False) + "\n"
    # Bytes of file names that are no UTF-8 become JSON's own escapes, and come back.
    write_private(path, text.encode("utf-8", "backslashreplace"))


def append_line(path: Path, line: str) -> None:
    """Append one line; whole lines of concurrent writers never mix.

    Raises:
        MdtmuxError: the file cannot be written.
    """
    private_dir(path.parent)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags, 0o600)
        try:
            payload = line.rstrip("\n").encode("utf-8", "surrogateescape")
            # One write call: O_APPEND makes it land whole at the end.
            os.write(descriptor, payload + b"\n")
        finally:
            os.close(descriptor)
    except OSError as error:
        message = f"cannot write `{path}`: {error.strerror}"
        raise MdtmuxError(message) from error
