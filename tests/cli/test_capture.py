"""`capture`: the screen of an agent, live or as it was last."""

from __future__ import annotations

from pathlib import Path

import pytest

from mdtmux.names import RunId
from mdtmux.record.marks import mark
from tests.support.cli import run
from tests.support.recording import Studio, make_office, make_ring, marks_of
from tests.support.wait import until


@pytest.fixture
def state(world: Path) -> Path:
    """Return the state folder of an office with agents `jim` and `pam`."""
    return make_office(world, "jim", "pam")


def test_the_live_screen(state: Path, tidy: Path) -> None:
    """A running agent's rows without the blank end; `-n` adds rows from above."""
    studio, folder = Studio(tidy / "here"), state / "record/jim"
    shown = "seq 12; printf '\\033[31mred\\033[0m box'; exec cat"
    pane = studio.start(
        ["sh", "-c", shown], folder, size=(40, 5), marks=marks_of(state, "jim")
    )
    until(lambda: "red box" in studio.text(pane), what="the screen")
    done = run("capture", "jim")
    assert (done.code, done.err) == (0, "")
    assert done.out == "9\n10\n11\n12\nred box\n"
    assert run("capture", "jim", "-n", "2").out.splitlines()[:3] == ["7", "8", "9"]
    assert "\x1b[31mred\x1b[39m box" in run("capture", "jim", "--ansi").out
    value = run("capture", "jim", "--json", "-n", "2").json()
    assert isinstance(value, dict)
    assert value["source"] == "screen"
    assert value["lines"][value["cursor"]["y"]] == "red box"
    assert (value["width"], value["height"], value["cursor"]["x"]) == (40, 5, 7)


def test_an_agent_that_died_shows_its_last_screen(state: Path, tidy: Path) -> None:
    """Where tmux has a dead pane, the recording tells what it showed, and it is said."""
    studio, folder = Studio(tidy / "here"), state / "record/jim"
    mark(folder, RunId("r1"))
    # It ends on a key: tmux may close a pane before it read what an ending program said.
    code = "stty -echo; printf '\\033[?1049h\\033[2;1Hlast words'; read -r _; exit 3"
    pane = studio.start(
        ["sh", "-c", code], folder, size=(40, 10), marks=marks_of(state, "jim")
    )
    studio.wait_for(folder, b"words")
    studio.tmux.call("send-keys", "-t", pane, "Enter")
    until(lambda: studio.pane(pane).dead, what="the end")
    done = run("capture", "jim")
    assert done.code == 0
    assert done.out == "\nlast words\n"
    assert done.err == "`jim` does not run: its last recorded screen\n"


def test_an_agent_that_is_gone_shows_its_last_screen(state: Path) -> None:
    """After `down` the newest rows of the recording are told, at most a screen of them."""
    folder = state / "record/jim"
    mark(folder, RunId("r1"), 80, 5)
    make_ring(folder, b"".join(b"%d\r\n" % n for n in range(100)))
    assert run("capture", "jim").out.splitlines() == ["95", "96", "97", "98", "99"]
    assert len(run("capture", "jim", "-n", "3").out.splitlines()) == 8
    value = run("capture", "jim", "--json").json()
    assert isinstance(value, dict)
    assert (value["source"], value["cursor"]) == ("recording", None)


def test_nothing_to_show(state: Path) -> None:
    """An agent that never ran has no screen, and that is said."""
    done = run("capture", "pam")
    assert (done.code, done.out) == (0, "")
    assert done.err == "`pam` does not run: nothing was recorded of it\n"
    assert run("capture", "nobody").code == 2
