"""How much one member has written to another: the guard against mail that runs in circles.

One file for each pair in each direction, eight bytes for each message: the time.
Appending needs no lock, and only the end is ever read.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from pathlib import Path

from mdtmux.errors import MdtmuxError
from mdtmux.system.files import private_dir, read_json, write_json

_STOPPED = ".stopped"
_REMEMBERED = 3600.0
_TIME = struct.Struct("<d")


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `count` messages of one member to another within `seconds`."""

    count: int
    seconds: float


def file_of(root: Path, sender: str, to: str) -> Path:
    """Return where the pair's messages are counted; a comma is in no name."""
    return root / "pairs" / f"{sender},{to}"


def add(root: Path, sender: str, to: str, now: float) -> None:
    """Count one message.

    Raises:
        MdtmuxError: the file cannot be written.
    """
    path = file_of(root, sender, to)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
    try:
        private_dir(path.parent)
        descriptor = os.open(path, flags, 0o600)
        try:
            os.write(descriptor, _TIME.pack(now))
        finally:
            os.close(descriptor)
    except OSError as error:
        message = f"cannot write `{path}`: {error.strerror}"
        raise MdtmuxError(message) from error


def stop(root: Path, sender: str, to: str, reason: str, now: float) -> None:
    """Note that a message of the pair was refused, for whoever looks."""
    value = {"time": now, "to": to, "reason": reason}
    write_json(file_of(root, sender, to).with_suffix(_STOPPED), value)


def stopped(root: Path, sender: str, now: float) -> list[str]:
    """Return why messages of the sender were refused within the last hour."""
    found = []
    for path in sorted((root / "pairs").glob(f"{sender},*{_STOPPED}")):
        value = read_json(path)
        if isinstance(value, dict) and 0 <= now - float(value["time"]) < _REMEMBERED:
            found.append(str(value["reason"]))
    return found


def exceeded(root: Path, sender: str, to: str, rate: Rate, now: float) -> bool:
    """Tell whether one more message now would be more than the rate allows."""
    try:
        with file_of(root, sender, to).open("rb") as file:
            size = file.seek(0, os.SEEK_END) // _TIME.size
            if size < rate.count:
                return False
            file.seek((size - rate.count) * _TIME.size)
            (then,) = _TIME.unpack(file.read(_TIME.size))
    except FileNotFoundError:
        return False
    except OSError as error:
        message = f"cannot read `{file_of(root, sender, to)}`: {error.strerror}"
        raise MdtmuxError(message) from error
    # A clock that was set back must not hold mail for as long as it was.
    return 0 <= now - float(then) < rate.seconds
