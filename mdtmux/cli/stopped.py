"""What `down` needs besides stopping: its office, its own safety, its words."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from mdtmux.cli import output
from mdtmux.cli.context import current_office
from mdtmux.errors import UsageError
from mdtmux.running import offices
from mdtmux.running.down import DownResult
from mdtmux.running.offices import OfficeRef
from mdtmux.system.files import private_dir
from mdtmux.system.processes import spawn_detached, wait_gone


@dataclass(frozen=True, slots=True)
class Outcome:
    """The whole of a `down`: `removed` maps agents to what became of their worktree.

    A worktree's entry is "" when it was removed, else the reason why it stays.
    """

    ref: OfficeRef
    result: DownResult
    removed: Mapping[str, str] | None

    @property
    def good(self) -> bool:
        """Whether everything that was asked is done."""
        return not self.result.survivors and not any((self.removed or {}).values())


def office_of(ctx: click.Context, file: str | None) -> OfficeRef:
    """Return the office that `down [FILE]` means."""
    if file is None:
        return current_office(ctx)
    path = Path(file)
    ref = offices.by_file(path)
    if ref is None:
        known = "is not there" if not path.exists() else "has not been brought up"
        message = f"the office of `{file}` {known}"
        raise UsageError(message)
    return ref


def run_aside(ref: OfficeRef, words: Sequence[str]) -> int | None:
    """Run `mdtmux` with the words outside the office when this process is part of it.

    A `down` typed in a pane would be ended with the pane, half-way. Returns the exit
    code to leave with, None when this process is not of the office.
    """
    if os.environ.get("MDTMUX_STATE") != str(ref.state):
        return None
    env = {k: v for k, v in os.environ.items() if not k.startswith(("MDTMUX_", "TMUX"))}
    if "TMUX_TMPDIR" in os.environ:
        env["TMUX_TMPDIR"] = os.environ["TMUX_TMPDIR"]
    log = private_dir(ref.state / "logs") / "down.log"
    argv = (sys.executable, "-m", "mdtmux", "-o", ref.id, *words)
    child = spawn_detached(argv, env=env, log=log)
    output.note(f"going down outside this pane; what comes of it is told in {log}")
    # Usually the pane ends first and this process with it.
    wait_gone([child], 600.0)
    return 0


def show_outcome(outcome: Outcome, *, as_json: bool) -> None:
    """Print what `down` did."""
    result = outcome.result
    if as_json:
        survivors = [
            {"agent": s.agent, "pid": s.pid, "argv": s.argv} for s in result.survivors
        ]
        output.emit_json(
            {
                "office": outcome.ref.name,
                "stopped": result.stopped,
                "survivors": survivors,
                "left_alone": result.strangers,
                "worktrees": outcome.removed,
            }
        )
        return
    count = len(result.stopped)
    name = outcome.ref.name
    output.echo(
        f"office `{name}`: {count} stopped"
        if count
        else f"office `{name}` is not running"
    )
    for survivor in result.survivors:
        line = " ".join(survivor.argv)[:100]
        output.error(
            f"process {survivor.pid} of `{survivor.agent}` would not end: {line}"
        )
    for stranger in result.strangers:
        output.note(f"left alone in the session, not ours: pane {stranger}")
    for agent, why in (outcome.removed or {}).items():
        if why:
            output.error(f"the worktree of `{agent}` stays: {why}")
        else:
            output.echo(f"{agent}: worktree removed, branch kept")
