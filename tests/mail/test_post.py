"""A message goes to exactly whom it names, and its sender can see what became of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mdtmux.errors import MdtmuxError, Refused, UsageError
from mdtmux.mail import pairs
from mdtmux.mail.message import Message, State
from mdtmux.mail.pairs import Rate
from mdtmux.mail.post import HOPS, RATES, Draft, Post, Sent


@pytest.fixture
def post(tidy: Path) -> Post:
    """Return the mail of an office of three."""
    return Post(tidy / "state", ["pam", "jim", "dwight"])


def read(post: Post, name: str) -> list[Message]:
    """Return what waits for a member."""
    found = [entry.load() for entry in post.box(name).waiting()]
    return [message for message in found if message is not None]


def test_a_message_reaches_whom_it_names(post: Post) -> None:
    """It lies in that box, from that sender, and begins a thread."""
    sent = post.send("jim", "pam", Draft("the report\nis done", run="r1"))

    assert read(post, "pam") == [sent]
    assert (sent.sender, sent.subject, sent.run) == (
        "jim",
        "the report",
        "r1",
    )
    assert (sent.thread, sent.hops, sent.needs_reply) == (sent.id, 0, False)
    assert read(post, "jim") == []


@pytest.mark.parametrize("name", ["pamm", "Pam", "", "../pam", "pam/../jim", "office"])
def test_a_name_that_is_nobodys_is_refused(post: Post, name: str) -> None:
    """Nothing is sent to somebody similar, and no name leads out of the folder."""
    with pytest.raises(UsageError, match="nothing was sent"):
        post.send("jim", name, Draft("x"))
    assert not post.root.exists()


def test_people_have_a_box(post: Post) -> None:
    """Whoever sits at the keyboard is `human`."""
    sent = post.send("jim", "human", Draft("may I?", deadline=60))
    assert read(post, "human") == [sent]
    assert sent.deadline == pytest.approx(sent.time + 60)
    assert sent.needs_reply


def test_an_answer_belongs_to_its_thread_and_acks_what_it_answers(post: Post) -> None:
    """The office counts the hops; the one who answered need not say more."""
    first = post.send("jim", "pam", Draft("ready?", "The report"))
    answer = post.send("pam", "jim", Draft("yes", reply_to=first.id))
    again = post.send("jim", "pam", Draft("good", reply_to=answer.id))

    assert (answer.subject, again.subject) == ("Re: The report", "Re: The report")
    assert {answer.thread, again.thread} == {first.id}
    assert (first.hops, answer.hops, again.hops) == (0, 1, 2)
    assert post.state_of(first.id, "pam") is State.ACKED
    assert post.state_of(again.id, "pam") is State.SENT


@pytest.mark.parametrize("number", ["0" * 12, "../../etc", "x"])
def test_only_ones_own_mail_can_be_answered(post: Post, number: str) -> None:
    """An id of nobody, or of somebody else's message, sends nothing."""
    other = post.send("jim", "dwight", Draft("for dwight"))
    for wrong in (number, other.id):
        with pytest.raises(UsageError, match="nothing was sent"):
            post.send("pam", "jim", Draft("x", reply_to=wrong))
    assert read(post, "jim") == []


def test_answers_to_answers_come_to_an_end(post: Post) -> None:
    """Two that answer whatever comes are stopped, and told."""
    last = post.send("jim", "pam", Draft("thanks"))
    for _ in range(HOPS):
        last = post.send(last.to, last.sender, Draft("thanks", reply_to=last.id))
    with pytest.raises(Refused, match="in a circle") as error:
        post.send(last.to, last.sender, Draft("thanks", reply_to=last.id))
    assert "new message" in str(error.value.hint)
    assert last.hops == HOPS
    assert post.state_of(last.id, last.to) is State.SENT


def test_an_agent_that_floods_another_is_held(post: Post) -> None:
    """Only the two are held, people never."""
    for _ in range(RATES[0].count):
        post.send("jim", "pam", Draft("x"))
    with pytest.raises(Refused, match="100 messages to `pam` within 60 s"):
        post.send("jim", "pam", Draft("x"))
    post.send("jim", "dwight", Draft("x"))
    post.send("dwight", "pam", Draft("x"))
    for _ in range(RATES[0].count + 1):
        post.send("human", "pam", Draft("x"))


