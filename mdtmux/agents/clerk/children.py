"""The programs that the clerk runs, and the processes that it leaves behind.

An agent CLI starts programs on its own account, so this is no door of the office:
what runs here belongs to the agent, and the office watches it from outside.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress

_SHOWN = 12
_KEPT = 65536
_DEFAULT = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE)
_LIFE = "3600"


class Child:
    """A running program in a process group of its own, its output in one pipe."""

    def __init__(
        self,
        argv: tuple[str, ...],
        *,
        stdin: str = "",
        env: dict[str, str] | None = None,
    ) -> None:
        """Start it.

        Raises:
            OSError: there is no such program, or it cannot be started.
        """
        # Imported here: it costs more than the rest of the start.
        from tempfile import TemporaryFile

        self._fd, end = os.pipe()
        os.set_blocking(self._fd, False)
        self._ended = False
        self._output = bytearray()
        self._lines = 0
        self.status: int | None = None
        # A file and not a pipe: a child that reads slowly or never holds nobody up.
        with TemporaryFile() as given:
            given.write(stdin.encode())
            given.seek(0)
            try:
                self.pid = os.posix_spawnp(
                    argv[0],
                    argv,
                    {**os.environ, **(env or {})},
                    file_actions=[
                        (os.POSIX_SPAWN_DUP2, given.fileno(), 0),
                        (os.POSIX_SPAWN_DUP2, end, 1),
                        (os.POSIX_SPAWN_DUP2, end, 2),
                    ],
                    setpgroup=0,
                    setsigdef=_DEFAULT,
                )
            except OSError:
                os.close(self._fd)
                raise
            finally:
                os.close(end)

    @property
    def readable(self) -> int | None:
        """The descriptor to wait for, until everything has been read from it."""
        return None if self._ended else self._fd

    def poll(self) -> bool:
        """Take what it has written; tell whether it has ended.

        A process that it left in the background may keep the pipe open: the end of
        the program itself is what counts.
        """
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
        self._read()
        return self.status is not None

    def _read(self) -> None:
        # Bounded, so that a program that never stops writing holds nobody up.
        for _ in range(0 if self._ended else 16):
            try:
                data = os.read(self._fd, 65536)
            except BlockingIOError:
                return
            self._ended = not data
            self._lines += data.count(b"\n")
            self._output += data
            del self._output[:-_KEPT]

    def end(self) -> None:
        """Kill its process group if it still runs, and forget it."""
        if self.status is None:
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.status = -signal.SIGKILL
        os.close(self._fd)

    def output(self) -> list[str]:
        """Return the last lines of what it wrote, and how many came before them."""
        lines = self._output.decode("utf-8", "replace").splitlines()
        more = max(0, self._lines - _SHOWN)
        return [f"… +{more} lines"] * (more > 0) + lines[-_SHOWN:]


def leave(how: frozenset[str]) -> int:
    """Start a process that outlives the clerk, and return its pid.

    `setsid`: in a session of its own. `detached`: so, and with no parent but init.
    `term-ignoring`: TERM does not end it. It keeps the clerk's environment.
    """
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        _become_sleeper(how, writing)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        told = int(pipe.readline())
    if told != pid:
        os.waitpid(pid, 0)
    return told


def _become_sleeper(how: frozenset[str], tell: int) -> None:
    if how & {"setsid", "detached"}:
        os.setsid()
    if "detached" in how and os.fork():
        os._exit(0)
    # The kernel hangs up on the clerk's whole group when its terminal goes.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    term = signal.SIG_IGN if "term-ignoring" in how else signal.SIG_DFL
    signal.signal(signal.SIGTERM, term)
    os.write(tell, f"{os.getpid()}\n".encode())
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(null, descriptor)
    try:
        os.execvp("sleep", ["sleep", _LIFE])
    finally:
        os._exit(127)
