"""The door to programs: run one to its end, or start one that lives on."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mdtmux.errors import MdtmuxError, TimedOut
from mdtmux.system.processes import Identity, identify, wait_gone

# How long a command that is told to end may clean up, and how often one looks.
_GRACE = 2.0
_LOOK = 0.1


@dataclass(frozen=True, slots=True)
class Completed:
    """The outcome of a finished command."""

    code: int
    out: str
    err: str


def run(
    argv: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: str | None = None,
    timeout: float = 30.0,
) -> Completed:
    """Run a command to its end and return what it said, as UTF-8 text.

    Raises:
        MdtmuxError: the program does not exist or cannot be started.
        TimedOut: it did not end within `timeout` seconds; it was killed.
    """
    try:
        done = subprocess.run(
            argv,
            cwd=cwd,
            env=env,
            input=(stdin or "").encode("utf-8", "surrogateescape"),
            capture_output=True,
            timeout=timeout,
            check=False,
        )
    except FileNotFoundError as error:
        message = f"`{argv[0]}` is not installed"
        raise MdtmuxError(
            message, hint="`mdtmux doctor` names what is missing"
        ) from error
    except OSError as error:
        message = f"cannot start `{argv[0]}`: {error.strerror}"
        raise MdtmuxError(message) from error
    except subprocess.TimeoutExpired as error:
        message = f"`{argv[0]}` did not answer within {timeout:g} s"
        raise TimedOut(message) from error
    return Completed(
        done.returncode,
        done.stdout.decode("utf-8", "replace"),
        done.stderr.decode("utf-8", "replace"),
    )


@dataclass(frozen=True, slots=True)
class Leash:
    """What ends a command before its own end: its `seconds` are over, `cut` is set."""

    seconds: float
    cut: threading.Event


def run_logged(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    log: Path,
    leash: Leash,
) -> int:
    """Run a command with no input, its output appended to `log` (0600); return its code.

    When its seconds are over it is ended with its process group (TERM, then KILL) and
    the code is 124. When another thread cuts the leash it is ended likewise, or never
    started, and the code is 143.

    Raises:
        MdtmuxError: it cannot be started.
    """
    if leash.cut.is_set():
        return 128 + signal.SIGTERM
    descriptor = os.open(
        log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600
    )
    try:
        child = subprocess.Popen(
            argv,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=descriptor,
            stderr=descriptor,
            start_new_session=True,
        )
    except OSError as error:
        message = f"cannot start `{argv[0]}`: {error.strerror}"
        raise MdtmuxError(message) from error
    finally:
        os.close(descriptor)
    limit = time.monotonic() + leash.seconds
    try:
        while not leash.cut.is_set() and time.monotonic() < limit:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return child.wait(_LOOK)
    except BaseException:
        _end_group(child)
        raise
    _end_group(child)
    return 128 + signal.SIGTERM if leash.cut.is_set() else 124


def _end_group(child: subprocess.Popen[bytes]) -> None:
    """End a child that leads a process group, with the group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(_GRACE)
        # Whoever ignores TERM; the leader's id is the group's as long as one lives.
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def spawn_detached(
    argv: Sequence[str], *, env: Mapping[str, str], log: Path
) -> Identity:
    """Start a process that outlives this one, in a session of its own.

    Its output goes to `log` (0600). Returns its identity.
    """
    descriptor = os.open(
        log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600
    )
    try:
        child = subprocess.Popen(
            argv,
            env=env,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=descriptor,
            stderr=descriptor,
            start_new_session=True,
        )
    finally:
        os.close(descriptor)
    found = identify(child.pid)
    # Nobody waits for it here; init will reap it. Keep Popen from warning about it.
    child.returncode = 0
    return found or Identity(child.pid, 0.0)


def exit_code(child: Identity, seconds: float) -> int | None:
    """Wait for the end of a process started here; return its code, None if too late.

    A process that a signal ended has the code 128 and the signal's number, as in a
    shell.
    """
    if wait_gone([child], seconds):
        return None
    try:
        reaped, status = os.waitpid(child.pid, os.WNOHANG)
    except ChildProcessError:
        return None
    if reaped != child.pid:
        return None
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def attach_terminal(argv: Sequence[str], *, env: Mapping[str, str]) -> int:
    """Run a command on this process's own terminal and return its exit status."""
    return subprocess.run(argv, env=env, check=False).returncode