def test_the_rate_forgets_what_is_long_past(tidy: Path) -> None:
    """The window slides, and a clock that was set back holds nobody."""
    rate = Rate(2, 60.0)
    for then in (100.0, 130.0):
        pairs.add(tidy, "a", "b", then)
    assert pairs.exceeded(tidy, "a", "b", rate, 159.0)
    assert not pairs.exceeded(tidy, "a", "b", rate, 160.0)
    assert not pairs.exceeded(tidy, "a", "b", rate, 99.0)
    assert not pairs.exceeded(tidy, "b", "a", rate, 159.0)


def test_names_with_dashes_are_not_mixed_up(tidy: Path) -> None:
    """`a-b` to `c` is another pair than `a` to `b-c`."""
    assert pairs.file_of(tidy, "a-b", "c") != pairs.file_of(tidy, "a", "b-c")


def test_a_sender_sees_what_became_of_each_message(post: Post) -> None:
    """The latest come first, each with its state."""
    one = post.send("jim", "pam", Draft("1"))
    two = post.send("jim", "dwight", Draft("2"))
    assert post.ack("dwight", two.id)

    assert list(post.sent_by("jim")) == [
        Sent(two.id, "dwight", State.ACKED),
        Sent(one.id, "pam", State.SENT),
    ]
    assert list(post.sent_by("pam")) == []


def test_a_long_history_of_sent_mail_is_read_from_its_end(post: Post) -> None:
    """What was cut at the beginning of the piece is not told."""
    sent = [post.send("human", "pam", Draft(str(n))) for n in range(3)]
    path = post.root / "human" / "sent"
    path.write_bytes(b"x" * 70_000 + b"\n" + path.read_bytes())
    assert [one.id for one in post.sent_by("human")] == [m.id for m in reversed(sent)]


def test_a_bounce_tells_the_sender(post: Post) -> None:
    """It names the message and the reason, and gives the text back."""
    sent = post.send("jim", "pam", Draft("hello", "Greeting"))
    post.bounce(sent, "pam was removed")

    (told,) = read(post, "jim")
    assert (told.sender, told.subject) == ("office", "undeliverable: Greeting")
    assert (told.reply_to, told.thread) == (sent.id, sent.id)
    assert f"message {sent.id} to pam will not be read: pam was removed." in told.body
    assert told.body.endswith("\n\nhello")


def test_a_bounce_does_not_bounce(post: Post) -> None:
    """The office's own mail has nobody to go back to."""
    told = post.bounce(post.send("jim", "pam", Draft("x")), "gone")
    post.bounce(told, "gone, too")
    assert len(read(post, "jim")) == 1
    assert not (post.root / "office").exists() or not read(post, "office")


def test_acking_twice_is_no_second_event(post: Post) -> None:
    """Only the first one counts, and only in one's own box."""
    sent = post.send("jim", "pam", Draft("x"))
    assert not post.ack("dwight", sent.id)
    assert post.ack("pam", sent.id)
    assert not post.ack("pam", sent.id)


def test_a_box_that_cannot_be_written_sends_nothing(post: Post) -> None:
    """The error comes to the sender; the list of sent mail knows nothing of it."""
    post.send("jim", "pam", Draft("x"))
    box = post.root / "dwight"
    box.write_text("")
    with pytest.raises(MdtmuxError):
        post.send("jim", "dwight", Draft("x"))
    assert [one.to for one in post.sent_by("jim")] == ["pam"]


def test_a_message_that_was_changed_on_disk_cannot_be_answered(post: Post) -> None:
    """What is no message any more is not there."""
    sent = post.send("jim", "pam", Draft("x"))
    (entry,) = post.box("pam").waiting()
    entry.path.write_text("{")
    with pytest.raises(UsageError, match=sent.id):
        post.send("pam", "jim", Draft("y", reply_to=sent.id))
    assert replace(entry).load() is None
