"""Who reads a pane's terminal, and how: the facts that decide whether one may type."""

from __future__ import annotations

import fcntl
import os
import struct
import termios
from collections.abc import Callable
from dataclasses import dataclass

from mdtmux.system.interpreters import Reads, reads
from mdtmux.system.processes import (
    alive,
    argv_of,
    bytes_read,
    descendants_of,
    executable_of,
    foreground_group,
    group_of,
    identify,
    terminal_of,
    variable_of,
)

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
    group = foreground_group(pid)
    if group is None:
        return None
    members = group_of(group)
    parents = {parent for _, parent in members}
    leaves = [member for member, _ in members if member not in parents]
    if not leaves:
        return None
    found = {member: _reader(member) for member, _ in members}
    # Without job control a shell's background jobs share its group.
    shells = [one for one in found.values() if one.shell]
    reader = shells[0] if shells else found[max(leaves)]
    inner = hosted_shell(reader.pid) if reader.reads is Reads.RELAY else None
    return inner or reader


def _reader(pid: int) -> Foreground:
    argv, inspect = argv_of(pid), variable_of(pid, "PYTHONINSPECT")
    return Foreground(pid, argv, reads(executable_of(pid), argv, inspect))


def hosted_shell(pid: int) -> Foreground | None:
    """Return a shell that reads a terminal which the process has made, if one does."""
    outer = terminal_of(pid)
    for child in descendants_of(pid):
        if terminal_of(child) in (None, outer):
            continue
        inner = foreground(child)
        if inner is not None and inner.shell:
            return inner
    return None


class Readers:
    """Those that can read a terminal, and what they do from now on.

    They are the foreground group of the terminal that the process `pid` has, as it is
    now; without a `pid` there are none.
    """

    def __init__(self, pid: int | None) -> None:
        group = None if pid is None else foreground_group(pid)
        members = [] if group is None else group_of(group)
        self._before = {member: bytes_read(member) for member, _ in members}
        parents = {parent for _, parent in members}
        leaves = [member for member, _ in members if member not in parents]
        self._leaf = identify(max(leaves)) if leaves else None

    def took(self) -> int | None:
        """Return the bytes they have read since, from wherever.

        None if unknown, or when one of them has ended.
        """
        total = 0
        for pid, before in self._before.items():
            after = bytes_read(pid)
            if before is None or after is None:
                return None
            total += after - before
        return total if self._before else None

    def left(self) -> bool:
        """Tell whether the one that most likely reads, the youngest leaf, has ended."""
        return self._leaf is not None and not alive(self._leaf)


def is_canonical(tty: str) -> bool | None:
    """Tell whether the terminal is in canonical (line) mode; None if unreadable."""
    flags = _ask(tty, lambda descriptor: int(termios.tcgetattr(descriptor)[3]))
    return None if flags is None else bool(flags & termios.ICANON)


def reads_keys(pid: int) -> bool:
    """Tell whether the process's terminal hands on each key at once (not lines)."""
    tty = terminal_of(pid)
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
