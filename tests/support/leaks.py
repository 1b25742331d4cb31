"""Find and end what a test left running: tmux servers and processes.

A process belongs to a test when its environment carries the test's marker or any
path of the test's own folder, or when it works in that folder. A detached process
keeps at least one of the three, whatever its session and parent are.
"""

from __future__ import annotations

import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.support.wait import until

MARK = "MDTEST_MARK"
GRACE = 5.0


@dataclass(frozen=True, slots=True)
class Leak:
    """A process that a test left behind."""

    pid: int
    created: float
    command: str

    def __str__(self) -> str:
        """Name the process as a failure message should."""
        return f"pid {self.pid}: {self.command}"


def _environ(pid: int) -> bytes:
    if Path("/proc/self/environ").exists():
        return Path(f"/proc/{pid}/environ").read_bytes()
    pairs = psutil.Process(pid).environ().items()
    return "\0".join(f"{key}={value}" for key, value in pairs).encode()


def _cwd(pid: int) -> str:
    if Path("/proc/self/cwd").exists():
        return str(Path(f"/proc/{pid}/cwd").readlink())
    return psutil.Process(pid).cwd()


def _belongs(pid: int, world: Path, mark: str) -> bool:
    try:
        environ = _environ(pid)
        cwd = _cwd(pid)
    except (OSError, psutil.Error):
        return False
    inside = cwd == str(world) or cwd.startswith(f"{world}/")
    return inside or f"{MARK}={mark}".encode() in environ or bytes(world) in environ


def leaked(world: Path, mark: str) -> list[Leak]:
    """Return the living processes of the test, this one excepted."""
    found = []
    for pid in psutil.pids():
        if pid == os.getpid() or not _belongs(pid, world, mark):
            continue
        try:
            process = psutil.Process(pid)
            with process.oneshot():
                if process.status() == psutil.STATUS_ZOMBIE:
                    continue
                command = " ".join(process.cmdline())
                found.append(Leak(pid, process.create_time(), command))
        except psutil.Error:
            continue
    return found


def _sockets(world: Path) -> list[Path]:
    return [path for path in world.glob("tmux-*/*") if path.is_socket()]


def _on(socket: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["tmux", "-S", str(socket), *command],
        capture_output=True,
        text=True,
        timeout=10,
        check=False,
    )


def servers(world: Path) -> list[Path]:
    """Return the sockets in the test's folder on which a tmux server answers."""
    return [s for s in _sockets(world) if _on(s, "list-sessions").returncode == 0]


def end_server(socket: Path) -> None:
    """End the tmux server on a socket, and wait until its process is gone.

    A client that comes before that is taken in and turned away: it neither finds the
    old server nor starts a new one.
    """
    answer = _on(socket, "display-message", "-p", "#{pid}").stdout.strip()
    _on(socket, "kill-server")
    if answer:
        until(lambda: not _runs(int(answer)), what="end of the tmux server")


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def end_servers(world: Path) -> None:
    """End every tmux server of the test, with the programs in its panes."""
    for socket in _sockets(world):
        end_server(socket)


def end(leaks: list[Leak]) -> None:
    """Kill the processes, each only when it is still the one that was found."""
    for leak in leaks:
        try:
            process = psutil.Process(leak.pid)
            if process.create_time() == leak.created:
                process.send_signal(signal.SIGKILL)
        except psutil.Error:
            continue
