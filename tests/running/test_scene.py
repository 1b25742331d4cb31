"""What a new pane is given beside what it has from its server."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import pytest

from mdtmux.names import PaneId, RunId
from mdtmux.running.panes import PanePlan
from mdtmux.running.scene import only_other
from mdtmux.system.tmux import client_environment
from tests.running.test_observe import PANE
from tests.support.office import Lab, make_lab, tmux, tui
from tests.support.wait import until


def _plan(env: dict[str, str]) -> PanePlan:
    return PanePlan(
        agent="a", run=RunId("r"), is_process=False, command=("x",), environment=env,
        pipe="", reuse=PaneId("%1"), piped=True, buffer=1000,
    )  # fmt: skip


def test_a_new_server_has_the_callers_variables() -> None:
    """Only what differs is given; of a server that runs nothing is taken for granted."""
    env = {"HOME": os.environ["HOME"], "FX_KEY": "one", "PATH": "other"}
    plan = _plan(env)

    assert client_environment()["HOME"] == env["HOME"]
    assert only_other([], plan).environment == {"FX_KEY": "one", "PATH": "other"}
    assert only_other([PANE], plan).environment == env


def _started(lab: Lab, times: int) -> bool:
    return len(lab.starts("a")) == times


@pytest.mark.usefixtures("tidy")
def test_every_start_has_its_callers_environment(world: Path) -> None:
    """C22: on a new server, on one of ours and on a stranger's."""
    lab: Lab = make_lab(world)
    lab.write([{"name": "a", "command": tui("a"), "unset": ["GONE"]}])
    tmux("set-environment", "-g", "FX_KEY", "wrong", check=False)
    for number, key in enumerate(("one", "two", "three")):
        if number == 2:
            tmux("new-session", "-d", "-s", "strange", "sleep 99")
            tmux("set-environment", "-g", "FX_KEY", "wrong")
        assert lab.run("up", env={"FX_KEY": key, "GONE": "x"}).code == 0
        starts = number + 1
        until(partial(_started, lab, starts), what="its start")
        event = lab.starts("a")[-1]["env"]
        assert isinstance(event, dict)
        assert event["FX_KEY"] == key
        lab.ok("down")
