"""What is true now of each agent: tmux and the process table are asked, every time."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from mdtmux.running.failures import read_failures
from mdtmux.running.offices import OfficeRef
from mdtmux.running.records import RunRecord, load_all
from mdtmux.running.wish import Wish, read_wishes
from mdtmux.system.processes import Identity, alive, identify, working_directory
from mdtmux.system.screen import Pane
from mdtmux.system.tmux import Tmux


class State(StrEnum):
    """The state of an agent's process, in the field's words."""

    STARTING = "starting"
    RUNNING = "running"
    EXITED = "exited"
    FAILED = "failed"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Standing:
    """What was seen of one agent; `since` is seconds since the epoch.

    `why` says in words how the state is known. `identity` is the live process.
    """

    name: str
    state: State
    why: str
    since: float | None
    status: int | None
    signal: int | None
    pane: Pane | None
    identity: Identity | None
    record: RunRecord | None
    wish: Wish | None

    @property
    def lives(self) -> bool:
        """Whether the agent's process runs."""
        return self.state in (State.STARTING, State.RUNNING)

    @property
    def proven(self) -> bool:
        """Whether it was seen to be ready in its present life."""
        record, pane = self.record, self.pane
        same = record is not None and pane is not None and record.run == pane.run
        return self.lives and same and record is not None and record.ready

    @property
    def homeless(self) -> bool:
        """Whether the agent lives in a folder that is not there any more."""
        return (
            self.lives and self.record is not None and _is_gone(self.record.directory)
        )

    @property
    def root(self) -> Identity | None:
        """The process that is certainly the agent's: not what else runs in its pane.

        Never the recorded one alone: a state file may be wrong.
        """
        return self.identity if self.lives else None

    def lives_in(self, place: Path) -> bool:
        """Tell whether a process of the agent works in the folder."""
        if self.identity is None:
            return False
        if self.worked_in(place):
            return True
        # The record may be of another run, or missing after a kill of `up`.
        here = working_directory(self.identity.pid)
        return here is not None and (here == place or place in here.parents)

    def worked_in(self, place: Path) -> bool:
        """Tell whether the folder is the worktree of the last run that is known."""
        return self.record is not None and self.record.worktree == place


def panes_of(ref: OfficeRef, panes: Iterable[Pane]) -> dict[str, Pane]:
    """Return the office's panes by agent; a live one is preferred to a dead one."""
    ours = [pane for pane in panes if pane.office == ref.id and pane.agent]
    return {pane.agent: pane for pane in sorted(ours, key=lambda pane: not pane.dead)}


def observe(ref: OfficeRef, tmux: Tmux) -> dict[str, Standing]:
    """Return the standing of every agent that the office knows or that has a pane."""
    return observe_panes(ref.state, panes_of(ref, tmux.panes()), ref.agents)


def observe_panes(
    state: Path, panes: Mapping[str, Pane], names: Iterable[str]
) -> dict[str, Standing]:
    """Return the standings for panes already listed; order: `names`, then the rest."""
    records = load_all(state)
    wishes = read_wishes(state)
    order = list(dict.fromkeys([*names, *records, *panes]))
    failures = read_failures(state)
    found = {
        name: judge(name, panes.get(name), records.get(name), wishes.get(name))
        for name in order
    }
    for name, why in failures.items():
        standing = found.get(name)
        if standing and standing.state is State.STOPPED and standing.wish is Wish.UP:
            found[name] = dataclasses.replace(standing, state=State.FAILED, why=why)
    return found


def judge(
    name: str, pane: Pane | None, record: RunRecord | None, wish: Wish | None
) -> Standing:
    """Decide one agent's state from its pane, its record and the process table."""
    if pane is not None and not pane.dead:
        return _judge_live(name, pane, record, wish)
    if pane is not None:
        return _judge_dead(name, pane, record, wish)
    state, why = State.STOPPED, "it was never started"
    if record is not None:
        why = "it was stopped" if wish is Wish.STOPPED else "its pane is gone"
        if record.identity is not None and alive(record.identity):
            # It ignored the hang-up, or its tmux server is not to be reached any more.
            state = State.FAILED
            why = f"its pane is gone, but its process {record.pid} lives on"
    return Standing(name, state, why, None, None, None, None, None, record, wish)


def _is_gone(folder: Path) -> bool:
    try:
        return not folder.is_dir()
    except OSError:
        return False


def _judge_live(
    name: str, pane: Pane, record: RunRecord | None, wish: Wish | None
) -> Standing:
    identity = identify(pane.pid)
    same = record is not None and record.run == pane.run
    since = record.started if record is not None and same else None
    state = State.RUNNING
    waits = record is not None and not record.ready and record.awaited > time.time()
    if same and waits:
        state = State.STARTING
    if identity is None:
        # The process has ended and tmux has not noticed yet, or nobody reaps it.
        why = f"process {pane.pid} has ended (a zombie counts as ended)"
        state = State.EXITED
    elif not same:
        why = f"process {pane.pid} lives in pane {pane.pane}, started by an interrupted `up`"
    elif record is not None and record.pid and not _matches(record, identity):
        why = f"pane {pane.pane} runs process {pane.pid}, which is not the one recorded"
        state = State.FAILED
    else:
        why = f"process {pane.pid} lives in pane {pane.pane}"
        if record is not None and not record.ready and state is State.RUNNING:
            why += f"; {record.unready or 'it was not seen to be ready'}"
        if record is not None and _is_gone(record.directory):
            why += f"; its folder `{record.directory}` is gone"
            why += f": `mdtmux restart {name}` makes it again"
    return Standing(name, state, why, since, None, None, pane, identity, record, wish)


def _judge_dead(
    name: str, pane: Pane, record: RunRecord | None, wish: Wish | None
) -> Standing:
    state, why = State.EXITED, f"its process {pane.ended()}"
    if wish is Wish.STOPPED:
        state, why = State.STOPPED, f"it was stopped; its process {pane.ended()}"
    since = float(pane.dead_time) if pane.dead_time else None
    return Standing(
        name, state, why, since, pane.status, pane.signal, pane, None, record, wish
    )


def _matches(record: RunRecord, identity: Identity) -> bool:
    recorded = record.identity
    return recorded is not None and recorded.pid == identity.pid and alive(recorded)
