"""Run an agent's `setup:` commands in its worktree, once for each set of commands."""

from __future__ import annotations

import json
from pathlib import Path

from mdtmux.errors import MdtmuxError
from mdtmux.running.jobs import Job
from mdtmux.system.files import private_dir, read_json, sha256, write_json
from mdtmux.system.programs import run_logged

# Installing dependencies takes minutes; a command that asks something takes for ever.
TIMEOUT = 1800.0


def run_setup(state: Path, job: Job) -> None:
    """Run the commands that have not yet been run in this worktree.

    Each is a line for `/bin/sh -c`, in the agent's environment, with no terminal and
    no input; the output goes to `logs/setup-<agent>.log`.

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
        code = run_logged(argv, cwd=job.top, env=job.env, log=log, timeout=TIMEOUT)
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
