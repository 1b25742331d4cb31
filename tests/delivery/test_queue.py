"""What waits is kept in order, across crashes, and is typed once."""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mdtmux.delivery import queue, receipt, spool
from mdtmux.delivery.queue import Item
from mdtmux.delivery.receipt import Held, Outcome, Passes, Receipt
from mdtmux.errors import Refused


def result(item: Item, outcome: Outcome, *, passes: Passes = Passes.NEVER) -> Receipt:
    """Return the receipt that an attempt at the item gave."""
    content = receipt.content_of(item.text)
    made = receipt.make("a", "r", outcome, Held("because", None, passes), content)
    return dataclasses.replace(made, id=item.id)


def texts(state: Path) -> list[str]:
    """Return what waits for the agent."""
    return [item.text for item in queue.pending(state, "a")]


def test_texts_wait_in_order_in_private_files(tmp_path: Path) -> None:
    """The first in is the first out; nobody else can read what waits."""
    got = [queue.put(tmp_path, "a", text) for text in ("one", "two", "three")]

    assert texts(tmp_path) == ["one", "two", "three"]
    assert [one.outcome for one in got] == [Outcome.QUEUED] * 3
    assert [one.reason for one in got][1] == "waits in the queue (1 ahead of it)"
    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "queue/a").iterdir()}
    assert modes == {0o600}
    assert queue.pending(tmp_path, "b") == []


def test_parallel_writers_lose_nothing(tmp_path: Path) -> None:
    """Every text of many writers is there once."""
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: queue.put(tmp_path, "a", str(n)), range(40)))

    assert sorted(texts(tmp_path), key=int) == [str(n) for n in range(40)]


def test_what_can_never_be_typed_is_not_queued(tmp_path: Path) -> None:
    """An empty text is refused at once."""
    with pytest.raises(Refused):
        queue.put(tmp_path, "a", "\n")


def test_a_delivered_text_leaves_and_a_held_one_stays(tmp_path: Path) -> None:
    """A refusal that can pass keeps the text in its place."""
    queue.put(tmp_path, "a", "one")
    queue.put(tmp_path, "a", "two")

    queue.work(
        tmp_path, "a", lambda item: result(item, Outcome.REFUSED, passes=Passes.RUN)
    )
    assert texts(tmp_path) == ["one", "two"]

    queue.work(tmp_path, "a", lambda item: result(item, Outcome.SUBMITTED))
    assert texts(tmp_path) == ["two"]


def test_a_final_refusal_leaves_a_receipt(tmp_path: Path) -> None:
    """A text that can never be typed leaves the queue and is accounted for."""
    put = queue.put(tmp_path, "a", "one")

    queue.work(tmp_path, "a", lambda item: result(item, Outcome.REFUSED))

    assert texts(tmp_path) == []
    last = receipt.find(tmp_path, put.id)
    assert last is not None
    assert last.outcome is Outcome.REFUSED
    assert (
        queue.work(tmp_path, "a", lambda item: result(item, Outcome.SUBMITTED)) is None
    )


class Killed(BaseException):
    """Stands for a death in the middle."""


def killed_in(tmp_path: Path) -> Item:
    """Let a worker die with the first item in its hands."""
    seen: list[Item] = []

    def die(item: Item) -> Receipt:
        seen.append(item)
        raise Killed

    with pytest.raises(Killed):
        queue.work(tmp_path, "a", die)
    return seen[0]


def test_a_text_whose_sender_died_before_typing_waits_on(tmp_path: Path) -> None:
    """Without a note that it was typed, it goes back to its place."""
    queue.put(tmp_path, "a", "one")
    queue.put(tmp_path, "a", "two")
    killed_in(tmp_path)

    queue.settle_claims(tmp_path, "a")

    assert texts(tmp_path) == ["one", "two"]
    queue.work(tmp_path, "a", lambda item: result(item, Outcome.SUBMITTED))
    assert texts(tmp_path) == ["two"]


def test_a_text_whose_sender_died_while_typing_is_not_typed_again(
    tmp_path: Path,
) -> None:
    """When it may have been typed, it ends as unproven."""
    queue.put(tmp_path, "a", "one")
    item = killed_in(tmp_path)
    content = receipt.content_of(item.text)
    note = spool.Note(item.id, "r", content.sha256, content.bytes, False, 0.0)
    spool.write_note(tmp_path, "a", note)

    queue.settle_claims(tmp_path, "a")

    assert texts(tmp_path) == []
    last = receipt.find(tmp_path, item.id)
    assert last is not None
    assert last.outcome is Outcome.UNPROVEN


def test_a_text_whose_sender_died_after_the_receipt_is_done(tmp_path: Path) -> None:
    """With a receipt of its delivery it only leaves the queue."""
    queue.put(tmp_path, "a", "one")
    item = killed_in(tmp_path)
    receipt.append(tmp_path, result(item, Outcome.SUBMITTED))

    queue.settle_claims(tmp_path, "a")

    assert texts(tmp_path) == []
    assert len(list(receipt.read(tmp_path))) == 2


def test_a_damaged_item_holds_nobody_up(tmp_path: Path) -> None:
    """A file that cannot be read is passed over."""
    queue.put(tmp_path, "a", "one")
    (path,) = (tmp_path / "queue/a").iterdir()
    path.write_text("{")
    queue.put(tmp_path, "a", "two")

    assert texts(tmp_path) == ["two"]
