"""The environment of an agent: the caller's, cleaned, then what the file asks for."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from mdtmux.agents.base import Kind
from mdtmux.errors import MdtmuxError
from mdtmux.names import RunId
from mdtmux.office.envfile import FORM, parse
from mdtmux.office.model import Agent
from mdtmux.running.offices import OfficeRef
from mdtmux.running.records import load
from mdtmux.system.files import text_of, write_private
from mdtmux.system.git_env import is_local_variable

# Of the terminal or the pane that the caller sits in, not of the agent's.
_CALLER = frozenset(
    [
        "COLUMNS",
        "LINES",
        "WINDOWID",
        "TERM_SESSION_ID",
        "STY",
        "TMUX",
        "TMUX_PANE",
    ]
)


def read_env_file(path: Path) -> dict[str, str]:
    """Return the assignments of an env file: `NAME=value` lines.

    What they may look like is told in `office.envfile`.

    Raises:
        MdtmuxError: the file cannot be read, or a line is no assignment.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        message = f"cannot read the env file `{path}`: {error}"
        raise MdtmuxError(message) from error
    found, wrong = parse(text)
    if wrong:
        message = f"{path}:{wrong[0]}: {FORM}"
        raise MdtmuxError(message)
    return found


def build(
    ref: OfficeRef, agent: Agent, kind: Kind, run: RunId, caller: Mapping[str, str]
) -> dict[str, str]:
    """Return the whole environment of one run of an agent.

    The order, later ones winning: the caller's (without git's repository variables,
    the caller's terminal and what the kind scrubs), the kind's defaults, env files,
    `env:`; then `unset:` removes, and mdtmux's own variables are set.

    Raises:
        MdtmuxError: an env file cannot be used.
    """
    dropped = _CALLER | set(kind.scrub) | _callers_own(caller)
    env = {
        name: value
        for name, value in caller.items()
        if name not in dropped
        and not is_local_variable(name)
        and not name.startswith("MDTMUX_")
    }
    env |= {name: value for name, value in kind.env.items() if name not in env}
    env |= own_variables(agent)
    for name in agent.unset:
        env.pop(name, None)
    env["PATH"] = f"{ref.state / 'bin'}{os.pathsep}{env.get('PATH', os.defpath)}"
    return env | {
        "MDTMUX_OFFICE": ref.name,
        "MDTMUX_FILE": str(ref.file),
        "MDTMUX_AGENT": agent.name,
        "MDTMUX_ROLE": agent.role,
        "MDTMUX_STATE": str(ref.state),
        "MDTMUX_RUN": run,
    }


def own_variables(agent: Agent) -> dict[str, str]:
    """Return what `env_file` and `env` give the agent.

    Raises:
        MdtmuxError: an env file cannot be used.
    """
    own: dict[str, str] = {}
    for path in agent.env_file:
        own |= read_env_file(path)
    return own | dict(agent.env)


def _callers_own(caller: Mapping[str, str]) -> set[str]:
    """Return what is another agent's own, when it is an agent that starts this one.

    The keys that a boss was given must not reach the workers it spawns.
    """
    state, name = caller.get("MDTMUX_STATE"), caller.get("MDTMUX_AGENT")
    record = load(Path(state), name) if state and name else None
    return set(record.private) if record is not None else set()


def install_command(ref: OfficeRef) -> None:
    """Put `mdtmux` into the state's `bin`, which is first on every agent's PATH.

    A folder of its own, not the interpreter's: that one would shadow the `python`
    of the user's project. With `-P`, the modules of that project stay outside too.
    """
    script = ref.state / "bin" / "mdtmux"
    text = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -P -m mdtmux "$@"\n'
    try:
        if text_of(script) == text and os.access(script, os.X_OK):
            return
    except OSError:
        pass
    write_private(script, text)
    script.chmod(0o700)
