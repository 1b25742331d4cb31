"""The script that makes an office's panes, run on a real tmux."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from mdtmux.names import PaneId, RunId
from mdtmux.office.model import TmuxOptions
from mdtmux.running.panes import HOLD, PanePlan, Room, Scene, read_made, script
from mdtmux.system.screen import Pane
from mdtmux.system.tmux import Socket, Tmux
from tests.support.wait import until

pytestmark = pytest.mark.usefixtures("tidy")


def _plan(agent: str, world: Path) -> PanePlan:
    return PanePlan(
        agent=agent,
        run=RunId(f"run-{agent}"),
        is_process=False,
        command=("sh", "-c", f"echo first of {agent}; exec sleep 99"),
        environment={"A": agent},
        pipe=f"exec cat >> {world / agent}",
        reuse=None,
        piped=False,
        buffer=1000,
    )


SCENE = Scene(
    session="lab",
    office="lab-1",
    options=TmuxOptions(),
    history=777,
    rooms=(),
    selected=None,
)


def _holds(path: Path, want: bytes) -> bool:
    return path.exists() and path.read_bytes() == want


def _by_agent(tmux: Tmux) -> dict[str, Pane]:
    return {pane.agent: pane for pane in tmux.panes()}


def test_every_agent_gets_its_pane(world: Path) -> None:
    """Seven agents and a process: windows of four, the process in its own, all marked."""
    tmux = Tmux(Socket("own"))
    plans = [_plan(f"a{n}", world) for n in range(7)]
    plans.append(replace(_plan("web", world), is_process=True))
    made = read_made(tmux.batch(script(SCENE, plans)))
    panes = _by_agent(tmux)

    assert set(made) == set(panes) == {f"a{n}" for n in range(7)} | {"web"}
    assert {made[name].pane for name in made} == {pane.pane for pane in panes.values()}
    windows: dict[str, list[str]] = {}
    for name, pane in panes.items():
        windows.setdefault(pane.window_id, []).append(name)
    assert sorted(map(len, windows.values())) == [1, 3, 4]
    assert {pane.office for pane in panes.values()} == {"lab-1"}
    assert panes["a3"].run == "run-a3"
    assert panes["a0"].active
    assert panes["a0"].window_active
    assert HOLD not in tmux.call("list-windows", "-a", "-F", "#{window_name}")
    assert tmux.call("show-options", "-v", "-t", "=lab:", "history-limit") == "777\n"


def test_no_byte_is_lost_at_the_start(world: Path) -> None:
    """The recorder has the first thing that a program writes."""
    tmux = Tmux(Socket("own"))
    tmux.batch(script(SCENE, [_plan(f"a{n}", world) for n in range(8)]))
    for number in range(8):
        path = world / f"a{number}"
        want = f"first of a{number}\r\n".encode()
        until(partial(_holds, path, want), what=str(want))


def test_each_pane_has_its_own_environment(world: Path) -> None:
    """Values arrive byte for byte; what nobody shall have of the server is not there."""
    tmux = Tmux(Socket("own"))
    odd = 'it\'s\n$HOME; \\ é ~ #{pane_id} "q" ;'
    tell = ("sh", "-c", f'env -0 > "{world}/$A"; exec sleep 99')
    plans = [
        replace(
            _plan("a", world),
            command=tell,
            environment={"A": "a", "ODD": odd, "HOME": "/x"},
        ),
        replace(
            _plan("b", world), command=tell, environment={"A": "b", "SECRET": "of b"}
        ),
    ]
    os.environ["LEAK"] = "of the server"
    try:
        tmux.batch(script(replace(SCENE, unwanted=("LEAK", "SECRET")), plans))
    finally:
        del os.environ["LEAK"]

    def told(name: str) -> dict[str, str]:
        text = (world / name).read_text() if (world / name).exists() else ""
        return dict(row.split("=", 1) for row in text.split("\0") if row)

    seen = {name: until(partial(told, name), what=f"what {name} has") for name in "ab"}
    assert (seen["a"]["ODD"], seen["a"]["HOME"]) == (odd, "/x")
    assert seen["b"]["SECRET"] == "of b"
    assert not {"LEAK", "SECRET"} & set(seen["a"])
    assert "LEAK" not in seen["b"]


def test_new_panes_fill_the_room_there_is(world: Path) -> None:
    """A later agent is put into a window that has room, and the view does not change."""
    tmux = Tmux(Socket("own"))
    tmux.batch(script(SCENE, [_plan(f"a{n}", world) for n in range(5)]))
    panes = _by_agent(tmux)
    rooms = (Room(panes["a4"].window_id, False, 3),)
    scene = replace(SCENE, rooms=rooms, selected=panes["a0"].window_id)
    tmux.batch(
        script(
            scene, [_plan("b", world), replace(_plan("web", world), is_process=True)]
        )
    )
    panes = _by_agent(tmux)

    assert panes["b"].window_id == panes["a4"].window_id
    assert panes["web"].window_id not in {panes[f"a{n}"].window_id for n in range(5)}
    assert panes["a0"].window_active


def test_a_dead_pane_is_taken_again(world: Path) -> None:
    """A restarted agent stays where it was, and its recorder goes on."""
    tmux = Tmux(Socket("own"))
    dying = replace(_plan("a", world), command=("sh", "-c", "exit 3"))
    tmux.batch(script(SCENE, [dying, _plan("b", world)]))
    old = until(lambda: (p := _by_agent(tmux)["a"]).dead and p, what="a dead pane")
    assert isinstance(old, Pane)
    again = replace(
        _plan("a", world), run=RunId("second"), reuse=old.pane, piped=old.piped
    )
    scene = replace(SCENE, rooms=(), selected=old.window_id)
    made = read_made(tmux.batch(script(scene, [again])))
    new = _by_agent(tmux)["a"]

    assert (new.pane, new.window_id, new.dead, new.run) == (
        old.pane,
        old.window_id,
        False,
        "second",
    )
    assert made["a"].pid == new.pid
    until(lambda: (world / "a").read_bytes() == b"first of a\r\n", what="the recording")


@pytest.mark.parametrize("layout", ["tiled", "even-vertical", "main-vertical"])
def test_sixty_four_agents_fit(world: Path, layout: str) -> None:
    """As many agents as one likes come up, in windows of the stated size."""
    tmux = Tmux(Socket("own"))
    options = TmuxOptions(layout=layout)
    plans = [_plan(f"a{n}", world) for n in range(64)]
    made = read_made(tmux.batch(script(replace(SCENE, options=options), plans)))
    sizes = tmux.call("list-windows", "-a", "-F", "#{window_width}x#{window_height}")

    assert len(made) == 64
    assert set(sizes.split()) == {"200x50"}


def test_what_is_no_answer_is_passed_over() -> None:
    """Only rows of our own form are read."""
    made = read_made("\nnoise\nmdtmux-pane a %1 10 20\nmdtmux-pane broken\n")

    assert list(made) == ["a"]
    assert (made["a"].pane, made["a"].pid, made["a"].server_pid) == (
        PaneId("%1"),
        10,
        20,
    )
