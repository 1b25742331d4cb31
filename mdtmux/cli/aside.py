"""Run a command outside the pane that it is about to end."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from mdtmux.cli import output
from mdtmux.errors import TimedOut
from mdtmux.running.offices import OfficeRef
from mdtmux.system.files import private_dir
from mdtmux.system.programs import exit_code, spawn_detached

# Seconds; usually the pane ends first, and this process with it.
_PATIENCE = 600.0


def step_aside(ctx: click.Context, ref: OfficeRef, agents: Sequence[str]) -> None:
    """Run this command in a process of its own when it would end the caller half-way.

    That is when it is called by one of the agents (of the office, when none is
    named); then this does not return, and exits with the code of that process.

    Raises:
        TimedOut: it is still at work.
    """
    if os.environ.get("MDTMUX_STATE") != str(ref.state):
        return
    if agents and os.environ.get("MDTMUX_AGENT") not in agents:
        return
    env = {k: v for k, v in os.environ.items() if not k.startswith(("MDTMUX_", "TMUX"))}
    if "TMUX_TMPDIR" in os.environ:
        env["TMUX_TMPDIR"] = os.environ["TMUX_TMPDIR"]
    verb = ctx.command.name or ""
    log = private_dir(ref.state / "logs") / f"{verb}.log"
    words = ("-o", ref.id, verb, *_options(ctx), "--", *agents)
    child = spawn_detached(
        (sys.executable, "-P", "-m", "mdtmux", *words), env=env, log=log
    )
    output.note(
        f"`{verb}` goes on outside this pane; what comes of it is told in {log}"
    )
    code = exit_code(child, _PATIENCE)
    if code is None:
        message = f"`{verb}` is still at work outside this pane"
        raise TimedOut(message, hint=f"what comes of it is told in `{log}`")
    sys.exit(code)


def _options(ctx: click.Context) -> list[str]:
    """Write the options that the command was given, as words."""
    words: list[str] = []
    for option in ctx.command.params:
        value = ctx.params.get(option.name or "")
        if not isinstance(option, click.Option) or value is None:
            continue
        if value is False:
            # `--prompt/--no-prompt`: the second name says no.
            words += option.secondary_opts[:1]
            continue
        words.append(option.opts[0])
        if not option.is_flag:
            words.append(str(value))
    return words
