"""What waits in an agent's queue: first prompts go before it, it is listed and dropped."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.office import Lab, make_lab, tui
from tests.support.wait import until

ODD = Path(__file__).parent.parent / "support/odd_tui.py"

pytestmark = pytest.mark.usefixtures("tidy")


def prompted(world: Path, *options: str) -> Lab:
    """Return a lab with an agent `a` that has a first prompt."""
    lab = make_lab(world)
    lab.write([{"name": "a", "command": tui("a", *options), "prompt": "begin"}])
    return lab


def put(lab: Lab, text: str) -> str:
    """Queue a text for `a` and return its id."""
    value = lab.ok("send", "a", "--queue", "--json", text).json()
    assert isinstance(value, dict)
    assert value["outcome"] == "queued"
    return str(value["id"])


def test_the_first_prompt_goes_before_what_waits(world: Path) -> None:
    """`start` does not wait for the queue of an earlier run, and says that it is up."""
    lab = prompted(world)
    lab.ok("up")
    lab.ok("stop", "a")
    put(lab, "later")

    lab.ok("start", "a")
    until(lambda: len(lab.submits("a")) == 3, seconds=20, what="the queued text")

    assert lab.submits("a") == ["begin", "begin", "later"]


def test_a_prompt_that_is_kept_goes_before_what_waits(world: Path) -> None:
    """Behind a dialog both wait, the prompt in front."""
    lab = prompted(world, "dialog=trust")
    lab.run("up")
    lab.ok("stop", "a")
    put(lab, "later")

    assert lab.run("start", "a").code == 1
    lab.ok("send", "a", "--key", "Enter")
    until(lambda: len(lab.submits("a")) == 2, seconds=20, what="both texts")

    assert lab.submits("a") == ["begin", "later"]


@pytest.mark.parametrize("verb", ["restart", "start", "up"])
def test_no_prompt_withdraws_one_that_waits(world: Path, verb: str) -> None:
    """Also one that an earlier start has queued; what else waits is typed."""
    lab = prompted(world, "dialog=trust")
    lab.run("up")
    until(lambda: "the first prompt" in lab.ok("why", "a").out, what="its listing")
    put(lab, "later")

    done = lab.run(verb, "a", "--no-prompt")
    lab.ok("send", "a", "--key", "Enter")
    until(lambda: lab.submits("a"), seconds=20, what="the other text")

    assert "a: its first prompt is taken out of the queue" in done.err
    assert lab.submits("a") == ["later"]
    row = lab.rows()["a"]
    assert row["prompt"] == "none"


def test_what_waits_is_listed_and_can_be_dropped(world: Path) -> None:
    """`why` names each with id and age; `send --drop` takes one out."""
    lab = prompted(world)
    lab.ok("up")
    lab.ok("stop", "a")
    first, second = put(lab, "one"), put(lab, "two and")

    why = lab.ok("why", "a").out
    done = lab.ok("send", "a", "--drop", first)
    again = lab.run("send", "a", "--drop", first)

    assert "2 texts wait; held because the agent does not run" in why
    assert f"{first}  3 bytes, queued 0s ago" in why
    assert f"{second}  7 bytes, queued" in why
    assert done.out == f"a: text {first} (3 bytes) is taken out of the queue\n"
    assert again.code == 4
    assert f"no text `{first}` waits" in again.err
    assert first not in lab.ok("why", "a").out
    lab.ok("start", "a")
    until(lambda: lab.submits("a")[-1] == "two and", seconds=20, what="the other")
    assert "one" not in lab.submits("a")


def test_why_gives_no_reason_that_is_none(world: Path) -> None:
    """A text that nothing holds back is just being typed, and cannot be dropped."""
    lab = prompted(world)
    deaf = [sys.executable, str(ODD), "a", "deaf"]
    lab.write([{"name": "a", "command": deaf, "stop": {"keys": [], "timeout": "0s"}}])
    lab.ok("up")
    lab.ok("stop", "a")
    text = put(lab, "later")
    lab.ok("start", "a")
    until(lambda: list((lab.state() / "queue/a").glob("*.claimed")), what="its typing")

    assert "1 text waits; the first is being typed" in lab.ok("why", "a").out
    done = lab.run("send", "a", "--drop", text)

    assert (done.code, "is just being typed" in done.err) == (4, True)


@pytest.mark.parametrize("more", [("text",), ("--key", "Enter"), ("--queue",)])
def test_dropping_is_all_that_it_does(world: Path, more: tuple[str, ...]) -> None:
    """A text or a key beside --drop is a usage error."""
    lab = prompted(world)
    lab.ok("up")

    done = lab.run("send", "a", "--drop", "abc", *more)

    assert (done.code, "--drop" in done.err) == (2, True)
