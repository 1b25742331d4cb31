"""Receipts: what became of each delivery, kept without the text itself."""

from __future__ import annotations

import contextlib
import json
import secrets
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Self

from mdtmux.system import files

_FILE = "receipts.jsonl"
_OLD = "receipts.old.jsonl"
# About ten thousand receipts; two such files are kept.
_ROTATE = 4_000_000


class Outcome(StrEnum):
    """How a delivery ended.

    `SUBMITTED`: seen to have left the input line after Enter. `QUEUED`: kept, will be
    typed when the agent can take it. `REFUSED`: nothing was typed. `UNPROVEN`: typed,
    but not seen to have been submitted.
    """

    SUBMITTED = "submitted"
    QUEUED = "queued"
    REFUSED = "refused"
    UNPROVEN = "unproven"


class Passes(StrEnum):
    """When what holds a text back will be over.

    `NEVER`: the program cannot take this text. `RUN`: with another run of the agent.
    `HUMAN`: when a human acts. `SOON`: by itself.
    """

    NEVER = "never"
    RUN = "run"
    HUMAN = "human"
    SOON = "soon"


@dataclass(frozen=True, slots=True)
class Held:
    """Why nothing may be typed, or nothing more, and when that will be over."""

    reason: str
    hint: str | None = None
    passes: Passes = Passes.NEVER

    @property
    def later(self) -> bool:
        """Whether waiting can help."""
        return self.passes in (Passes.HUMAN, Passes.SOON)


@dataclass(frozen=True, slots=True)
class Content:
    """What is recorded of a text: length in bytes, digest, control characters dropped."""

    bytes: int
    sha256: str
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of one delivery to one life (`run`) of one agent.

    `reason` is a sentence for people, `hint` the remedy if there is one, `evidence`
    what was seen. `enters` counts how often Enter was pressed. `passes` says of a
    refusal when it will be over, and `RUN` of a text that was not submitted before its
    run ended. `time` is seconds since the epoch.
    """

    id: str
    agent: str
    run: str
    outcome: Outcome
    reason: str
    hint: str | None
    evidence: str
    bytes: int
    sha256: str
    dropped: int
    enters: int
    passes: Passes
    time: float

    @property
    def later(self) -> bool:
        """Whether waiting can help."""
        return self.passes in (Passes.HUMAN, Passes.SOON)

    def as_json(self) -> dict[str, object]:
        """Return the receipt as JSON values."""
        words = {"outcome": self.outcome.value, "passes": self.passes.value}
        return {**asdict(self), **words}

    @classmethod
    def from_json(cls, value: object) -> Self | None:
        """Read a receipt back; None when the value is not one."""
        if not isinstance(value, dict):
            return None
        with contextlib.suppress(TypeError, ValueError):
            outcome, passes = str(value.get("outcome")), str(value.get("passes"))
            words = {"outcome": Outcome(outcome), "passes": Passes(passes)}
            return cls(**{**value, **words})
        return None


def new_id() -> str:
    """Return a new id for a delivery: 12 hexadecimal digits."""
    return secrets.token_hex(6)


def make(
    agent: str, run: str, outcome: Outcome, held: Held, content: Content
) -> Receipt:
    """Return a new receipt, with an id of its own, of a delivery without Enter."""
    return Receipt(
        id=new_id(),
        agent=agent,
        run=run,
        outcome=outcome,
        reason=held.reason,
        hint=held.hint,
        evidence="",
        bytes=content.bytes,
        sha256=content.sha256,
        dropped=content.dropped,
        enters=0,
        passes=held.passes,
        time=now(),
    )


def content_of(text: str, dropped: int = 0) -> Content:
    """Return what may be recorded of a text."""
    raw = text.encode()
    return Content(len(raw), files.sha256(raw), dropped)


def now() -> float:
    """Return the time for a receipt, in seconds since the epoch."""
    return round(time.time(), 3)


def append(state: Path, receipt: Receipt) -> None:
    """Add a receipt to the office's `receipts.jsonl`.

    Raises:
        MdtmuxError: the file cannot be written.
    """
    path = state / _FILE
    with contextlib.suppress(OSError):
        if path.stat().st_size > _ROTATE:
            path.replace(state / _OLD)
    files.append_line(path, json.dumps(receipt.as_json(), ensure_ascii=False))


def read(state: Path) -> Iterator[Receipt]:
    """Yield the office's receipts, oldest first; lines that are none are passed over."""
    for name in (_OLD, _FILE):
        try:
            file = (state / name).open(encoding="utf-8", errors="replace")
        except OSError:
            continue
        with file:
            for line in file:
                receipt = _parse(line)
                if receipt is not None:
                    yield receipt


def _parse(line: str) -> Receipt | None:
    try:
        return Receipt.from_json(json.loads(line))
    except ValueError:
        return None


def find(state: Path, identifier: str) -> Receipt | None:
    """Return the last receipt of a delivery, None when there is none."""
    last = None
    for receipt in read(state):
        if receipt.id == identifier:
            last = receipt
    return last


def last(state: Path, agent: str, run: str, since: float) -> Receipt | None:
    """Return the last receipt of one run of an agent, None when it has none.

    What became of a text in an earlier run says nothing of this one's. One that went
    to no run, as into the queue, counts from the run's start, `since`.
    """
    found = None
    for receipt in read(state):
        mine = receipt.run == run or (not receipt.run and receipt.time >= since)
        if receipt.agent == agent and mine:
            found = receipt
    return found


def doubts_before(state: Path, agent: str, run: str) -> list[Receipt]:
    """Return what stayed unproven in the agent's run before this one, oldest first.

    Of a queued text nobody saw the receipt when it was written. What a later text of
    the same run showed to be taken is no doubt any more.
    """
    found: list[Receipt] = []
    before = ""
    for receipt in read(state):
        if receipt.agent != agent or receipt.run in ("", run):
            continue
        if receipt.run != before:
            before, found = receipt.run, []
        found = [one for one in found if one.id != receipt.id]
        if receipt.outcome is Outcome.SUBMITTED and receipt.bytes:
            found = []
        elif receipt.outcome is Outcome.UNPROVEN:
            found.append(receipt)
    return found
