"""The door to git: whatever mdtmux asks or tells a repository goes through here.

A call never inherits the variables by which a git alias or a hook points git at
another repository, never waits for a password, never runs for ever, and never uses
`--force`. Locks of other git processes are waited for, for a bounded time.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import select
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from mdtmux.errors import GitError, MdtmuxError, TimedOut
from mdtmux.system.git_env import environment, is_local_variable
from mdtmux.system.git_words import joined, remedy

LOCK_WAIT = 10.0
_TERM_WAIT = 2.0

_LOCKED = re.compile(
    r"(?:Unable to create '(?P<file>[^'\n]+\.lock)'"
    r"|could not lock config file (?P<config>[^:\n]+)): File exists"
)
# `worktree add` meets the half-made folder of another one (performance.md §4), or the
# folder above goes, empty after a removal, before the new one stands in it; or a
# `worktree prune` of somebody else takes the half-made one for garbage.
_HALF_MADE = re.compile(
    r"failed to read \S*worktrees/\S+/commondir"
    r"|could not create (?:leading directories|directory) of .*: No such file"
    r"|could not open '\S*worktrees/\S+' for writing: No such file"
)


@dataclass(frozen=True, slots=True)
class Completed:
    """What one git call left: exit code, raw standard output, messages as text."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """Return the output as text without the last line's end; any bytes survive."""
        return os.fsdecode(self.out).removesuffix("\n")

    def records(self) -> list[str]:
        """Return the parts of an output that `-z` ended with NUL."""
        return [os.fsdecode(part) for part in self.out.split(b"\0") if part]


@dataclass(frozen=True, slots=True)
class Using:
    """How a call differs from the plain one; `timeout` in seconds.

    `index` is an index file in place of the worktree's own; `descriptors` are open
    files that git shall inherit; `env` is laid over the environment. `hooks` says
    that the call runs the user's hooks: what they leave in the background with our
    pipes open must not be waited for.
    """

    timeout: float = 60.0
    hooks: bool = False
    index: Path | None = None
    descriptors: tuple[int, ...] = ()
    env: tuple[tuple[str, str], ...] = ()


PLAIN = Using()


def run(
    where: Path,
    *args: str,
    check: bool = True,
    stdin: bytes | None = None,
    using: Using = PLAIN,
) -> Completed:
    """Run `git -C WHERE ARGS` to its end; foreign locks are waited for up to 10 s.

    Args:
        where: the worktree, bare repository or git directory to work in.
        args: the git command and its arguments.
        check: raise when git's exit code is not 0; a lock that stays raises always.
        stdin: what git reads.
        using: time limit, index file and the like.

    Raises:
        GitError: git failed, with git's own words, or a lock file stayed.
        TimedOut: git did not end in time; it was stopped.
        MdtmuxError: git cannot be started.
    """
    deadline = time.monotonic() + LOCK_WAIT
    while True:
        done = _once(where, args, stdin, using)
        lock = _LOCKED.search(done.err) if done.code else None
        if lock is None and not (done.code and _HALF_MADE.search(done.err)):
            break
        if time.monotonic() > deadline:
            raise _still_locked(where, args, lock, done)
        # Jitter: two that lost the same race must not meet again.
        time.sleep(random.uniform(0.02, 0.2))
    if check and done.code:
        raise failure(args, done)
    return done


def _once(
    where: Path, args: tuple[str, ...], stdin: bytes | None, using: Using
) -> Completed:
    with contextlib.ExitStack() as files:
        feed: IO[bytes] | None = None
        sinks: list[IO[bytes]] = []
        if stdin is not None:
            feed = files.enter_context(_temporary(stdin))
        if using.hooks:
            sinks = [files.enter_context(_temporary()) for _ in range(2)]
        process = files.enter_context(_start(where, args, using, feed, sinks))
        said = _finish(process, args, using.timeout)
        for sink in sinks:
            sink.seek(0)
        out, err = [sink.read() for sink in sinks] or said
    return Completed(process.returncode, out, err.decode("utf-8", "replace"))


@contextlib.contextmanager
def _temporary(data: bytes = b"") -> Iterator[IO[bytes]]:
    with contextlib.ExitStack() as files:
        try:
            file = files.enter_context(tempfile.TemporaryFile())
            file.write(data)
            file.seek(0)
        except OSError as error:
            message = f"cannot write a temporary file for git: {error.strerror}"
            raise MdtmuxError(message) from error
        yield file


def _start(
    where: Path,
    args: tuple[str, ...],
    using: Using,
    feed: IO[bytes] | None,
    sinks: list[IO[bytes]],
) -> subprocess.Popen[bytes]:
    env = environment() | dict(using.env)
    if using.index is not None:
        env["GIT_INDEX_FILE"] = str(using.index)
    out, err = sinks or (subprocess.PIPE, subprocess.PIPE)
    try:
        return subprocess.Popen(
            ["git", "-C", str(where), *_settings(where), *args],
            env=env,
            stdin=feed or subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            bufsize=0,
            pass_fds=using.descriptors,
            # A group of its own, so that a time limit ends git's hooks and filters too.
            process_group=0,
        )
    except FileNotFoundError as error:
        message = "`git` is not installed"
        raise MdtmuxError(
            message, hint="`mdtmux doctor` names what is missing"
        ) from error
    except OSError as error:
        message = f"cannot start git: {error.strerror}"
        raise MdtmuxError(message) from error


