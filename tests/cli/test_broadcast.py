"""`mdtmux broadcast`: one text to many, one receipt each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.office import Lab, make_lab, tui


@pytest.fixture
def lab(tidy: Path) -> Lab:
    """Give an office of a boss, two workers and a side process that is up."""
    lab = make_lab(tidy)
    agents = [
        {"name": "boss", "role": "boss", "command": tui("boss")},
        {"name": "a", "command": tui("a")},
        {"name": "b", "command": tui("b")},
    ]
    lab.write(agents, processes=[{"name": "web", "command": tui("web")}])
    lab.ok("up")
    return lab


def given(lab: Lab) -> dict[str, list[str]]:
    """Return what everybody was given."""
    return {name: lab.submits(name) for name in ("boss", "a", "b", "web")}


def test_everybody_gets_it_once(lab: Lab) -> None:
    """All agents get the text, the side process nothing; one line each tells it."""
    done = lab.ok("broadcast", "stand", "up;")

    assert given(lab) == {
        "boss": ["stand up;"],
        "a": ["stand up;"],
        "b": ["stand up;"],
        "web": [],
    }
    assert sorted(row.split(":")[0] for row in done.out.splitlines()) == [
        "a",
        "b",
        "boss",
    ]


def test_a_role_narrows_it(lab: Lab) -> None:
    """`--role` reaches the agents of that role only; a role of nobody is refused."""
    done = lab.run("broadcast", "--role", "boss", "-", stdin="- from\n- stdin")
    nobody = lab.run("broadcast", "--role", "cook", "x")

    assert done.code == 0
    assert given(lab) == {"boss": ["- from\n- stdin"], "a": [], "b": [], "web": []}
    assert nobody.code == 4


def test_not_to_oneself_nor_to_the_stopped(lab: Lab) -> None:
    """The agent that calls it, and one that was stopped on purpose, get nothing."""
    lab.ok("stop", "b")
    inside = {"MDTMUX_STATE": str(lab.state()), "MDTMUX_AGENT": "boss"}

    done = lab.run("broadcast", "x", env=inside)

    assert done.code == 0, done.err
    assert given(lab) == {"boss": [], "a": ["x"], "b": [], "web": []}


def test_one_that_failed_is_told_beside_the_others(tidy: Path) -> None:
    """A refusal of one does not stop the others; the code says that not all got it."""
    lab = make_lab(tidy)
    lab.write(
        [
            {"name": "a", "command": tui("a")},
            {"name": "b", "command": tui("b", "dialog=menu")},
        ]
    )
    lab.ok("up")

    done = lab.run("broadcast", "--json", "x")
    kept = lab.run("broadcast", "--queue", "y")

    assert done.code == 4
    receipts = done.json()
    assert isinstance(receipts, list)
    outcomes = {one["agent"]: one["outcome"] for one in receipts}
    assert outcomes == {"a": "submitted", "b": "refused"}
    assert kept.code == 0
    assert lab.submits("a") == ["x", "y"]
    assert lab.events("b", "dialog-answered") == []


def test_no_text_is_a_usage_error(lab: Lab) -> None:
    """Without a text nothing happens."""
    assert lab.run("broadcast").code == 2
