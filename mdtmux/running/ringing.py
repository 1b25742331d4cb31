"""Wake an office's postman, start it and end it; the postman itself is `postman`."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from mdtmux.errors import MdtmuxError
from mdtmux.mail.box import Box
from mdtmux.mail.doorbell import Bell
from mdtmux.running.offices import OfficeRef
from mdtmux.system import files
from mdtmux.system.processes import MARKER, Identity, alive, end
from mdtmux.system.programs import spawn_detached

# Seconds that it has for its own end.
_END = 2.0
# What would make it look like a part of the agent in whose pane it was started.
_MARKS = (MARKER, "MDTMUX_AGENT", "MDTMUX_ROLE", "MDTMUX_RUN", "TMUX", "TMUX_PANE")


def place(state: Path) -> Path:
    """Return where the postman says which process it is."""
    return state / "mail" / "postman.json"


def pipe(state: Path) -> Path:
    """Return the pipe that wakes it."""
    return state / "mail" / "bell"


def ensure(ref: OfficeRef) -> Identity | None:
    """Wake the office's postman; start one where none runs, and return that one."""
    if wake(ref.state):
        return None
    env = {name: value for name, value in os.environ.items() if name not in _MARKS}
    argv = (sys.executable, "-P", "-m", "mdtmux", "--office", ref.id, "postman")
    log = files.private_dir(ref.state / "logs") / "postman.log"
    return spawn_detached(argv, env=env, log=log)


def ensure_for(ref: OfficeRef, names: Iterable[str]) -> None:
    """Wake or start it when mail waits for one of the agents."""
    if any(Box(ref.state / "mail" / name).waiting() for name in names):
        ensure(ref)


def wake(state: Path) -> bool:
    """Ring at the pipe; False when nobody reads there."""
    try:
        descriptor = os.open(pipe(state), os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENXIO):
            return False
        message = f"cannot wake the postman: {error.strerror}"
        raise MdtmuxError(message) from error
    try:
        # A full pipe has enough bytes to wake it.
        with contextlib.suppress(BlockingIOError):
            os.write(descriptor, b".")
    finally:
        os.close(descriptor)
    return True


def stop_postman(state: Path) -> None:
    """End the office's postman, if one runs; mail stays where it is."""
    value = files.read_json(place(state))
    if isinstance(value, dict):
        pid, created = value.get("pid"), value.get("created")
        if isinstance(pid, int) and isinstance(created, float):
            found = Identity(pid, created)
            if alive(found):
                end([found], term_wait=_END, kill_wait=_END)
    place(state).unlink(missing_ok=True)


def bell_of(box: Box) -> Bell:
    """Return what is known of the box's doorbell; a fresh one when nothing is."""
    value = files.read_json(box.folder / "bell.json")
    if not isinstance(value, dict):
        return Bell()
    try:
        return Bell(
            rung=float(value["rung"]),
            count=int(value["count"]),
            held=float(value["held"]),
            why=str(value["why"]),
        )
    except (KeyError, TypeError, ValueError):
        return Bell()


def keep_bell(box: Box, bell: Bell) -> None:
    """Remember the box's doorbell."""
    files.write_json(box.folder / "bell.json", asdict(bell))
