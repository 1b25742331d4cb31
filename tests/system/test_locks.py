"""Kernel locks: exclusive, released by death, on a file that stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mdtmux.errors import Busy, MdtmuxError
from mdtmux.system.locks import hold

_HOLDER = """
import sys
from pathlib import Path
from mdtmux.system.locks import hold
with hold(Path(sys.argv[1]), wait=1, what="it"):
    print("held", flush=True)
    sys.stdin.read()
"""


def _holder(path: Path) -> subprocess.Popen[bytes]:
    argv = [sys.executable, "-c", _HOLDER, str(path)]
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    return process


def test_a_held_lock_names_its_holder(world: Path) -> None:
    """The second one is told who holds what, with exit code 75."""
    path = world / "locks" / "x.lock"
    with _holder(path) as process:
        told = pytest.raises(Busy, match=f"the pane .*pid {process.pid}")
        with told as caught, hold(path, wait=0.0, what="the pane"):
            pass
        process.kill()

    assert caught.value.exit_code == 75
    assert str(path) in str(caught.value.hint)


def test_death_releases(world: Path) -> None:
    """After `kill -9` of the holder the lock is free, and its file is still there."""
    path = world / "x.lock"
    with _holder(path) as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    inode = path.stat().st_ino
    with hold(path, wait=2.0, what="it"):
        pass

    assert path.stat().st_ino == inode


def test_a_lock_that_cannot_be_opened_is_told(world: Path) -> None:
    """A folder in the lock's place is one clear error."""
    (world / "x.lock").mkdir()
    with (
        pytest.raises(MdtmuxError, match=r"x\.lock"),
        hold(world / "x.lock", wait=0.1, what="it"),
    ):
        pass
