"""The door to processes: who lives, what they are, and how they are ended.

An identity is a pid with its start time: a pid alone is reused. A zombie counts as
dead. Every read may meet a process that ends meanwhile; that is not an error.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

MARKER = "MDTMUX_RUN"
_FIRST = 3
_GONE = (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess)


@dataclass(frozen=True, slots=True)
class Identity:
    """One process for good: `created` is its start, in seconds of a clock nobody sets.

    On Linux they count from the boot; see `age` for a time that can be told.
    """

    pid: int
    created: float


def identify(pid: int) -> Identity | None:
    """Return the identity of a live process, or None when there is none."""
    try:
        process = psutil.Process(pid)
        if process.status() in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD):
            return None
        return Identity(pid, _born(process))
    except _GONE:
        return None


def _born(process: psutil.Process) -> float:
    """Return when the process was started.

    psutil adds the time of the boot, which Linux moves whenever the clock is set (by a
    host that wakes up, say): every process would be another one after that.
    """
    if not psutil.LINUX:
        return process.create_time()
    fields = _fields(process.pid)
    if fields is None:
        raise psutil.NoSuchProcess(process.pid)
    return int(fields[22 - _FIRST]) / os.sysconf("SC_CLK_TCK")


def _fields(pid: int) -> list[bytes] | None:
    """Return the fields of proc_pid_stat(5) from the third on; None if unreadable."""
    try:
        row = (Path(psutil.PROCFS_PATH) / str(pid) / "stat").read_bytes()
    except OSError:
        return None
    # The name in parentheses before them may hold anything, half a character too.
    return row.rpartition(b")")[2].split()


def is_waiting(pid: int) -> bool:
    """Tell whether the process waits for something, rather than works."""
    try:
        return psutil.Process(pid).status() in (
            psutil.STATUS_SLEEPING,
            psutil.STATUS_IDLE,
        )
    except _GONE:
        return False


def age(identity: Identity) -> float:
    """Return for how many seconds the process has been there."""
    now = time.clock_gettime(time.CLOCK_BOOTTIME) if psutil.LINUX else time.time()
    return now - identity.created


def alive(identity: Identity) -> bool:
    """Tell whether that very process still runs; a zombie does not."""
    found = identify(identity.pid)
    return found is not None and same(found, identity)


def variable_names(pid: int) -> list[str] | None:
    """Return the names in a process's environment at its start; None if unreadable."""
    try:
        return list(psutil.Process(pid).environ())
    except (*_GONE, OSError):
        return None


def working_directory(pid: int) -> Path | None:
    """Return a process's current directory, None when it cannot be read."""
    try:
        return Path(psutil.Process(pid).cwd())
    except _GONE:
        return None


def executable_of(pid: int) -> str:
    """Return the path of a process's program, empty when it cannot be read."""
    try:
        return psutil.Process(pid).exe()
    except (*_GONE, OSError):
        return ""


def variable_of(pid: int, name: str) -> str:
    """Return a variable of a process's environment at its start, empty without one."""
    try:
        return psutil.Process(pid).environ().get(name, "")
    except (*_GONE, OSError):
        return ""


def descendants_of(pid: int) -> list[int]:
    """Return the pids of a process's children and theirs."""
    try:
        return [one.pid for one in psutil.Process(pid).children(recursive=True)]
    except _GONE:
        return []


def ancestry(pid: int) -> list[Identity]:
    """Return the process and those above it, the nearest first."""
    try:
        process = psutil.Process(pid)
        line = [process, *process.parents()]
        return [Identity(one.pid, _born(one)) for one in line]
    except _GONE:
        return []


def same(one: Identity, other: Identity) -> bool:
    """Tell whether both are the same process."""
    # macOS tells it in microseconds, kept as a float: allow for rounding.
    return one.pid == other.pid and abs(one.created - other.created) < 0.02


def terminal_of(pid: int) -> str | None:
    """Return the path of a process's terminal, None without one."""
    fields = _fields(pid) if psutil.LINUX else None
    if fields is not None:
        device = int(fields[7 - _FIRST])
        # Pseudo-terminals have the majors 136 to 143 (Linux, devices.txt).
        number = (os.major(device) - 136) * 256 + os.minor(device)
        path = f"/dev/pts/{number}"
        with contextlib.suppress(OSError):
            if number >= 0 and Path(path).stat().st_rdev == device:
                return path
    # psutil looks for terminals once, and does not know those made later.
    try:
        return psutil.Process(pid).terminal()
    except _GONE:
        return None


def foreground_group(pid: int) -> int | None:
    """Return the process group that reads the terminal of `pid`, None if unknown."""
    fields = _fields(pid)
    if fields is not None:
        group = int(fields[8 - _FIRST])
        return group if group > 0 else None
    try:
        return os.getpgid(pid)
    except OSError:
        return None


