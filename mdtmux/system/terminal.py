"""Who reads a pane's terminal, and how: the facts that decide whether one may type."""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
import termios
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

from mdtmux.system.interpreters import Reads, reads
from mdtmux.system.processes import argv_of

# The longest line a terminal in canonical mode keeps; the rest is dropped in silence.
CANONICAL_LIMIT = 4095


@dataclass(frozen=True, slots=True)
class Foreground:
    """The process that reads a terminal: the youngest leaf of its foreground group.

    `reads` tells what it does with what is typed. A command interpreter anywhere in
    the group goes before the leaf, and so does one at the inner end of a relay.
    """

    pid: int
    argv: tuple[str, ...]
    reads: Reads

    @property
    def shell(self) -> bool:
        """Whether whatever is typed would be executed."""
        return self.reads is Reads.COMMANDS


def foreground(pid: int) -> Foreground | None:
    """Return who reads the terminal that the process `pid` has; None if unknown."""
    group = _foreground_group(pid)
    if group is None:
        return None
    members = _members(group)
    parents = {parent for _, parent in members}
    leaves = [member for member, _ in members if member not in parents]
    if not leaves:
        return None
    found = {member: _reader(member) for member, _ in members}
    # Without job control a shell's background jobs share its group.
    shells = [one for one in found.values() if one.shell]
    reader = shells[0] if shells else found[max(leaves)]
    return _inner_shell(reader) or reader


def _reader(pid: int) -> Foreground:
    argv = argv_of(pid)
    exe, inspect = "", ""
    with contextlib.suppress(psutil.Error, OSError):
        process = psutil.Process(pid)
        exe = process.exe()
        inspect = process.environ().get("PYTHONINSPECT", "")
    return Foreground(pid, argv, reads(exe, argv, inspect))


def _inner_shell(relay: Foreground) -> Foreground | None:
    """Return the shell that reads the terminal which a relay has made, if one does."""
    if relay.reads is not Reads.RELAY:
        return None
    outer = _terminal(relay.pid)
    with contextlib.suppress(psutil.Error):
        for child in psutil.Process(relay.pid).children(recursive=True):
            if _terminal(child.pid) in (None, outer):
                continue
            inner = foreground(child.pid)
            if inner is not None and inner.shell:
                return inner
    return None


def is_canonical(tty: str) -> bool | None:
    """Tell whether the terminal is in canonical (line) mode; None if unreadable."""
    flags = _ask(tty, lambda descriptor: int(termios.tcgetattr(descriptor)[3]))
    return None if flags is None else bool(flags & termios.ICANON)


def reads_keys(pid: int) -> bool:
    """Tell whether the process's terminal hands on each key at once (not lines)."""
    tty = _terminal(pid)
    return tty is not None and is_canonical(tty) is False


def unread(tty: str) -> int | None:
    """Return how many typed bytes no program has read yet; None if unreadable.

    In canonical mode a line counts once its line break is there (Linux, tty_ioctl(4)).
    """
    return _ask(tty, _pending)


def _pending(descriptor: int) -> int:
    answer = fcntl.ioctl(descriptor, termios.FIONREAD, bytes(struct.calcsize("i")))
    return int(struct.unpack("i", answer)[0])


def _ask(tty: str, question: Callable[[int], int]) -> int | None:
    try:
        descriptor = os.open(
            tty, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC
        )
    except OSError:
        return None
    try:
        return question(descriptor) if os.isatty(descriptor) else None
    except (OSError, termios.error):
        # The last program that had the terminal has just closed it.
        return None
    finally:
        os.close(descriptor)


def _terminal(pid: int) -> str | None:
    """Return the path of the process's terminal, None without one."""
    with contextlib.suppress(OSError, IndexError):
        row = Path(f"/proc/{pid}/stat").read_text()
        device = int(row.rpartition(")")[2].split()[4])
        # Pseudo-terminals have the majors 136 to 143 (Linux, devices.txt).
        number = (os.major(device) - 136) * 256 + os.minor(device)
        path = f"/dev/pts/{number}"
        if number >= 0 and Path(path).stat().st_rdev == device:
            return path
    # psutil looks for terminals once, and does not know those made later.
    with contextlib.suppress(psutil.Error):
        return psutil.Process(pid).terminal()
    return None


def _foreground_group(pid: int) -> int | None:
    try:
        row = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return _group_without_proc(pid)
    # Field 8, tpgid, counted behind the command's name, which may hold blanks.
    group = int(row.rpartition(")")[2].split()[5])
    return group if group > 0 else None


def _group_without_proc(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except OSError:
        return None


def _members(group: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for process in psutil.process_iter():
        try:
            if (
                os.getpgid(process.pid) == group
                and process.status() != psutil.STATUS_ZOMBIE
            ):
                found.append((process.pid, process.ppid()))
        except (OSError, psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found
