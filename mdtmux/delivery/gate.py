"""The gate through which every text reaches an agent: look, type, submit, prove.

One writer at a time for each agent, across processes: the whole sequence runs under
the agent's kernel lock. Nothing is typed that a shell could execute, that could
answer a dialog or join somebody's draft, and nothing is called submitted that was
not seen to leave the input line.
"""

from __future__ import annotations

from dataclasses import replace

from mdtmux.delivery import queue, spool
from mdtmux.delivery import receipt as receipts
from mdtmux.delivery.approach import Job
from mdtmux.delivery.look import Clock, Looker
from mdtmux.delivery.proof import Finding
from mdtmux.delivery.receipt import Content, Held, Outcome, Passes, Receipt
from mdtmux.delivery.sequence import Sequence
from mdtmux.delivery.stop import Stop
from mdtmux.delivery.target import Options, Target
from mdtmux.delivery.text import prepare
from mdtmux.errors import Busy, MdtmuxError, Refused
from mdtmux.system import locks
from mdtmux.system.tmux import Tmux

# Seconds between two tries while the agent cannot take the text yet.
_SHORTEST, _LONGEST = 0.05, 0.5


def deliver(
    tmux: Tmux,
    target: Target,
    text: bytes | str,
    options: Options | None = None,
    clock: Clock | None = None,
) -> Receipt:
    """Type the text into the agent, submit it and return what was proven.

    The receipt is in the office's receipts too. `SUBMITTED` means that the text was
    seen to leave the input line after Enter; `REFUSED` that nothing was typed;
    `UNPROVEN` that it was typed and may still stand there.

    Raises:
        MdtmuxError: the receipt cannot be written.
    """
    result = attempt(tmux, target, text, options, clock)
    if result.outcome is Outcome.REFUSED:
        receipts.append(target.state, result)
    return result


def attempt(
    tmux: Tmux,
    target: Target,
    text: bytes | str,
    options: Options | None = None,
    clock: Clock | None = None,
) -> Receipt:
    """Do what `deliver` does, but write down only what was typed, no refusal."""
    chosen = options or Options()
    try:
        job = _job(target, text, chosen)
    except Refused as error:
        stop = Stop(Outcome.REFUSED, Held(error.message, error.hint))
        return _receipt(target, chosen.item or receipts.new_id(), stop)
    return _when_possible(Looker(tmux, target.pane, clock), job)


def _job(target: Target, text: bytes | str, options: Options) -> Job:
    prepared = prepare(text)
    if not options.command:
        # What escapes a first character may add lines or bytes: measure it again.
        escaped = prepare(target.kind.literal(prepared.text))
        prepared = replace(escaped, dropped=prepared.dropped)
    content = receipts.content_of(prepared.text, prepared.dropped)
    return Job(options.item or receipts.new_id(), target, prepared, content, options)


def _when_possible(looker: Looker, job: Job) -> Receipt:
    """Try until the text was typed, a refusal is final, or the time is over."""
    deadline = looker.clock.now() + job.options.timeout
    pause = _SHORTEST
    while True:
        result = _locked(looker, job, max(0.0, deadline - looker.clock.now()))
        left = deadline - looker.clock.now()
        passes = result.later and (job.options.human or result.passes is Passes.SOON)
        if not (job.options.wait and passes) or left <= 0:
            return result
        looker.wait(min(pause, left))
        pause = min(pause * 1.5, _LONGEST)


def _locked(looker: Looker, job: Job, wait: float) -> Receipt:
    target = job.target
    sequence = Sequence(looker, job)
    try:
        with locks.hold(target.lock, wait=wait, what=f"the input of `{target.agent}`"):
            return _under_lock(sequence, job)
    except Busy as error:
        stop = Stop(Outcome.REFUSED, Held(error.message, error.hint, Passes.SOON))
        return _receipt(target, job.id, stop, job.content)


def _under_lock(sequence: Sequence, job: Job) -> Receipt:
    target = job.target
    try:
        _check_turn(job)
        end: Stop | Finding = sequence.run()
    except Stop as stop:
        end = stop
    except MdtmuxError as error:
        outcome = Outcome.UNPROVEN if sequence.typed else Outcome.REFUSED
        end = Stop(outcome, Held(error.message, error.hint, Passes.SOON))
    result = _receipt(target, job.id, end, job.content, sequence.enters)
    if result.outcome is not Outcome.REFUSED:
        receipts.append(target.state, result)
    if result.outcome is Outcome.SUBMITTED:
        # After the receipt: a crash in between must not look as if nothing was typed.
        spool.drop_note(target.state, target.agent)
    return result


def _check_turn(job: Job) -> None:
    """Refuse to overtake texts that wait in the agent's queue."""
    options = job.options
    if options.item is not None or options.force or options.ahead:
        return
    waiting = len(queue.pending(job.target.state, job.target.agent))
    if waiting:
        texts = "text waits" if waiting == 1 else "texts wait"
        reason = f"{waiting} earlier {texts} in the queue of `{job.target.agent}`"
        why = queue.held_by(job.target.state, job.target.agent)
        reason += f": {why}" if why else ""
        hint = "`--queue` puts this one behind, `--wait idle` waits for its turn"
        raise Stop(Outcome.REFUSED, Held(reason, hint, Passes.SOON))


def _receipt(
    target: Target,
    identifier: str,
    end: Stop | Finding,
    content: Content | None = None,
    enters: int = 0,
) -> Receipt:
    held = Held("seen to leave the input line after Enter")
    outcome = Outcome.SUBMITTED
    if isinstance(end, Stop):
        held, outcome = end.held, end.outcome
    known = content or Content(0, "")
    made = receipts.make(target.agent, target.run, outcome, held, known)
    return replace(made, id=identifier, enters=enters, evidence=end.evidence)
