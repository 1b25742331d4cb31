"""Receipts are written whole, read back, and kept within bounds."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from mdtmux.delivery import receipt
from mdtmux.delivery.receipt import Content, Held, Outcome, Passes, Receipt


def made(agent: str = "a", outcome: Outcome = Outcome.SUBMITTED) -> Receipt:
    """Return a receipt."""
    return receipt.make(
        agent, "r" * 12, outcome, Held("why", "how", Passes.HUMAN), Content(3, "ab")
    )


def test_a_receipt_comes_back_as_it_was(tmp_path: Path) -> None:
    """What was appended is read in order; a broken line is passed over."""
    one, two = made(), made("b", Outcome.UNPROVEN)
    receipt.append(tmp_path, one)
    with (tmp_path / "receipts.jsonl").open("a") as file:
        file.write('{"half\n[]\n{"id": "x"}\n')
    receipt.append(tmp_path, two)

    assert list(receipt.read(tmp_path)) == [one, two]
    assert receipt.find(tmp_path, two.id) == two
    assert receipt.find(tmp_path, "nothing") is None


def test_no_receipts_is_no_error(tmp_path: Path) -> None:
    """An office without deliveries has none."""
    assert list(receipt.read(tmp_path)) == []


def test_old_receipts_make_room(tmp_path: Path) -> None:
    """A file that has grown large is kept once beside the new one."""
    first, second = made(), made()
    receipt.append(tmp_path, first)
    with (tmp_path / "receipts.jsonl").open("a") as file:
        file.write(" " * 4_100_000 + "\n")

    receipt.append(tmp_path, second)

    assert (tmp_path / "receipts.jsonl").stat().st_size < 1000
    assert list(receipt.read(tmp_path)) == [first, second]


def test_the_last_receipt_is_that_of_the_run(tmp_path: Path) -> None:
    """An earlier run's receipt, and another agent's, are not the present one's."""
    old, new, other = made(), made(), made("b")
    new = dataclasses.replace(new, run="n" * 12)
    for one in (new, old, other):
        receipt.append(tmp_path, one)

    assert receipt.last(tmp_path, "a", "n" * 12, 0.0) == new
    assert receipt.last(tmp_path, "a", "r" * 12, 0.0) == old
    assert receipt.last(tmp_path, "a", "x" * 12, 0.0) is None
    queued = dataclasses.replace(made(), run="")
    receipt.append(tmp_path, queued)
    assert receipt.last(tmp_path, "a", "n" * 12, queued.time) == queued
    assert receipt.last(tmp_path, "a", "n" * 12, queued.time + 1) == new
