"""Which office a command is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.cli import run
from tests.support.office import Lab, make_lab, pair, tmux, tui
from tests.support.repos import make_repo

pytestmark = pytest.mark.usefixtures("tidy")


def _office(done: object) -> str:
    assert isinstance(done, dict)
    return str(done["office"])


@pytest.fixture
def offices(world: Path) -> tuple[Lab, Lab]:
    """Return two offices, `one` and `two`, that have been brought up."""
    one = make_lab(world)
    two = Lab(world / "here" / "other")
    make_repo(two.repo)
    for lab, name in ((one, "one"), (two, "two")):
        pair(lab, name=name)
        lab.ok("up", "a")
    return one, two


def test_the_order_of_the_signs(offices: tuple[Lab, Lab], world: Path) -> None:
    """Option before environment before folder; nothing of them is an error that names all."""
    one, two = offices
    env = {"MDTMUX_OFFICE": "two"}

    assert _office(run("-o", "one", "ps", "--json", cwd="/", env=env).json()) == "one"
    assert (
        _office(run("-f", str(one.file), "ps", "--json", cwd="/", env=env).json())
        == "one"
    )
    assert _office(run("ps", "--json", cwd=one.home, env=env).json()) == "two"
    assert _office(run("ps", "--json", cwd=one.home).json()) == "one"
    assert _office(run("ps", "--json", cwd=two.repo).json()) == "two"
    lost = run("ps", cwd="/")
    assert lost.code == 2
    assert "`one`, `two`" in lost.err


def test_a_wrong_name_is_told(offices: tuple[Lab, Lab]) -> None:
    """An office, a file and an agent that do not exist are named, with the nearest."""
    one, _ = offices
    assert "did you mean `one`" in run("-o", "oen", "ps").err
    assert run("-o", "oen", "ps").code == 2
    assert "no office file" in run("-f", "nope.yaml", "ps").err
    assert "has no agent `x`" in one.run("why", "x").err


def test_the_only_office_is_meant(world: Path) -> None:
    """With one office there is nothing to ask; with none the remedy is told."""
    nothing = run("ps", cwd="/")
    assert nothing.code == 2
    assert "mdtmux up" in nothing.err
    lab = make_lab(world)
    pair(lab)
    lab.ok("up", "a")

    assert _office(run("ps", "--json", cwd="/").json()) == "lab"


def test_a_running_file_that_is_broken_changes_nothing(world: Path) -> None:
    """While the office runs, its broken file is an error for `up` alone."""
    lab = make_lab(world)
    pair(lab)
    lab.ok("up", "a")
    lab.file.write_text("name: [")

    assert lab.run("up").code == 2
    assert lab.rows()["a"]["state"] == "running"
    lab.ok("down")


def test_a_relative_folder_of_sockets_is_the_callers(world: Path) -> None:
    """With TMUX_TMPDIR=sockets the server is where the caller's own tmux has it."""
    lab = make_lab(world)
    pair(lab)
    (lab.home / "sockets").symlink_to(world)

    lab.ok("up", "a", env={"TMUX_TMPDIR": "sockets"})

    assert tmux("list-sessions", "-F", "#{session_name}") == "lab\n"
    assert lab.rows()["a"]["state"] == "running"


def test_an_office_is_found_from_under_another_tmux_tmpdir(world: Path) -> None:
    """A cron job or a login from afar may have another: it is the same office."""
    lab = make_lab(world)
    other = lab.home / "other"
    other.mkdir()
    env = {"TMUX_TMPDIR": str(other)}
    lab.write([{"name": "a", "command": tui("a")}])
    lab.ok("up")

    rows = lab.ok("ps", "--json", env=env).json()
    assert isinstance(rows, dict)
    assert rows["agents"][0]["state"] == "running"
    lab.ok("up", env=env)
    lab.ok("send", "a", "hello", env=env)
    assert (len(lab.starts("a")), lab.submits("a")) == (1, ["hello"])
    lab.ok("down", env=env)
    assert lab.rows()["a"]["state"] == "stopped"
    lab.ok("up", env=env)
    assert lab.rows()["a"]["state"] == "running"
    lab.ok("down")