def _settings(where: Path) -> list[str]:
    # The user may let git reset the work in submodules along; we never do. And neither
    # what a monitor says of the files nor their size and time alone is a proof.
    sure = ("submodule.recurse=false", "core.fsmonitor=false")
    exact = ("core.checkStat=default", "core.trustctime=true")
    settings = [word for setting in (*sure, *exact) for word in ("-c", setting)]
    if (where / "HEAD").is_file():
        # A git folder that we name: not one that git came upon (git-config(1)).
        settings += ["-c", "safe.bareRepository=all"]
    return settings


def _finish(
    process: subprocess.Popen[bytes], args: tuple[str, ...], timeout: float
) -> list[bytes]:
    """Read the process's pipes to their end and wait for its own; both in time."""
    deadline = time.monotonic() + timeout
    pipes = [pipe for pipe in (process.stdout, process.stderr) if pipe is not None]
    try:
        said = _read_all([pipe.fileno() for pipe in pipes], deadline)
        _wait(process, deadline)
    except TimeoutError as error:
        _stop(process)
        message = (
            f"`git {_verb(args)}` did not end within {timeout:g} s and was stopped"
        )
        raise TimedOut(message) from error
    except BaseException:
        _stop(process)
        raise
    return said


def _read_all(descriptors: list[int], deadline: float) -> list[bytes]:
    said = {descriptor: bytearray() for descriptor in descriptors}
    with selectors.DefaultSelector() as selector:
        for descriptor in descriptors:
            selector.register(descriptor, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(deadline - time.monotonic())
            if not ready:
                raise TimeoutError
            for key, _ in ready:
                chunk = os.read(key.fd, 1 << 16)
                said[key.fd] += chunk
                if not chunk:
                    selector.unregister(key.fd)
    return [bytes(said[descriptor]) for descriptor in descriptors]


def _wait(process: subprocess.Popen[bytes], deadline: float) -> None:
    """Wait for the exit. Not with Popen's own time limit: that one polls and sleeps."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            descriptor = os.pidfd_open(process.pid)
            try:
                exited = select.poll()
                exited.register(descriptor, select.POLLIN)
                exited.poll(max(0.0, deadline - time.monotonic()) * 1000)
            finally:
                os.close(descriptor)
    try:
        process.wait(max(0.001, deadline - time.monotonic()))
    except subprocess.TimeoutExpired as error:
        raise TimeoutError from error


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End git and what it started; TERM first, since git then removes its locks."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_TERM_WAIT)


def _verb(args: tuple[str, ...]) -> str:
    """Name the command of a call: `worktree add`, `status`."""
    set_for_it = {i + 1 for i, word in enumerate(args) if word == "-c"}
    words = [word for i, word in enumerate(args) if i not in set_for_it]
    plain = [word for word in words if not word.startswith("-")]
    two = plain[:1] in (["worktree"], ["submodule"], ["hook"])
    return " ".join(plain[: 2 if two else 1])


def failure(args: tuple[str, ...], done: Completed) -> GitError:
    """Make the error for a git call that failed: git's own words, and a remedy."""
    lines = joined(done.err)
    told = [line for line in lines if not line.startswith("hint:")]
    # What git was doing stands first, why it failed at the end.
    faults = [line for line in told if line.startswith(("fatal:", "error:"))]
    words = "; ".join((faults or told)[-3:]) or f"exit code {done.code}"
    return GitError(f"git {_verb(args)}: {words}", hint=remedy(done.err))


def _still_locked(
    where: Path, args: tuple[str, ...], lock: re.Match[str] | None, done: Completed
) -> GitError:
    if lock is None:
        return failure(args, done)
    named = lock.group("file") or f"{lock.group('config')}.lock"
    file = os.path.normpath(where / named)
    message = f"git {_verb(args)}: `{file}` was held for more than {LOCK_WAIT:g} s"
    hint = "when no other git runs in that repository, remove that file"
    return GitError(message, hint=hint)


def version(where: Path) -> tuple[int, int]:
    """Return git's major and minor version; (0, 0) when it says something else."""
    found = re.search(r"(\d+)\.(\d+)", run(where, "version").text)
    return (int(found.group(1)), int(found.group(2))) if found else (0, 0)


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit for people: `time` is the author's, seconds since the epoch."""

    sha: str
    subject: str
    author: str
    time: int


def commits(where: Path, tip: str, exclude: str) -> tuple[Commit, ...]:
    """Return the commits of `tip` that `exclude` does not have, newest first.

    Raises:
        GitError: one of the two names no commit.
    """
    # Imported here: GitPython costs 165 ms that `up` must not pay.
    import git

    with _without_local_variables(), contextlib.closing(git.Repo(where)) as repo:
        try:
            return tuple(
                Commit(
                    commit.hexsha,
                    _text(commit.summary),
                    commit.author.name or "",
                    commit.authored_date,
                )
                for commit in repo.iter_commits(f"{exclude}..{tip}")
            )
        except (git.GitCommandError, ValueError) as error:
            message = f"git cannot list the commits of `{tip}`: {error}"
            raise GitError(message) from error


def _text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("utf-8", "replace")


@contextlib.contextmanager
def _without_local_variables() -> Iterator[None]:
    """Hide what binds git to a repository: GitPython hands the environment on."""
    hidden = {key: os.environ[key] for key in os.environ if is_local_variable(key)}
    for key in hidden:
        del os.environ[key]
    try:
        yield
    finally:
        os.environ.update(hidden)
