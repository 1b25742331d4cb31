"""Kernel locks across processes: released by death, on a file that stays.

The lock file is never unlinked: unlinking a held flock file lets a second process
lock a new file of the same name while the first still holds the old one.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from mdtmux.errors import Busy, MdtmuxError
from mdtmux.system.files import private_dir, text_of, write_private


def _holder(path: Path) -> str:
    try:
        return text_of(path.with_suffix(".holder")).strip()
    except OSError:
        return ""


@contextlib.contextmanager
def hold(path: Path, *, wait: float, what: str) -> Iterator[None]:
    """Hold the lock at `path` for the block, waiting at most `wait` seconds.

    Raises:
        Busy: somebody else holds it; names the file and, when known, the holder.
        MdtmuxError: the lock file cannot be opened.
    """
    private_dir(path.parent)
    lock = FileLock(path, timeout=wait, mode=0o600, poll_interval=0.02)
    try:
        lock.acquire()
    except Timeout as error:
        holder = _holder(path)
        message = f"{what} is held by another mdtmux" + (
            f" ({holder})" if holder else ""
        )
        raise Busy(message, hint=f"wait for it, or look who holds `{path}`") from error
    except OSError as error:
        message = f"cannot lock `{path}`: {error.strerror}"
        raise MdtmuxError(message) from error
    try:
        # Only a note for people; what counts is the kernel's lock.
        with contextlib.suppress(MdtmuxError):
            write_private(path.with_suffix(".holder"), f"pid {os.getpid()}")
        yield
    finally:
        lock.release()
