"""An agent is told of new mail once, reminded a few times, and then left in peace."""

from __future__ import annotations

from pathlib import Path

import pytest

from mdtmux.mail.box import Entry
from mdtmux.mail.doorbell import REMINDERS, Bell, due, line, rung
from mdtmux.mail.message import State


def entry(number: int, state: State = State.SENT) -> Entry:
    """Return a message in a box."""
    return Entry(number, f"{number:012x}", state, Path("x"))


SENT, TOLD, READ = (
    entry(n, s) for n, s in enumerate([State.SENT, State.ANNOUNCED, State.READ])
)


@pytest.mark.parametrize("waiting", [[], [READ], [READ, READ]])
def test_without_unread_mail_there_is_silence(waiting: list[Entry]) -> None:
    """What was read is nobody's business any more."""
    assert due(waiting, Bell(1.0, 1), 5000.0) is None


@pytest.mark.parametrize("bell", [Bell(), Bell(999.0, 1), Bell(999.0, 9)])
def test_new_mail_rings_at_once(bell: Bell) -> None:
    """Whatever was rung before, a new message is a new event."""
    assert due([TOLD, SENT], bell, 1000.0) == 1000.0


def test_unread_mail_is_reminded_of_ever_more_rarely_and_then_no_more() -> None:
    """One, five and thirty minutes; then only new mail rings."""
    bell, now, pauses = Bell(), 1000.0, []
    waiting = [SENT]
    while (then := due(waiting, bell, now)) is not None:
        pauses.append(then - now)
        bell, now, waiting = rung(waiting, bell, then), then, [TOLD]
    assert pauses == [0.0, *REMINDERS]
    bell = rung([TOLD, SENT], bell, now)
    assert due([TOLD], bell, now) == now + REMINDERS[0]


def test_after_a_long_pause_one_reminder_is_due_not_many() -> None:
    """An office that slept rings once when it wakes."""
    assert due([TOLD], Bell(0.0, 2), 90_000.0) == 90_000.0


def test_the_line_names_ids_and_senders_and_nothing_else() -> None:
    """What somebody wrote is never typed into anybody."""
    text = line([SENT, READ], {SENT.id: "jim"})
    assert text == (
        "You have mail: 1 message (000000000000 from jim)."
        " Run `mdtmux mail read` to read it."
    )


def test_the_line_stays_short() -> None:
    """Of many messages only some are named."""
    many = [entry(n) for n in range(12)]
    text = line(many, {one.id: "jim" for one in many})
    assert "12 messages" in text
    assert " and 7 more" in text
    assert "\n" not in text
