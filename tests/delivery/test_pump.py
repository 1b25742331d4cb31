"""The pump types what waits, in order, as soon as it may, and ends by itself."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from mdtmux.delivery import pump, queue, receipt
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
        lambda: "waits for an answer" in pump.held_by(desk.state, "a")[1],
        what="the reason",
    )
    assert pump.held_by(desk.state, "a")[0] == 1
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
    pump.stop_pump(world / "state", "a")
