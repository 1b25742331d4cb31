"""The setup commands of `up` while they run: told, and ended with it."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.support.cli import start
from tests.support.office import Lab, make_lab, processes, tui
from tests.support.repos import git, make_repo
from tests.support.wait import until

pytestmark = pytest.mark.usefixtures("tidy")


@pytest.fixture
def lab(world: Path) -> Lab:
    """Return a lab with a small repository."""
    return make_lab(world)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
)
def test_what_ends_up_ends_the_setup_commands(
    lab: Lab, number: signal.Signals, code: int
) -> None:
    """With their children, also those that ignore TERM; the next ones never begin."""
    stubborn = "trap '' INT TERM; sleep 61 & sleep 61"
    setups = {"a": "sleep 61 & sleep 61", "b": stubborn, "c": "touch ../begun"}
    lab.write(
        [
            {"name": n, "command": tui(n), "setup": [line, "touch ../begun"]}
            for n, line in setups.items()
        ]
    )
    process = start("up", cwd=lab.home)
    until(lambda: len(processes("61")) == 4, what="the setup commands")

    process.send_signal(number)
    _, err = process.communicate(timeout=20)

    assert processes("61") == []
    assert process.returncode == code
    assert "Traceback" not in err
    assert not list(lab.home.rglob("begun"))
    assert not lab.starts("c")


def test_a_second_interrupt_ends_them_too(lab: Lab) -> None:
    """Who presses ^C again, while one that ignores TERM gets its time, leaves nothing."""
    stubborn = "trap 'touch ../../../asked' TERM; while :; do sleep 62; done"
    lab.write([{"name": "a", "command": tui("a"), "setup": [stubborn]}])
    process = start("up", cwd=lab.home)
    until(lambda: processes("62"), what="the setup command")

    process.send_signal(signal.SIGINT)
    until((lab.home / "asked").exists, what="its TERM")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)

    assert processes("/bin/sh") + processes("62") == []
    assert (process.returncode, "Traceback" in err) == (130, False)


def test_a_setup_that_takes_long_is_told(lab: Lab) -> None:
    """Without -v, when nothing has come of it for a second; a quick one is silent."""
    wait = "until [ -e ../../../go ]; do sleep 0.05; done"
    lab.write([{"name": "a", "command": tui("a"), "setup": [wait]}])
    process = start("up", cwd=lab.home)
    assert process.stderr is not None
    lines = iter(process.stderr.readline, "")
    told = next(line for line in lines if not line.startswith("base "))

    assert told.startswith("running setup for 1 agent …")
    (lab.home / "go").touch()
    process.communicate(timeout=20)
    assert process.returncode == 0
    lab.ok("down")
    assert "setup" not in lab.ok("up").err


def test_submodules_that_stay_empty_are_told_once(lab: Lab, world: Path) -> None:
    """By one note for all agents, when the setup has not filled them; never again."""
    allow = ("-c", "protocol.file.allow=always")
    inner = make_repo(world / "inner")
    git(lab.repo, *allow, "submodule", "add", "-q", str(inner), "sub")
    git(lab.repo, "commit", "-qm", "sub")
    fill = f"git {' '.join(allow)} submodule update -q --init"
    agents = [{"name": n, "command": ["sleep", "99"]} for n in "abc"]
    lab.write([{**agents[0], "setup": [fill]}, *agents[1:]])

    first, again = lab.ok("up"), lab.ok("up")

    told = "submodules are empty in the new worktrees of b, c; `setup:` can fill them"
    assert first.err.count("submodule") == 2
    assert told in first.err
    assert "submodule" not in again.err
    assert "submodule" not in lab.ok("restart", "b").err
