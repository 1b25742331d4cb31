"""The doorbell rings an idle agent once, and never where it would do harm."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from mdtmux.delivery.gate import attempt
from mdtmux.delivery.receipt import Outcome
from mdtmux.delivery.target import Options
from mdtmux.errors import Refused
from mdtmux.mail.message import State
from mdtmux.mail.post import HOPS, Draft, Post
from mdtmux.running import offices
from mdtmux.running.postman import go_round, tend
from mdtmux.running.ringing import ensure, place, stop_postman
from mdtmux.running.targets import target_of
from mdtmux.system.tmux import Tmux
from tests.support.office import Lab, make_lab, tmux, tui
from tests.support.wait import until

IDLE = {"idle": "^> "}


@pytest.fixture
def lab(tidy: Path) -> Lab:
    """Return a lab."""
    return make_lab(tidy)


def up(lab: Lab, *options: str, **keys: object) -> Post:
    """Bring one scripted agent up and return the office's mail."""
    lab.write([{"name": "a", "command": tui("a", *options), **keys}])
    done = lab.run("up", "--timeout", "3")
    assert done.code in (0, 1), done.err
    return Post(lab.state(), ["a"])


def round_of(lab: Lab) -> float | None:
    """Let the postman go one round, in this process."""
    ref = offices.by_name("lab")
    assert ref.state == lab.state()
    return go_round(ref, Tmux(ref.socket))


def states(post: Post) -> list[State]:
    """Return the states of what waits for the agent."""
    return [entry.state for entry in post.box("a").waiting()]


def postmen() -> list[int]:
    """Return the pids of the test's postmen."""
    found = []
    for process in psutil.process_iter():
        try:
            argv = process.cmdline()
            if argv[-1:] == ["postman"] and process.environ().get(
                "XDG_STATE_HOME"
            ) == os.environ.get("XDG_STATE_HOME"):
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def test_an_idle_agent_is_told_once(lab: Lab) -> None:
    """A second round is silent; another message rings again, for both."""
    post = up(lab, "echo", screen=IDLE)
    one = post.send("human", "a", Draft("x"))
    round_of(lab)
    pause = round_of(lab)
    assert len(lab.submits("a")) == 1
    assert states(post) == [State.ANNOUNCED]
    assert pause is not None
    assert 50 < pause <= 60

    two = post.send("human", "a", Draft("y"))
    round_of(lab)
    assert len(lab.submits("a")) == 2
    assert one.id in lab.submits("a")[1]
    assert two.id in lab.submits("a")[1]


@pytest.mark.parametrize(
    ("options", "keys"),
    [
        (("dialog=menu",), {}),
        (("dialog=menu",), {"screen": IDLE}),
        (("dialog=trust",), {"screen": IDLE}),
        (("echo",), {}),
        (("busy", "echo"), {"screen": IDLE | {"busy": r"\.\."}}),
    ],
)
def test_it_never_rings_where_the_agent_is_not_seen_to_be_idle(
    lab: Lab, options: tuple[str, ...], keys: dict[str, object]
) -> None:
    """A question, a busy agent and one that nobody can read get nothing typed."""
    post = up(lab, *options, **keys)
    post.send("human", "a", Draft("x"))
    assert round_of(lab) == 1.0
    assert {event["ev"] for event in lab.events("a")} == {"start"}
    assert states(post) == [State.SENT]


def test_a_draft_stays_alone(lab: Lab) -> None:
    """What somebody has begun to type is not joined; afterwards it rings."""
    post = up(lab, "echo", screen=IDLE)
    pane = tmux("list-panes", "-a", "-F", "#{pane_id}").strip()
    tmux("send-keys", "-t", pane, "-l", "half a word")
    until(lambda: "half a word" in lab.ok("capture", "a").out, what="the draft")
    post.send("human", "a", Draft("x"))
    round_of(lab)
    assert lab.submits("a") == []
    tmux("send-keys", "-t", pane, "Enter")
    until(lambda: lab.submits("a"), what="the human's text")
    until(lambda: round_of(lab) and len(lab.submits("a")) == 2, what="the doorbell")
    assert lab.submits("a")[0] == "half a word"


def test_mail_that_was_read_meanwhile_is_not_announced(lab: Lab) -> None:
    """Silence when there is nothing left to tell of."""
    post = up(lab, "echo", screen=IDLE)
    post.send("human", "a", Draft("x"))
    (entry,) = post.box("a").waiting()
    post.box("a").read(entry)
    assert round_of(lab) == 60.0
    assert lab.submits("a") == []


def test_a_reminder_comes_after_a_minute(lab: Lab) -> None:
    """The bell's memory lies beside the box, and outlives the postman."""
    post = up(lab, "echo", screen=IDLE)
    post.send("human", "a", Draft("x"))
    round_of(lab)
    path = post.box("a").folder / "bell.json"
    bell = json.loads(path.read_text())
    path.write_text(json.dumps({**bell, "rung": time.time() - 61}))
    round_of(lab)
    assert len(lab.submits("a")) == 2
    assert json.loads(path.read_text())["count"] == 2
    path.write_text("{")
    assert round_of(lab) is not None


