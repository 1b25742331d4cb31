"""Run an agent's `setup:` commands in its worktree, once for each set of commands."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path

from mdtmux.errors import MdtmuxError
from mdtmux.running.jobs import Job
from mdtmux.running.verdicts import Voice
from mdtmux.system.files import private_dir, read_json, sha256, write_json
from mdtmux.system.programs import Leash, run_logged

# Installing dependencies takes minutes; a command that asks something takes for ever.
TIMEOUT = 1800.0
# Seconds after which people are told what is waited for.
_PATIENCE = 1.0


def run_setups(state: Path, jobs: Sequence[Job], voice: Voice) -> dict[str, str]:
    """Run the agents' setup commands, two agents at once; return faults by agent.

    When this is interrupted (^C, TERM), the commands are ended with their process
    groups before the exception goes on.
    """
    work = [job for job in jobs if job.agent.setup]
    if not work:
        return {}
    what = f"running setup for {len(work)} agent{'s' if len(work) > 1 else ''}"
    voice.tell(what)
    stop = threading.Event()
    futures: dict[str, Future[str]] = {}
    with ThreadPoolExecutor(2) as pool:
        try:
            for job in work:
                futures[job.agent.name] = pool.submit(_fault, state, job, stop)
            if wait(futures.values(), _PATIENCE).not_done:
                voice.note(f"{what} …; the output goes to `{state / 'logs'}`")
            found = {name: future.result() for name, future in futures.items()}
        except BaseException:
            stop.set()
            _await(list(futures.values()))
            raise
    return {name: fault for name, fault in found.items() if fault}


def _await(futures: Sequence[Future[str]]) -> None:
    """Wait until the threads have ended their commands, whoever presses ^C again.

    It takes a moment, and an interrupted `Thread.join` never waits again (3.11).
    """
    while not all(future.done() for future in futures):
        with contextlib.suppress(KeyboardInterrupt, SystemExit):
            wait(futures)


def _fault(state: Path, job: Job, stop: threading.Event) -> str:
    try:
        run_setup(state, job, stop)
    except MdtmuxError as error:
        return f"{error.message} ({error.hint})" if error.hint else error.message
    return ""


def run_setup(state: Path, job: Job, stop: threading.Event) -> None:
    """Run the commands that have not yet been run in this worktree.

    Each is a line for `/bin/sh -c`, in the agent's environment, with no terminal and
    no input; the output goes to `logs/setup-<agent>.log`. `stop` ends them when it
    is set by another thread.

    Raises:
        MdtmuxError: one failed; carries its status, its last lines and the log's
            path. The next `up` runs them again.
    """
    if not job.agent.setup:
        return
    mark = state / "setup" / f"{job.agent.name}.json"
    wanted = _wanted(job)
    if read_json(mark) == wanted:
        return
    log = private_dir(state / "logs") / f"setup-{job.agent.name}.log"
    log.unlink(missing_ok=True)
    for command in job.agent.setup:
        argv = ("/bin/sh", "-c", command)
        leash = Leash(TIMEOUT, stop)
        code = run_logged(argv, cwd=job.top, env=job.env, log=log, leash=leash)
        if code != 0:
            message = f"setup `{command}` failed with status {code}: {_last(log)}"
            raise MdtmuxError(message, hint=f"its output is in `{log}`")
    write_json(mark, wanted)


def _wanted(job: Job) -> str:
    """Return a hash of the commands and of the worktree, one made anew told apart."""
    try:
        # This file is written when the worktree is made.
        made = (job.top / ".git").stat().st_mtime_ns
    except OSError:
        made = 0
    return sha256(json.dumps([str(job.top), made, *job.agent.setup]).encode())


def _last(log: Path) -> str:
    try:
        rows = log.read_bytes()[-4000:].decode("utf-8", "replace").split("\n")
    except OSError:
        return ""
    return " | ".join(row.strip() for row in rows if row.strip())[-400:]
