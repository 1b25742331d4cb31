"""Who reads a pane's terminal, and how: the facts that decide whether one may type."""

from __future__ import annotations

import fcntl
import os
import struct
import termios
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

from mdtmux.system.processes import argv_of

# The longest line a terminal in canonical mode keeps; the rest is dropped in silence.
CANONICAL_LIMIT = 4095
_SHELLS = frozenset(
    [
        "sh", "bash", "zsh", "fish", "dash", "ash", "ksh", "mksh", "tcsh", "csh",
        "busybox", "nu", "pwsh", "xonsh",
    ]
)  # fmt: skip
_REPLS = frozenset(
    [
        "python", "python3", "ipython", "node", "irb", "lua", "ghci", "psql", "sqlite3",
        "mysql", "php", "perl", "R", "bc",
    ]
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Foreground:
    """The process that reads a terminal: the youngest leaf of its foreground group.

    `shell` is set when what reads is a command interpreter at its prompt: whatever
    is typed would be executed.
    """

    pid: int
    argv: tuple[str, ...]
    shell: bool


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
    reader = max(leaves)
    argv = argv_of(reader)
    return Foreground(reader, argv, is_interpreter(argv))


def is_interpreter(argv: tuple[str, ...]) -> bool:
    """Tell whether the argument vector is a shell or REPL that reads commands.

    A script or a `-c` text makes it a program of its own, unless `-i` is there too.
    """
    if not argv:
        return False
    name = Path(argv[0]).name.lstrip("-")
    stem = name.rstrip("0123456789.")
    if name not in _SHELLS | _REPLS and stem not in _SHELLS | _REPLS:
        return False
    flags = [word for word in argv[1:] if word.startswith("-") and word != "--"]
    short = "".join(flag[1:] for flag in flags if not flag.startswith("--"))
    if "i" in short or "--interactive" in flags:
        return True
    if stem in _SHELLS or name in _SHELLS:
        script = "c" in short or any(not word.startswith("-") for word in argv[1:])
        return "s" in short or not script
    return all(word.startswith("-") for word in argv[1:]) and not {"c", "e", "m"} & set(
        short
    )


def is_canonical(tty: str) -> bool | None:
    """Tell whether the terminal is in canonical (line) mode; None if unreadable."""
    flags = _ask(tty, lambda descriptor: int(termios.tcgetattr(descriptor)[3]))
    return None if flags is None else bool(flags & termios.ICANON)


def reads_keys(pid: int) -> bool:
    """Tell whether the process's terminal hands on each key at once (not lines)."""
    try:
        tty = psutil.Process(pid).terminal()
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return False
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
