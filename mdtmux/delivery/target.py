"""Whom a delivery is for, and how it shall be done: plain values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mdtmux.agents.base import Kind
from mdtmux.names import AgentName, PaneId, RunId
from mdtmux.office.model import Paste
from mdtmux.system.processes import Identity


@dataclass(frozen=True, slots=True)
class Target:
    """One life of one agent, as recorded when it was started.

    `office` is the mark on its pane (`@mdtmux_office`). All of `office`, `agent`,
    `run`, `server_pid` and `process` must still be true of the pane when text is
    typed: tmux gives pane ids anew after a restart. `bracketed` tells from the
    recorded output whether the program asks for bracketed paste now (None: not
    known). `ready` is the office file's pattern for a screen that takes input.
    """

    office: str
    agent: AgentName
    kind: Kind
    pane: PaneId
    run: RunId
    process: Identity
    server_pid: int
    state: Path
    bracketed: Callable[[], bool | None]
    paste: Paste = Paste.AUTO
    ready: str | None = None

    @property
    def lock(self) -> Path:
        """The lock under which alone one types into the agent."""
        return self.state / "locks" / f"pane-{self.agent}.lock"


def _always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Options:
    """How to deliver.

    `wait`: wait until the agent can take the text, instead of refusing at once.
    `force`: type although the agent is busy, limited or not known to be ready; never
    into a shell, a pager, a dialog, a draft or a dead pane. `command`: a first character that
    the CLI takes for a command is meant as one. `timeout`: seconds for all waiting.
    `human`: wait also for what only a human can end, a dialog or a draft.
    `item` is the id of the queued item that is delivered, by the pump alone. `idle`:
    type only into an agent that is seen to be idle. `wanted` is asked last, right
    before the first key; when it says no, nothing is typed. `ahead`: before what waits
    in the agent's queue.
    """

    wait: bool = False
    force: bool = False
    command: bool = False
    timeout: float = 60.0
    item: str | None = None
    human: bool = True
    idle: bool = False
    wanted: Callable[[], bool] = _always
    ahead: bool = False
