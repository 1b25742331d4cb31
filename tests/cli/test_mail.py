"""`mdtmux mail`: whoever calls is the sender, and nothing vanishes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.cli import start
from tests.support.office import Lab, make_lab, tui
from tests.support.wait import until

IDLE = {"idle": "^> "}


@pytest.fixture
def lab(tidy: Path) -> Lab:
    """Return a lab."""
    return make_lab(tidy)


def pair(lab: Lab) -> None:
    """Bring up two agents that show what is typed and when they are idle."""
    lab.write(
        [{"name": n, "command": tui(n, "echo"), "screen": IDLE} for n in ("a", "b")]
    )
    lab.ok("up")


def objects(lab: Lab, *args: str) -> list[dict[str, object]]:
    """Return the JSON objects that a command prints."""
    value = lab.ok(*args, "--json").json()
    assert isinstance(value, list)
    return value


def test_people_write_to_agents_and_see_what_becomes_of_it(lab: Lab) -> None:
    """The message lies in the box at once, the agent is told, and its sender sees it."""
    pair(lab)
    sent = lab.ok("mail", "send", "a", "please", "look", "-s", "Number 3")
    number = sent.out.split(":")[0]
    assert sent.out == f"{number}: sent to a\n"

    until(lambda: lab.submits("a"), what="the doorbell")
    assert lab.submits("a") == [
        f"You have mail: 1 message ({number} from human)."
        " Run `mdtmux mail read` to read it."
    ]
    until(lambda: "announced" in lab.ok("mail", "ls", "--sent").out, what="announced")
    (row,) = objects(lab, "mail", "ls", "a")
    assert (row["subject"], row["body"], row["state"]) == (
        "Number 3",
        "please look",
        "announced",
    )
    assert "Number 3" in lab.ok("mail", "ls", "a").out
    assert lab.submits("b") == []


def test_reading_marks_only_ones_own_mail(lab: Lab) -> None:
    """Who looks into another's box changes nothing; one's own is read, then acked."""
    pair(lab)
    lab.ok("mail", "send", "human", "hello me", "--within", "2h")
    assert "[answer wanted]" in lab.ok("mail", "ls").out
    (row,) = objects(lab, "mail", "ls", "human")
    number = str(row["id"])
    assert row["state"] == "sent"

    shown = lab.ok("mail", "read").out
    assert f"id:      {number}\nfrom:    human\n" in shown
    assert shown.endswith("\n\nhello me\n\n")
    assert objects(lab, "mail", "ls")[0]["state"] == "read"
    assert lab.ok("mail", "read").out == "no new mail\n"
    assert "hello me" in lab.ok("mail", "read", number).out
    assert lab.ok("mail", "ack", number).out == f"{number}: acknowledged\n"
    assert lab.ok("mail", "ls").out == "no mail\n"
    assert objects(lab, "mail", "ls", "--all")[0]["state"] == "acked"
    again = lab.run("mail", "ack", number)
    assert (again.code, number in again.err) == (4, True)


def test_what_is_not_there_is_told(lab: Lab) -> None:
    """Names, ids and empty texts: one error each, and nothing is sent."""
    pair(lab)
    for args, code, words in (
        (("send", "aa", "x"), 2, "did you mean `a`?"),
        (("send", "a"), 2, "no text to send"),
        (("send", "a", ""), 4, "the message is empty"),
        (("send", "a", "x", "--reply-to", "123"), 2, "no message `123` to answer"),
        (("send", "a", "x", "--within", "soon"), 2, "--within"),
        (("read", "000000000000"), 4, "`human` has no message"),
        (("read", "../x"), 4, "`human` has no message"),
        (("ack", "000000000000"), 4, "nothing to acknowledge"),
        (("thread", "000000000000"), 2, "there is no message"),
        (("ls", "c"), 2, "nobody here is called `c`"),
    ):
        done = lab.run("mail", *args)
        assert (done.code, words in done.err) == (code, True), (args, done.err)
    assert objects(lab, "mail", "ls", "a") == []
    assert objects(lab, "mail", "dead") == []
    assert lab.ok("mail", "dead").out == "no mail\n"
    assert lab.ok("mail", "ls", "--sent").out == "no mail sent\n"
    assert "read" in lab.ok("mail").out


def test_everybody_else_gets_what_is_sent_to_all(lab: Lab) -> None:
    """One message each, without side processes; standard input is taken as it is."""
    lab.write(
        [{"name": n, "command": tui(n, "echo"), "screen": IDLE} for n in ("a", "b")],
        processes=[{"name": "web", "command": ["sleep", "99"]}],
    )
    lab.ok("up")
    done = lab.run("mail", "send", "all", "-", stdin="- one\n- two;\n")
    assert done.code == 0, done.err
    for name in ("a", "b"):
        assert objects(lab, "mail", "ls", name)[0]["body"] == "- one\n- two;\n"
    assert lab.run("mail", "send", "web", "x").code == 2


def test_a_thread_is_shown_whole(lab: Lab) -> None:
    """From whatever boxes it lies in, also what is acknowledged."""
    pair(lab)
    lab.ok("mail", "send", "human", "first")
    (first,) = objects(lab, "mail", "ls")
    lab.ok("mail", "send", "human", "second", "--reply-to", str(first["id"]))
    thread = objects(lab, "mail", "thread", str(first["id"]))
    assert [(one["body"], one["state"]) for one in thread] == [
        ("first", "acked"),
        ("second", "sent"),
    ]
    text = lab.ok("mail", "thread", str(first["id"])).out
    assert text.index("\n\nfirst\n") < text.index(f"answers: {first['id']}")


@pytest.mark.parametrize(
    "how",
    [
        "mdtmux mail send human hi",
        "MDTMUX_AGENT=boss mdtmux mail send human hi",
        "env -u MDTMUX_AGENT -u MDTMUX_STATE -u MDTMUX_RUN mdtmux mail send human hi",
        "setsid -f mdtmux mail send human hi",
    ],
)
def test_the_sender_is_whose_pane_it_is(lab: Lab, how: str) -> None:
    """Whatever the agent writes into its environment, and from a detached child too."""
    lab.write(
        [
            {"name": "a", "shell": f"{how} >out 2>&1; exec sleep 99"},
            {"name": "boss", "role": "boss", "command": ["sleep", "99"]},
        ]
    )
    lab.ok("up")
    until(lambda: objects(lab, "mail", "ls"), seconds=20, what="the mail")
    (row,) = objects(lab, "mail", "ls")
    assert row["sender"] == "a"
    assert row["run"]


def test_a_child_of_an_earlier_life_does_not_speak_for_the_agent(lab: Lab) -> None:
    """After a restart only what the agent runs now is the agent."""
    lab.write([{"name": "a", "command": ["sleep", "99"]}])
    lab.ok("up")
    stale = {
        "MDTMUX_STATE": str(lab.state()),
        "MDTMUX_AGENT": "a",
        "MDTMUX_RUN": "000000000000",
    }
    done = lab.run("mail", "send", "human", "hi", env=stale)
    assert done.code == 4
    assert "earlier life of `a`" in done.err
    assert objects(lab, "mail", "ls") == []


def test_what_is_refused_is_in_the_event_log(lab: Lab) -> None:
    """A circle that was stopped can be found."""
    lab.write([{"name": "a", "command": ["sleep", "99"]}])
    lab.ok("up")
    assert lab.run("mail", "send", "a", " ").code == 4
    lines = (lab.state() / "events.jsonl").read_text().splitlines()
    events = [json.loads(line) for line in lines]
    (event,) = [one for one in events if one["event"] == "mail-refused"]
    assert (event["sender"], event["to"]) == ("human", "a")
    assert "empty" in event["reason"]


def test_what_somebody_writes_does_nothing_to_a_terminal(lab: Lab) -> None:
    """Escape codes are shown as a sign; JSON has every byte."""
    lab.write([{"name": "a", "command": ["sleep", "99"]}])
    lab.ok("up")
    body = "a\x00b\x1b[2Jc\u202ed é 👩\u200d👧\ttab\nnext"
    assert lab.run("mail", "send", "human", "-", stdin=body).code == 0
    assert objects(lab, "mail", "ls")[0]["body"] == body
    shown = lab.ok("mail", "read").out
    assert "a\ufffdb\ufffd[2Jc\ufffdd é 👩\u200d👧\ttab\nnext\n" in shown
    assert "\x1b" not in lab.ok("mail", "ls", "--all").out


def test_a_script_can_wait_for_mail(lab: Lab) -> None:
    """At once when there is some, 5 when none comes; people and agents alike."""
    lab.write([{"name": "a", "command": ["sleep", "99"]}])
    lab.ok("up")
    late = lab.run("wait", "human", "--for", "mail", "--timeout", "0.2")
    assert (late.code, "`human` was still without new mail" in late.err) == (5, True)
    waiting = start("wait", "a", "human", "--for", "mail", "--any", cwd=lab.home)
    number = lab.ok("mail", "send", "a", "x").out.split(":")[0]
    out, _ = waiting.communicate(timeout=20)
    assert (waiting.returncode, out) == (0, f"a: mail: {number}\n")
    assert lab.run("wait", "b", "--for", "mail").code == 2
    assert lab.run("wait", "human").code == 2


def test_mail_of_a_removed_agent_goes_back_to_its_sender(lab: Lab) -> None:
    """What it has not read is a dead letter, and its sender is told; the rest stays."""
    pair(lab)
    lab.ok("spawn", "--name", "c", "--command", "sleep 99")
    number = lab.ok("mail", "send", "c", "for c").out.split(":")[0]
    kept = lab.ok("mail", "send", "a", "for a").out.split(":")[0]
    lab.ok("rm", "c")
    assert [one["id"] for one in objects(lab, "mail", "dead")] == [number]
    (told,) = objects(lab, "mail", "ls")
    assert (told["sender"], told["reply_to"]) == ("office", number)
    assert "`c` was removed" in str(told["body"])
    lab.ok("rm", "a")
    assert [one["id"] for one in objects(lab, "mail", "dead")] == [number]
    assert kept in lab.ok("mail", "ls", "--sent").out


def test_an_option_that_would_do_nothing_is_refused(lab: Lab) -> None:
    """A time of none is a time, a list of all has no more, and nobody is not everybody."""
    lab.write([{"name": "a", "command": ["sleep", "99"]}])
    lab.ok("up")
    both = lab.run("mail", "ls", "--sent", "--all")
    assert (both.code, "leave --all out" in both.err) == (2, True)
    lab.ok("mail", "send", "human", "x", "--within", "0s")
    (row,) = [one for one in objects(lab, "mail", "ls") if one["sender"] == "human"]
    assert row["deadline"] == row["time"]
    own = {"MDTMUX_STATE": str(lab.state()), "MDTMUX_AGENT": "a"}
    run = str(lab.rows()["a"]["run"])
    alone = lab.run("mail", "send", "all", "x", env={**own, "MDTMUX_RUN": run})
    assert (alone.code, "nobody else" in alone.err) == (4, True)
