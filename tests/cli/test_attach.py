"""`attach` in real terminals: outside tmux, inside another server, without a terminal."""

from __future__ import annotations

import shlex
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.support.office import Lab, make_lab, pair, tmux, tui
from tests.support.wait import until

pytestmark = pytest.mark.usefixtures("tidy")
ATTACH = f"{sys.executable} -m mdtmux attach"


@pytest.fixture
def lab(world: Path) -> Lab:
    """Return an office of two agents that is up."""
    lab = make_lab(world)
    pair(lab)
    lab.ok("up")
    return lab


def _outer(lab: Lab, command: str) -> None:
    """Run a command in a terminal: a pane of another tmux server."""
    argv = ("new-session", "-d", "-x", "120", "-y", "40", "-c", str(lab.home))
    tmux(*argv, command, socket="outer")


def _clients(socket: str = "mdtmux") -> list[str]:
    form = "#{client_width} #{session_name} #{pane_id}"
    return tmux("list-clients", "-F", form, socket=socket).splitlines()


@pytest.mark.parametrize("outside", [True, False])
def test_the_agents_pane_is_shown(lab: Lab, outside: bool) -> None:
    """The client is on the office with that pane selected, nested or not."""
    unset = "env -u TMUX " if outside else ""
    _outer(lab, f"{unset}{ATTACH} b; sleep 99")
    pane = lab.rows()["b"]["pane"]
    until(lambda: _clients() == [f"120 lab {pane}"], what="the client")

    told = tmux(
        "capture-pane", "-p", "-S", "-", "-t", "=0:", socket="outer", check=False
    )
    assert "Traceback" not in told


def test_the_screen_follows_the_terminal_and_comes_back(lab: Lab) -> None:
    """While a person looks, the windows fit the terminal; afterwards they do not."""

    def sizes() -> set[str]:
        return set(tmux("list-windows", "-a", "-F", "#{window_width}").split())

    assert sizes() == {"200"}
    _outer(lab, f"{ATTACH}; sleep 99")
    until(lambda: sizes() == {"120"}, what="the terminal's width")
    tmux("detach-client", "-s", "lab")
    until(lambda: sizes() == {"200"}, what="the stated width")


def test_inside_the_same_server_the_client_is_switched(lab: Lab) -> None:
    """No tmux inside a tmux when both are one."""
    words = shlex.join(
        ["env", "-u", "TMUX", "tmux", "-L", "mdtmux", "new-session", "-s", "mine"]
    )
    _outer(lab, words)
    until(
        lambda: [c.split()[1] for c in _clients()] == ["mine"], what="a client of ours"
    )
    tmux("send-keys", "-t", "mine:", f"cd {lab.home} && {ATTACH} a", "Enter")
    pane = lab.rows()["a"]["pane"]

    until(lambda: _clients() == [f"120 lab {pane}"], what="the switched client")


def test_without_a_terminal_it_is_refused(lab: Lab) -> None:
    """From a script there is nothing to attach."""
    done = lab.run("attach", "a")

    assert done.code == 4
    assert "capture" in done.err


def test_what_cannot_be_shown_is_told(lab: Lab) -> None:
    """An unknown agent, nobody waiting and an office that is down."""
    assert lab.run("attach", "nobody").code == 2
    assert "no agent waits" in lab.run("attach", "--next-waiting").err
    lab.ok("down")
    done = lab.run("attach")
    assert done.code == 4
    assert "not running" in done.err


def _shows(panes: list[object]) -> bool:
    return [client.split()[2] for client in _clients()] == panes


def test_the_next_waiting_agent_is_shown(world: Path) -> None:
    """It goes round the agents, from the one that is selected."""
    lab = make_lab(world)
    dialogs = [{"name": n, "command": tui(n, "dialog=menu")} for n in "ac"]
    lab.write([dialogs[0], {"name": "b", "command": tui("b")}, dialogs[1]])
    lab.run("up")
    panes = {name: row["pane"] for name, row in lab.rows().items()}
    for name in ("c", "a", "c"):
        _outer(lab, f"{ATTACH} --next-waiting; sleep 99")
        wanted = [panes[name]]
        until(partial(_shows, wanted), what=name)
        tmux("detach-client", "-s", "lab")
