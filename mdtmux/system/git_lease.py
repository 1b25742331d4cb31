"""A lease on a file that a git process can inherit: held while either of us lives.

When mdtmux is killed, the git it started goes on. The next mdtmux must not take the
lock file of that git for a leftover; it asks for the lease first.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mdtmux.errors import Busy


@contextmanager
def lease(path: Path, *, wait: float) -> Iterator[int]:
    """Hold the file at `path` (made if missing) and yield its descriptor.

    A process that gets the descriptor holds the lease too, until it ends.

    Raises:
        Busy: somebody still held it after `wait` seconds.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _take(descriptor, path, time.monotonic() + wait)
        yield descriptor
    finally:
        os.close(descriptor)


def _take(descriptor: int, path: Path, deadline: float) -> None:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() > deadline:
                message = "a git that an earlier mdtmux started still works there"
                raise Busy(
                    message, hint=f"it holds `{path}`; try again later"
                ) from error
            time.sleep(0.02)
        else:
            return