def group_of(group: int) -> list[tuple[int, int]]:
    """Return the live members of a process group, each with its parent's pid."""
    found: list[tuple[int, int]] = []
    for process in psutil.process_iter():
        try:
            if (
                os.getpgid(process.pid) == group
                and process.status() != psutil.STATUS_ZOMBIE
            ):
                found.append((process.pid, process.ppid()))
        except (*_GONE, OSError):
            continue
    return found


def mount_points() -> list[str]:
    """Return where anything is mounted in this process's view, bind mounts too."""
    return [one.mountpoint for one in psutil.disk_partitions(all=True)]


def bytes_read(pid: int) -> int | None:
    """Return how many bytes a process has read so far; None where nothing tells.

    Linux counts all that read(2) and the like returned (proc_pid_io(5), `rchar`).
    """
    if not psutil.LINUX:
        return None
    try:
        return int(psutil.Process(pid).io_counters().read_chars)
    except _GONE:
        return None


def argv_of(pid: int) -> tuple[str, ...]:
    """Return a process's argument vector, empty when it cannot be read."""
    try:
        return tuple(psutil.Process(pid).cmdline())
    except _GONE:
        return ()


@dataclass(frozen=True, slots=True)
class Row:
    """One live process: `mark` is what the reader's function found in its environment."""

    identity: Identity
    parent: int
    session: int
    mark: str | None


def process_table(mark: Callable[[Mapping[str, str]], str | None]) -> list[Row]:
    """Return the live processes in one pass; zombies, tmux servers and this one apart.

    `mark` is given each environment that can be read; its answer stands in the row.
    A tmux server is left out although an agent may have started it: other people's
    sessions may live in it.
    """
    rows: list[Row] = []
    for process in psutil.process_iter():
        try:
            with process.oneshot():
                pid = process.pid
                if process.status() == psutil.STATUS_ZOMBIE or pid == os.getpid():
                    continue
                identity = Identity(pid, _born(process))
                parent = process.ppid()
                if process.name().startswith("tmux: server"):
                    continue
        except _GONE:
            continue
        rows.append(Row(identity, parent, _session(pid), _mark(process, mark)))
    return rows


def working_in(folders: Iterable[Path]) -> list[tuple[int, Path]]:
    """Return the live processes that are at work in one of the folders, and where.

    They have their directory there, or on Linux a file or folder of it open. This one
    and those above it are left out. Other users' are not found.
    """
    places = list(folders)
    mine = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
    found: list[tuple[int, Path]] = []
    for process in psutil.process_iter():
        if process.pid in mine:
            continue
        here = working_directory(process.pid)
        for place in ([here] if here else []) + _open(process.pid):
            inside = any(place == one or one in place.parents for one in places)
            if inside and identify(process.pid) is not None:
                found.append((process.pid, place))
                break
    return found


def _open(pid: int) -> list[Path]:
    """Return what a process has open, as far as the kernel tells by name."""
    folder = Path(psutil.PROCFS_PATH) / str(pid) / "fd" if psutil.LINUX else None
    names: list[Path] = []
    with contextlib.suppress(OSError):
        for entry in folder.iterdir() if folder else ():
            with contextlib.suppress(OSError):
                names.append(entry.readlink())
    return names


def _mark(
    process: psutil.Process, mark: Callable[[Mapping[str, str]], str | None]
) -> str | None:
    try:
        return mark(process.environ())
    except (*_GONE, OSError):
        # Another user's, or the kernel's: no environment to read.
        return None


def _session(pid: int) -> int:
    try:
        return os.getsid(pid)
    except OSError:
        return 0


def signal_all(
    identities: Iterable[Identity], number: int, seconds: float
) -> frozenset[Identity]:
    """Signal the processes and return those that have not ended after `seconds`.

    Stopped processes are continued, since a TERM stays pending on them for ever.
    """
    left = frozenset(one for one in identities if alive(one))
    for one in left:
        send_signal(one, number)
        send_signal(one, signal.SIGCONT)
    return wait_gone(left, seconds)


def end(
    identities: Iterable[Identity], *, term_wait: float, kill_wait: float = 5.0
) -> frozenset[Identity]:
    """End the processes: TERM, wait, KILL, wait; return those that survived."""
    left = signal_all(identities, signal.SIGTERM, term_wait)
    return signal_all(left, signal.SIGKILL, kill_wait) if left else left


def send_signal(identity: Identity, number: int) -> None:
    """Signal that very process; nothing happens when it has ended."""
    if not alive(identity):
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(identity.pid, number)


def wait_gone(identities: Iterable[Identity], seconds: float) -> frozenset[Identity]:
    """Wait until the processes have ended; return those that have not in time."""
    left = {one for one in identities if alive(one)}
    deadline = time.monotonic() + seconds
    pause = 0.005
    while left and time.monotonic() < deadline:
        time.sleep(pause)
        pause = min(pause * 1.5, 0.1)
        left = {one for one in left if alive(one)}
    return frozenset(left)
