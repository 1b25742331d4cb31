"""Field cases C63 and C64: mail is neither lost nor doubled, and no state is a wish."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from mdtmux.mail.message import State
from mdtmux.mail.post import Draft, Post
from mdtmux.running import offices
from mdtmux.running.postman import go_round
from mdtmux.system.tmux import Tmux
from tests.support.cli import start
from tests.support.office import Lab, make_lab, tui

IDLE = {"idle": "^> "}


@pytest.fixture
def lab(tidy: Path) -> Lab:
    """Return a lab."""
    return make_lab(tidy)


def test_c63_senders_at_once_while_the_receiver_reads(lab: Lab) -> None:
    """Every message is read once, whatever is in it; none is torn or doubled."""
    lab.write([{"name": "a", "command": ["sleep", "99"]}])
    lab.ok("up")
    texts = ["x;", "- do this", "Enter", "a\0b", "l1\nl2\n\nl4", "x" * 1_000_000]
    senders = [
        (start("mail", "send", "human", "-", cwd=lab.home), f"{n}:{text}")
        for n, text in enumerate(texts * 3)
    ]
    feeders = [
        threading.Thread(target=sender.communicate, args=(text,))
        for sender, text in senders
    ]
    for feeder in feeders:
        feeder.start()
    got: list[str] = []
    while True:
        ended = not any(feeder.is_alive() for feeder in feeders)
        value = lab.ok("mail", "read", "--json").json()
        assert isinstance(value, list)
        got += [str(one["body"]) for one in value]
        if ended and not value:
            break
    assert [sender.returncode for sender, _ in senders] == [0] * len(senders)
    assert sorted(got) == sorted(text for _, text in senders)


def test_c63_mail_to_one_that_is_not_there(lab: Lab) -> None:
    """Unknown is an error; stopped keeps it, and says nothing else."""
    lab.write([{"name": "a", "command": ["sleep", "99"]}])
    lab.ok("up")
    lab.ok("stop", "a")
    assert lab.run("mail", "send", "nobody", "x").code == 2
    lab.ok("mail", "send", "a", "x")
    assert "sent" in lab.ok("mail", "ls", "--sent").out


@pytest.mark.parametrize(
    "options", [("boot=60",), ("dialog=menu",)], ids=["booting", "asking"]
)
def test_c64_what_was_not_seen_is_not_read(lab: Lab, options: tuple[str, ...]) -> None:
    """Round after round nothing is typed, nothing answered, and the state stays `sent`."""
    lab.write([{"name": "a", "command": tui("a", *options), "screen": IDLE}])
    lab.run("up", "--timeout", "1")
    post = Post(lab.state(), ["a"])
    post.send("human", "a", Draft("x"))
    ref = offices.by_name("lab")
    for _ in range(3):
        go_round(ref, Tmux(ref.socket))
    assert [one.state for one in post.box("a").waiting()] == [State.SENT]
    assert {event["ev"] for event in lab.events("a")} == {"start"}


def test_c64_a_long_history_is_not_read(lab: Lab) -> None:
    """What is acknowledged lies where the list of waiting mail does not look."""
    lab.write([{"name": "a", "command": ["sleep", "99"]}])
    lab.ok("up")
    post = Post(lab.state(), ["a"])
    for number in range(300):
        sent = post.send("human", "a", Draft(str(number)))
        assert post.ack("a", sent.id)
    latest = post.send("human", "a", Draft("now"))
    box = post.box("a")
    archive = box.folder / "archive"
    archive.rename(archive.with_name("elsewhere"))
    assert [one.id for one in box.waiting()] == [latest.id]
