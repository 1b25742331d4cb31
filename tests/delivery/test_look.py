"""Looking again and again is bounded by a clock that a test can own."""

from __future__ import annotations

from mdtmux.delivery.look import LONGEST, SHORTEST, Clock, Look, Looker
from tests.support.panes import Desk
from tests.support.wait import until


class Hands:
    """A clock that moves only when somebody waits."""

    def __init__(self) -> None:
        self.time = 0.0
        self.pauses: list[float] = []

    def pause(self, seconds: float) -> None:
        """Move on."""
        self.pauses.append(seconds)
        self.time += seconds

    def clock(self) -> Clock:
        """Return it as a clock."""
        return Clock(lambda: self.time, self.pause)


def test_pauses_grow_and_the_time_is_kept(desk: Desk) -> None:
    """It looks often at first, then seldom, and gives up in time."""
    target = desk.sit("a")
    hands = Hands()

    found = Looker(desk.tmux, target.pane, hands.clock()).until(lambda _: None, 2.0)

    assert found is None
    assert hands.pauses[0] == SHORTEST
    assert max(hands.pauses) == LONGEST
    assert abs(sum(hands.pauses) - 2.0) < 1e-9


def test_what_is_seen_at_once_costs_no_wait(desk: Desk) -> None:
    """One look is enough when it shows what was looked for."""
    target = desk.sit("a")
    hands = Hands()
    looker = Looker(desk.tmux, target.pane, hands.clock())

    assert looker.until(lambda look: look.pane.agent, 5.0) == "a"
    assert hands.pauses == []


def test_any_change_of_the_screen_is_a_difference(desk: Desk) -> None:
    """Text, a moved cursor and a row that scrolled away are changes; nothing is none."""
    target = desk.sit("a", "echo")
    looker = Looker(desk.tmux, target.pane)
    before = looker.look()
    assert not looker.look().differs(before)

    desk.tmux.keys(target.pane, "x")

    def changed() -> Look | None:
        now = looker.look()
        return now if now.differs(before) else None

    assert until(changed, what="a change") is not None
