"""States are judged by what tmux and the process table say, record or no record."""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest

from mdtmux.names import PaneId, RunId
from mdtmux.running.observe import State, judge, panes_of
from mdtmux.running.offices import OfficeRef
from mdtmux.running.records import PromptState, RunRecord
from mdtmux.running.wish import Wish
from mdtmux.system.processes import identify
from mdtmux.system.screen import Pane
from mdtmux.system.tmux import Socket
from tests.support.agents import agent

PANE = Pane(
    session="lab", window_id="@1", pane=PaneId("%1"), pid=os.getpid(),
    dead=False, status=None, signal=None, dead_time=None, in_mode=False, width=80,
    height=24, cursor_x=0, cursor_y=0, history_size=0, alternate=False, tty="",
    active=True, window_active=True, server_pid=1, piped=True, command="sh", buffer=0,
    office="lab-1", agent="a", run="r1", title="",
)  # fmt: skip


def _record() -> RunRecord:
    me = identify(os.getpid())
    assert me is not None
    return RunRecord(
        run=RunId("r1"), agent=agent("a"), pane=PaneId("%1"), server_pid=1, pid=me.pid,
        created=me.created, directory=Path("/"), worktree=None, branch=None, started=5.0,
        ready=True, prompt=PromptState.NONE, digest="",
    )  # fmt: skip


def test_a_live_and_ready_agent_is_running() -> None:
    """Pane alive, recorded process alive, ready once: running, since its start."""
    standing = judge("a", PANE, _record(), Wish.UP)

    assert (standing.state, standing.since, standing.lives) == (
        State.RUNNING,
        5.0,
        True,
    )


def test_an_agent_whose_sign_is_awaited_is_starting() -> None:
    """Alive is not ready, as long as a command waits for it."""
    waits = replace(_record(), ready=False, awaited=time.time() + 60)

    assert judge("a", PANE, waits, Wish.UP).state is State.STARTING


def test_an_agent_that_nobody_waits_for_is_not_starting_for_ever() -> None:
    """After the deadline, or the end of the command, it runs, and why it is not proven."""
    late = replace(_record(), ready=False, awaited=time.time() - 1)
    told = replace(late, awaited=0.0, unready="not ready after 1 s")

    for record, words in (
        (late, "not seen to be ready"),
        (told, "not ready after 1 s"),
    ):
        standing = judge("a", PANE, record, Wish.UP)
        assert standing.state is State.RUNNING
        assert words in standing.why
        assert not standing.proven


def test_a_pane_of_an_unrecorded_run_runs() -> None:
    """`up` was interrupted between the pane and its record: nothing waits for it."""
    standing = judge("a", replace(PANE, run="r2"), _record(), Wish.UP)

    assert (standing.state, standing.proven) == (State.RUNNING, False)
    assert "interrupted" in standing.why


@pytest.mark.parametrize("how", ["another start", "another pid"])
def test_a_recorded_process_that_is_another_is_not_running(how: str) -> None:
    """A record whose process is somebody else does not make an agent run."""
    record = _record()
    wrong = replace(record, created=1.0) if "start" in how else replace(record, pid=1)
    standing = judge("a", PANE, wrong, Wish.UP)

    assert standing.state is State.FAILED
    assert not standing.lives


def test_a_zombie_has_ended() -> None:
    """A pane process that nobody reaps does not count as alive."""
    process = subprocess.Popen(["true"])
    standing = judge("a", replace(PANE, pid=process.pid), None, Wish.UP)
    while standing.identity is not None:
        standing = judge("a", replace(PANE, pid=process.pid), None, Wish.UP)
    process.wait()

    assert standing.state is State.EXITED


@pytest.mark.parametrize(
    ("end", "wish", "state", "why"),
    [
        ((3, None), Wish.UP, State.EXITED, "ended with status 3"),
        ((None, 9), Wish.UP, State.EXITED, "ended by signal 9"),
        ((0, None), Wish.UP, State.EXITED, "ended with status 0"),
        ((130, None), Wish.STOPPED, State.STOPPED, "ended with status 130"),
        # tmux learns of the end before it learns of the status.
        ((None, None), Wish.UP, State.EXITED, "its process ended"),
    ],
)
def test_a_dead_pane_tells_how_it_ended(
    end: tuple[int | None, int | None], wish: Wish, state: State, why: str
) -> None:
    """Status and signal are told apart; one that was stopped is stopped."""
    status, signal = end
    pane = replace(PANE, dead=True, dead_time=7, status=status, signal=signal)
    standing = judge("a", pane, _record(), wish)

    assert standing.state is state
    assert (standing.status, standing.signal) == end
    assert standing.why.endswith(why)
    assert standing.since == 7.0


@pytest.mark.parametrize(
    ("record", "wish", "why"),
    [
        (None, None, "never started"),
        (replace(_record(), created=1.0), Wish.STOPPED, "was stopped"),
        (replace(_record(), created=1.0), Wish.UP, "pane is gone"),
    ],
)
def test_without_a_pane_an_agent_is_stopped(
    record: RunRecord | None, wish: Wish | None, why: str
) -> None:
    """The reason says whether somebody wanted it so."""
    standing = judge("a", None, record, wish)

    assert standing.state is State.STOPPED
    assert why in standing.why


def test_one_that_lives_without_its_pane_is_told() -> None:
    """It ignored the hang-up, or its server cannot be reached: it is not `stopped`."""
    standing = judge("a", None, _record(), Wish.UP)

    assert standing.state is State.FAILED
    assert "lives on" in standing.why


def test_only_our_marks_count() -> None:
    """Panes of another office, unmarked ones and dead doubles are passed over."""
    ref = OfficeRef(
        name="lab", file=Path("/f"), state=Path("/s/lab-1"), repo=Path("/r"),
        common_dir=Path("/r/.git"), socket=Socket("own"), session="lab", agents=("a",),
        version=None,
    )  # fmt: skip
    live = replace(PANE, pane=PaneId("%2"))
    panes = [
        replace(PANE, dead=True),
        live,
        replace(PANE, office="lab-2", agent="b"),
        replace(PANE, office="", agent="c"),
    ]

    assert panes_of(ref, panes) == {"a": live}