def test_whoever_waits_in_vain_for_an_answer_is_told_once(lab: Lab) -> None:
    """The sender hears from the office when the time is over."""
    post = up(lab, "echo", screen=IDLE)
    sent = post.send("human", "a", Draft("x", "Question", deadline=-1.0))
    half = post.box("a").folder / "tmp" / "half"
    half.write_text("")
    os.utime(half, (0, 0))
    lab.ok("stop", "a")
    for _ in range(2):
        tend(offices.by_name("lab"))
    assert not half.exists()
    found = [entry.load() for entry in post.box("human").waiting()]
    assert [one.subject for one in found if one] == ["no answer: Question"]
    assert found[0] is not None
    assert (found[0].sender, found[0].reply_to) == ("office", sent.id)


def test_mail_for_an_agent_that_is_down_is_told_when_it_is_up(lab: Lab) -> None:
    """It waits in the box; `start` brings the postman back."""
    post = up(lab, "echo", screen=IDLE)
    lab.ok("stop", "a")
    lab.ok("mail", "send", "a", "later")
    assert round_of(lab) is None
    assert states(post) == [State.SENT]
    lab.ok("start", "a")
    until(lambda: lab.submits("a"), what="the doorbell")


def test_there_is_one_postman_and_down_ends_it(lab: Lab) -> None:
    """However many send at once; after `down` nothing is left of it."""
    post = up(lab, "echo", screen=IDLE)
    argv = [sys.executable, "-m", "mdtmux", "mail", "send", "a"]
    senders = [
        subprocess.Popen([*argv, str(n)], cwd=lab.home, stdout=subprocess.DEVNULL)
        for n in range(6)
    ]
    assert [one.wait() for one in senders] == [0] * 6
    until(lambda: set(states(post)) == {State.ANNOUNCED}, what="all announced")
    until(lambda: len(postmen()) == 1, what="one postman")
    lab.ok("down")
    assert postmen() == []


def test_a_killed_postman_is_followed_by_another(lab: Lab) -> None:
    """The next message starts one; what the first one left is done."""
    post = up(lab, "echo", screen=IDLE)
    lab.ok("mail", "send", "a", "one")
    until(lambda: states(post) == [State.ANNOUNCED], what="the first")
    (first,) = postmen()
    os.kill(first, signal.SIGKILL)
    until(lambda: first not in postmen(), what="its end")
    lab.ok("mail", "send", "a", "two")
    until(lambda: len(lab.submits("a")) == 2, what="the second")
    assert postmen() != [first]


def test_the_postman_ends_with_the_last_agent(lab: Lab) -> None:
    """It does not outlive a server that somebody has killed."""
    post = up(lab, "echo", screen=IDLE)
    lab.ok("mail", "send", "a", "one")
    until(lambda: states(post) == [State.ANNOUNCED], what="the first")
    tmux("kill-server")
    until(lambda: lab.rows()["a"]["state"] != "running", what="the end of the agent")
    ensure(offices.by_name("lab"))
    until(lambda: postmen() == [], what="the end of the postman")
    assert not place(lab.state()).exists()


def test_stopping_what_does_not_run_is_nothing(lab: Lab) -> None:
    """Also when the note of it is a stranger's pid."""
    up(lab, "echo")
    stop_postman(lab.state())
    path = place(lab.state())
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"pid": os.getpid(), "created": 1.0}))
    stop_postman(lab.state())
    assert not path.exists()


def test_what_was_read_while_it_was_about_to_ring_is_not_typed(lab: Lab) -> None:
    """The box is looked at once more right before the first key."""
    up(lab, "echo", screen=IDLE)
    ref = offices.by_name("lab")
    tmux_of = Tmux(ref.socket)
    target = target_of(ref, "a", tmux_of)
    receipt = attempt(tmux_of, target, "hello", Options(wanted=lambda: False))
    assert (receipt.outcome, receipt.reason) == (
        Outcome.REFUSED,
        "there is no need for it any more",
    )
    assert "hello" not in lab.ok("capture", "a").out


def test_ps_and_why_tell_of_unread_mail_and_what_holds_the_bell(lab: Lab) -> None:
    """Nobody has to guess why an agent was not told."""
    post = up(lab, "dialog=menu", screen=IDLE)
    assert "mail" not in lab.ok("why", "a").out
    post.send("human", "a", Draft("x"))
    post.send("human", "a", Draft("y"))
    round_of(lab)
    told = lab.ok("why", "a").out
    assert "2 unread; not told of it: `a` waits for an answer" in told
    assert "2 unread mails" in lab.ok("ps").out
    assert lab.rows()["a"]["mail"] == 2
    lab.ok("stop", "a")
    assert "2 unread; not told of it: it does not run" in lab.ok("why", "a").out


def test_ps_tells_of_mail_that_runs_in_a_circle(lab: Lab) -> None:
    """A pair that was stopped is seen for an hour."""
    up(lab, "echo")
    post = Post(lab.state(), ["a", "b"])
    last = post.send("b", "a", Draft("thanks"))
    for _ in range(HOPS):
        last = post.send(last.to, last.sender, Draft("thanks", reply_to=last.id))
    with pytest.raises(Refused):
        post.send(last.to, last.sender, Draft("thanks", reply_to=last.id))
    assert "mail refused: `a` and `b` write to each other" in (
        lab.ok("ps").out + lab.ok("why", "a").out
    )
    path = next((lab.state() / "mail" / "pairs").glob("*.stopped"))
    old = json.loads(path.read_text())
    path.write_text(json.dumps({**old, "time": time.time() - 3601}))
    assert "refused" not in lab.ok("ps").out
