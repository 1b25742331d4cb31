"""A queued text that is just being typed when its agent is stopped: never lost unsaid."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.support.office import Lab, make_lab
from tests.support.wait import until

pytestmark = pytest.mark.usefixtures("tidy")

ODD = str(Path(__file__).parent.parent / "support/odd_tui.py")


def typing(world: Path, mode: str, **stop: object) -> tuple[Lab, str]:
    """Return a lab whose agent `a` is just being typed into, and the text's id."""
    lab = make_lab(world)
    keys = {"timeout": "1s", **stop}
    lab.write(
        [{"name": "a", "command": [sys.executable, ODD, "a", mode], "stop": keys}]
    )
    lab.ok("up")
    lab.ok("stop", "a")
    put = lab.ok("send", "a", "--queue", "--json", "do it").json()
    lab.ok("start", "a")
    assert isinstance(put, dict)
    note = lab.state() / "queue/a/typed.json"
    wanted = mode == "deaf"  # Enter was pressed, and is pressed again

    def under_way() -> bool:
        return note.exists() and json.loads(note.read_text())["entered"] is wanted

    until(under_way, what="the first keys")
    return lab, str(put["id"])


@pytest.mark.parametrize("verb", ["restart", "stop", "down"])
def test_a_text_that_was_not_submitted_waits_again(world: Path, verb: str) -> None:
    """It is told with its id, and typed once into the next run."""
    lab, text = typing(world, "late")

    done = lab.ok(verb, "a")
    told = f"a: text {text} (5 bytes): "

    assert told in done.err
    assert "waits in the queue again" in done.err
    if verb != "restart":
        assert lab.submits("a") == []
        lab.ok("start", "a")
    until(lambda: lab.submits("a") == ["do it"], seconds=20, what="the text")
    until(lambda: not list((lab.state() / "queue/a").iterdir()), what="its receipt")
    assert lab.submits("a") == ["do it"]


def test_a_text_that_may_have_arrived_is_told(world: Path) -> None:
    """`restart` names it on stderr, and `why` tells of it in the new run."""
    lab, text = typing(world, "deaf")

    done = lab.ok("restart", "a")
    why = lab.ok("why", "a")

    assert f"error: `a`: text {text} (5 bytes): unproven: " in done.err
    assert "may have arrived" in done.err
    assert f"text {text} (5 bytes)" in why.out
    assert "queued" not in why.out
    stopped = lab.ok("stop", "a", "--json").json()
    assert isinstance(stopped, dict)
    assert stopped["texts"] == []


def test_stop_keys_that_submit_leave_it_unproven(world: Path) -> None:
    """Nobody can tell what an Enter among the stop keys did with it."""
    lab, text = typing(world, "late", keys=["Enter"])

    value = lab.ok("stop", "a", "--json").json()

    assert isinstance(value, dict)
    (one,) = value["texts"]
    assert (one["id"], one["outcome"]) == (text, "unproven")
