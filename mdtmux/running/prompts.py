"""Deliver each agent's first prompt once: typed, proven, or kept for later."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass

from mdtmux.delivery import pump, queue
from mdtmux.delivery import receipt as receipts
from mdtmux.delivery.receipt import Outcome, Passes, Receipt
from mdtmux.delivery.target import Options
from mdtmux.delivery.text import prepare
from mdtmux.errors import MdtmuxError
from mdtmux.running.offices import OfficeRef
from mdtmux.running.records import PromptState, RunRecord, save
from mdtmux.running.ringing import ensure_for
from mdtmux.running.targets import target_of_record
from mdtmux.system.tmux import Tmux

# What an earlier life of the agent never came to would be typed as well.
_ANEW = "a new run gets its first prompt anew"


@dataclass(frozen=True, slots=True)
class PromptResult:
    """What became of a first prompt."""

    state: PromptState
    reason: str


def deliver_prompt(
    ref: OfficeRef, tmux: Tmux, record: RunRecord, text: str
) -> PromptResult:
    """Type the prompt into a ready agent and record how far it came.

    When the agent cannot take it now (a dialog is open, a human types), the prompt
    is queued and its helper types it as soon as it can.
    """
    # Imported here: an office without prompts need not wait for it.
    from mdtmux.delivery.gate import deliver

    target = target_of_record(ref, record)
    if target is None:
        return _set(ref, record, PromptState.PENDING, "its process is not known")
    withdraw_prompt(ref, record.agent.name, _ANEW)
    # Before the first key: after a crash from here on it must not be typed again.
    save(ref.state, dataclasses.replace(record, prompt=PromptState.TYPING))
    try:
        receipt = deliver(
            tmux,
            target,
            text,
            Options(wait=True, timeout=30.0, human=False, ahead=True),
        )
    except MdtmuxError as error:
        # Its receipt could not be written: it may have been typed all the same.
        return _set(ref, record, PromptState.UNPROVEN, error.message)
    return _settle(ref, record, text, receipt)


def keep_prompt(ref: OfficeRef, record: RunRecord, text: str, why: str) -> PromptResult:
    """Queue the prompt for an agent that cannot take it yet."""
    withdraw_prompt(ref, record.agent.name, _ANEW)
    receipt = queue.put_prompt(ref.state, record.agent.name, text)
    record = dataclasses.replace(record, kept=receipt.id)
    result = _set(ref, record, PromptState.QUEUED, why)
    pump.ensure(ref.state, ref.id, record.agent.name)
    return result


def withdraw_prompt(ref: OfficeRef, name: str, why: str) -> bool:
    """Take a first prompt that waits out of the agent's queue; tell whether one did."""
    return bool(queue.drop(ref.state, name, lambda item: item.prompt, why))


def waive_prompt(record: RunRecord) -> RunRecord:
    """Return the record of a run that gets no prompt, now or by the next `up`."""
    if record.prompt is not PromptState.PENDING:
        return record
    return dataclasses.replace(record, prompt=PromptState.NONE)


def resume_prompt(ref: OfficeRef, record: RunRecord) -> RunRecord:
    """Return the record of a run whose prompt a killed `up` was typing, put right.

    With a receipt, that is what became of it. Without one it is owed still: the gate
    has noted what it typed, and presses no more than Enter if the text stands there.
    """
    if record.prompt is not PromptState.TYPING or record.agent.prompt is None:
        return record
    text = prepare(record.agent.prompt).text
    wanted = (record.agent.name, record.run, receipts.content_of(text).sha256)
    state = PromptState.PENDING
    for one in receipts.read(ref.state):
        if (one.agent, one.run, one.sha256) == wanted:
            proven = one.outcome is Outcome.SUBMITTED
            known = proven or one.outcome is Outcome.UNPROVEN
            state = PromptState(one.outcome.value) if known else state
    return dataclasses.replace(record, prompt=state)


def settle_prompt(ref: OfficeRef, record: RunRecord) -> PromptState:
    """Put down and return how far the prompt has come that nobody types any more.

    Call it as the agent's pump, or with the office held: a state `TYPING` was left by
    an `up` that was killed, and a queued prompt has the receipt of its delivery. A
    doubt is over once a later text was seen to be taken: somebody has looked.
    """
    state = record.prompt
    if state is PromptState.TYPING:
        state = PromptState.UNPROVEN
    elif state is PromptState.QUEUED:
        receipt = receipts.find(ref.state, record.kept)
        if receipt is not None and receipt.outcome is not Outcome.QUEUED:
            state = _end_of(receipt)
    elif state is PromptState.UNPROVEN and any(
        one.run == record.run and one.outcome is Outcome.SUBMITTED and one.bytes
        for one in receipts.read(ref.state)
    ):
        state = PromptState.SUBMITTED
    if state is not record.prompt:
        _set(ref, record, state, "")
    return state


def _end_of(receipt: Receipt) -> PromptState:
    """Return what the end of a queued prompt makes of it."""
    if receipt.outcome is Outcome.SUBMITTED:
        return PromptState.SUBMITTED
    dropped = receipt.outcome is Outcome.REFUSED and receipt.passes is Passes.RUN
    return PromptState.NONE if dropped else PromptState.UNPROVEN


def wake_pumps(ref: OfficeRef, names: Iterable[str]) -> None:
    """See to it that what waits for the agents is typed: kept by `down`, or by a crash.

    Texts in their queues, and the line that tells of mail in their boxes.
    """
    waiting = list(names)
    for name in waiting:
        pump.ensure(ref.state, ref.id, name)
    ensure_for(ref, waiting)


def _settle(
    ref: OfficeRef, record: RunRecord, text: str, receipt: Receipt
) -> PromptResult:
    if receipt.outcome is Outcome.SUBMITTED:
        return _set(ref, record, PromptState.SUBMITTED, receipt.evidence)
    if receipt.outcome is Outcome.UNPROVEN:
        return _set(ref, record, PromptState.UNPROVEN, receipt.reason)
    why = f"{receipt.reason}; {receipt.hint}" if receipt.hint else receipt.reason
    if receipt.later:
        return keep_prompt(ref, record, text, why)
    return _set(ref, record, PromptState.PENDING, why)


def _set(
    ref: OfficeRef, record: RunRecord, state: PromptState, reason: str
) -> PromptResult:
    save(ref.state, dataclasses.replace(record, prompt=state))
    return PromptResult(state, reason)
