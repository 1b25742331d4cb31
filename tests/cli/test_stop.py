"""`stop` and `down`: who was stopped, who did not run, what is waited for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.office import Lab, make_lab
from tests.support.wait import until

pytestmark = pytest.mark.usefixtures("tidy")


@pytest.fixture
def lab(world: Path) -> Lab:
    """Return an office of which `a` and `b` run, `c` has ended, `d` never started."""
    lab = make_lab(world)
    sleepers = [{"name": name, "command": ["sleep", "99"]} for name in "abd"]
    lab.write([*sleepers, {"name": "c", "shell": "exit 3"}])
    lab.run("up", "a", "b", "c")
    until(lambda: lab.rows()["c"]["state"] in ("exited", "failed"), what="its end")
    return lab


def test_stop_names_only_those_that_ran(lab: Lab) -> None:
    """For the others there was nothing to stop, which is no failure."""
    assert lab.ok("stop", "a", "c").out == "stopped a\nc was not running\n"
    assert lab.ok("stop", "a", "c", "d").out == "a, c, d were not running\n"
    assert lab.ok("stop", "b", "a", "--json").json() == {
        "stopped": ["b"],
        "not_running": ["a"],
        "survivors": [],
        "texts": [],
    }


def test_down_counts_only_those_that_ran(lab: Lab) -> None:
    """Panes of agents that have ended are closed and not counted."""
    named = lab.ok("down", "a", "c").out
    assert named == "office `lab`: 1 stopped; c was not running\n"
    assert lab.ok("down", "d").out == "office `lab`: 0 stopped; d was not running\n"
    assert lab.ok("down").out == "office `lab`: 1 stopped\n"
    assert lab.ok("down").out == "office `lab` is not running\n"


def test_down_of_what_has_ended_says_that_nothing_ran(lab: Lab) -> None:
    """`stop` left the panes, `down` closes them."""
    lab.ok("stop", "a", "b")

    value = lab.ok("down", "--json").json()

    assert isinstance(value, dict)
    assert (value["stopped"], value["survivors"]) == ([], [])
    assert value["not_running"] == ["a", "b", "d", "c"]
    assert all(row["pane"] is None for row in lab.rows().values())


@pytest.mark.parametrize(("named", "who"), [((), "the agents"), (("e",), "e")])
def test_down_tells_what_it_waits_for(
    lab: Lab, named: tuple[str, ...], who: str
) -> None:
    """An agent that ignores its stop keys and TERM takes a while, and says why."""
    stubborn = "trap '' INT TERM; echo deaf; while :; do sleep 1; done"
    lab.write([{"name": "e", "shell": stubborn, "stop": {"timeout": "1s"}}])
    lab.ok("up")
    until(lambda: "deaf" in lab.ok("capture", "e").out, what="its trap")

    done = lab.ok("down", *named)

    assert done.err == f"waiting for {who} to end; then comes TERM, then KILL\n"
