"""The pump types what waits, in order, as soon as it may, and ends by itself."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

from mdtmux.delivery import pump, queue, receipt
from mdtmux.delivery.look import Clock
from mdtmux.delivery.receipt import Outcome
from mdtmux.delivery.target import Target
from mdtmux.system import locks
from mdtmux.system.processes import identify
from tests.support.panes import Desk
from tests.support.wait import until


def outcomes(desk: Desk) -> list[str]:
    """Return how the deliveries ended, without the receipts of queueing."""
    found = [one.outcome for one in receipt.read(desk.state)]
    return [one.value for one in found if one is not Outcome.QUEUED]


def test_the_queue_is_typed_in_order(desk: Desk) -> None:
    """Every text that waited is submitted once, and the pump ends."""
    target = desk.sit("a")
    for number in range(3):
        queue.put(desk.state, "a", f"text {number}")

    pump.pump(desk.state, "a", desk.tmux, lambda: target)

    assert desk.submitted("a") == ["text 0", "text 1", "text 2"]
    assert outcomes(desk) == ["submitted"] * 3
    assert pump.running(desk.state, "a") is None


def test_a_text_waits_for_the_answer_to_a_dialog(desk: Desk) -> None:
    """While a dialog is open the reason is told; after the answer the text goes in."""
    target = desk.sit("a", "dialog=trust")
    queue.put(desk.state, "a", "do it")
    worker = threading.Thread(
        target=pump.pump, args=(desk.state, "a", desk.tmux, lambda: target)
    )
    worker.start()

    until(
        lambda: "waits for an answer" in queue.held_by(desk.state, "a"),
        what="the reason",
    )
    assert pump.running(desk.state, "a") == identify(os.getpid())
    desk.tmux.keys(target.pane, "Enter")
    worker.join(20)

    assert desk.events("a", "dialog-answered")[0]["with_text"] == ""
    assert desk.submitted("a") == ["do it"]
    assert outcomes(desk) == ["submitted"]


def test_the_pump_ends_with_the_run(desk: Desk) -> None:
    """When nobody runs, what waits stays for the next run."""
    queue.put(desk.state, "a", "later")

    pump.pump(desk.state, "a", desk.tmux, lambda: None)

    assert [item.text for item in queue.pending(desk.state, "a")] == ["later"]


def test_there_is_one_pump(desk: Desk) -> None:
    """A second pump of an agent ends at once."""
    queue.put(desk.state, "a", "text")
    asked: list[int] = []

    def nobody() -> Target | None:
        asked.append(1)
        return None

    with locks.hold(desk.state / "locks/pump-a.lock", wait=0, what="the test"):
        pump.pump(desk.state, "a", desk.tmux, nobody)
        assert pump.ensure(desk.state, "lab", "a") is None

    assert asked == []


def test_no_pump_is_started_for_an_empty_queue(world: Path) -> None:
    """Nothing waits, nothing runs."""
    assert pump.ensure(world / "state", "lab", "a") is None
    assert pump.stop_pump(world / "state", "a", ()) == []


def test_an_agent_that_ends_takes_no_text_with_it(desk: Desk) -> None:
    """A text whose agent has ended meanwhile waits for its next run."""
    target = desk.sit("a", "after=0.2")
    until(lambda: desk.tmux.look(target.pane)[0].dead, what="its end")
    queue.put(desk.state, "a", "later")
    runs = iter([target, target, None])

    pump.pump(
        desk.state, "a", desk.tmux, lambda: next(runs), Clock(pause=lambda _: None)
    )

    assert [item.text for item in queue.pending(desk.state, "a")] == ["later"]
    assert outcomes(desk) == []


def test_an_end_before_enter_takes_no_text_with_it(desk: Desk) -> None:
    """What stood on the input line of a run that has ended waits for the next one."""
    ends = (
        r"import os, tty; tty.setraw(0); os.write(1, b'\x1b[?2004h> '); os.read(0, 1)"
    )
    target = desk.sit("a", argv=(sys.executable, "-c", ends))
    until(lambda: ">" in desk.tmux.screen(target.pane).text(), what="its prompt")
    put = queue.put(desk.state, "a", "later")
    runs = iter([target, None])

    pump.pump(desk.state, "a", desk.tmux, lambda: next(runs))

    assert [item.id for item in queue.pending(desk.state, "a")] == [put.id]
    last = receipt.find(desk.state, put.id)
    assert last is not None
    assert last.outcome is Outcome.QUEUED
    assert "ended before it was submitted" in last.reason


def test_a_text_behind_an_unproven_one_is_not_lost(desk: Desk) -> None:
    """What may still stand on the input line holds the next text back, for a human."""
    target = desk.sit("a", "busy")
    queue.put(desk.state, "a", "first")
    queue.put(desk.state, "a", "second")
    runs = iter([target, target, None])

    pump.pump(
        desk.state, "a", desk.tmux, lambda: next(runs), Clock(pause=lambda _: None)
    )

    assert outcomes(desk) == ["unproven"]
    assert [item.text for item in queue.pending(desk.state, "a")] == ["second"]


def test_a_text_that_can_never_be_typed_leaves_the_queue(desk: Desk) -> None:
    """It is refused with a receipt, and does not hold up what is behind it."""
    target = desk.sit("a", "nobracket")
    queue.put(desk.state, "a", "two\nlines")
    queue.put(desk.state, "a", "one line")

    pump.pump(desk.state, "a", desk.tmux, lambda: target)

    assert outcomes(desk) == ["refused", "submitted"]
    assert desk.submitted("a") == ["one line"]
