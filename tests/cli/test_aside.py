"""Commands that an agent gives about itself."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from mdtmux.running.holding import held
from mdtmux.running.offices import read_ref
from tests.support.office import Lab, make_lab, tui
from tests.support.wait import until

pytestmark = pytest.mark.usefixtures("tidy")


@pytest.fixture
def lab(world: Path) -> Lab:
    """Return a lab with a small repository."""
    return make_lab(world)


def _in_its_pane(lab: Lab, command: str) -> str:
    """Return a script that gives the command in its first life, when it is told to."""
    home = shlex.quote(str(lab.home))
    call = f"{sys.executable} -m mdtmux {command}"
    wait = f"until [ -e {home}/go ]; do sleep 0.1; done"
    first = f"mkdir {home}/first 2>/dev/null && {{ {wait}; {call}; echo $? > {home}/code; }}"
    return f"echo x >> {home}/lives; {first}; exec sleep 995"


def test_an_agent_restarts_itself(lab: Lab) -> None:
    """The restart is carried out to its end although it ends who asked for it."""
    lab.write([{"name": "a", "shell": _in_its_pane(lab, "restart a")}])
    lab.ok("up")
    (lab.home / "go").touch()
    until(
        lambda: (lab.home / "lives").read_text().count("x") == 2,
        seconds=20,
        what="its second life",
    )

    assert lab.until_state("a", "running")["prompt"] == "none"
    assert not (lab.home / "code").exists()


def test_an_agent_restarts_itself_without_its_prompt(lab: Lab) -> None:
    """What was said no to is said no to outside the pane as well."""
    lab.write([{"name": "a", "command": tui("a"), "prompt": "hello"}])
    lab.ok("up")
    pane = {"MDTMUX_STATE": str(lab.state()), "MDTMUX_AGENT": "a"}

    # As in its own pane: who asks for it is ended with the agent.
    lab.run("restart", "a", "--no-prompt", "--timeout", "20", env=pane)

    until(lambda: len(lab.starts("a")) == 2, seconds=20, what="its second life")
    until(lambda: lab.rows()["a"]["prompt"] == "none", what="the end of the restart")
    assert lab.submits("a") == ["hello"]


def test_an_agent_removes_itself(lab: Lab) -> None:
    """Its worktree goes with it, and nothing of it is left half-way."""
    lab.write([{"name": "a", "shell": _in_its_pane(lab, "rm a")}])
    lab.ok("up")
    tree = Path(str(lab.rows()["a"]["worktree"]))
    (lab.home / "go").touch()

    until(lambda: not tree.exists(), seconds=20, what="the end of its worktree")


def test_a_failure_outside_the_pane_is_told_inside(lab: Lab) -> None:
    """What could not be done does not end with success."""
    lab.write([{"name": "a", "shell": _in_its_pane(lab, "down --timeout 1s")}])
    lab.ok("up")
    ref = read_ref(lab.state())
    assert ref is not None
    code = lab.home / "code"
    with held(ref):
        (lab.home / "go").touch()
        until(lambda: code.exists() and code.read_text(), seconds=20, what="its code")

    assert code.read_text() == "75\n"
    assert lab.rows()["a"]["state"] == "running"


def test_an_agent_stops_another_from_its_own_pane(lab: Lab) -> None:
    """`down` of somebody else is done, and told, where it was asked for."""
    agents = [
        {"name": "a", "shell": _in_its_pane(lab, f"down b > {lab.home}/said")},
        {"name": "b", "command": tui("b")},
    ]
    lab.write(agents)
    lab.ok("up")
    (lab.home / "go").touch()
    code = lab.home / "code"
    until(lambda: code.exists() and code.read_text(), seconds=20, what="its code")

    assert code.read_text() == "0\n"
    assert "1 stopped" in (lab.home / "said").read_text()
    assert lab.rows()["b"]["state"] == "stopped"
