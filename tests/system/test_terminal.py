"""Who reads a terminal, told of real processes on real ones."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from mdtmux.system.interpreters import Reads
from mdtmux.system.terminal import foreground, reads_keys
from tests.support.wait import until

RAW = "import sys, tty; tty.setraw(0); print('raw', flush=True); sys.stdin.read()"


@contextmanager
def on_a_terminal(*argv: str) -> Iterator[tuple[int, int]]:
    """Run a command as the leader of a new terminal; give its pid and the other end."""
    pid, end = pty.fork()
    if pid == 0:
        os.execvp(argv[0], argv)
    try:
        yield pid, end
    finally:
        os.close(end)
        os.waitpid(pid, 0)


def shell_of(pid: int) -> int | None:
    """Return the pid of the shell that reads the terminal of `pid`, if one does."""
    found = foreground(pid)
    return found.pid if found is not None and found.shell else None


def test_terminals_made_later_are_known() -> None:
    """A terminal that came after the first question is looked at like any other."""
    assert not reads_keys(os.getpid()) or sys.stdin.isatty()

    with on_a_terminal(sys.executable, "-c", RAW) as (pid, end):
        assert b"raw" in os.read(end, 100)
        assert reads_keys(pid)
        found = foreground(pid)

    assert found is not None
    assert (found.pid, found.reads) == (pid, Reads.TEXT)


def test_a_shell_behind_a_terminal_of_its_own_is_found() -> None:
    """What `script` passes on to is looked at too."""
    with on_a_terminal("script", "-qc", "exec bash --norc", "/dev/null") as (pid, _):
        found = until(lambda: shell_of(pid), what="the shell")

    assert found != pid


def test_a_shell_with_jobs_in_its_group_reads() -> None:
    """Without job control the youngest process of the group is not the reader."""
    command = "set +m; sleep 60 & exec sh -s"
    with on_a_terminal("sh", "-c", command) as (pid, _):
        found = until(lambda: shell_of(pid), what="the shell")

    assert found == pid


def test_nobody_reads_where_there_is_no_terminal() -> None:
    """A process without a terminal has no reader."""
    process = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        assert foreground(process.pid) is None
        assert not reads_keys(process.pid)
    finally:
        process.kill()
        process.wait()
