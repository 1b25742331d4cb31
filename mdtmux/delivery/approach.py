"""The looks before a text is typed: is it the right pane, and may one type there now?"""

from __future__ import annotations

from dataclasses import dataclass, replace

from mdtmux.agents.base import Activity
from mdtmux.delivery import admit, spool
from mdtmux.delivery.admit import Facts
from mdtmux.delivery.look import Look, Looker
from mdtmux.delivery.proof import holds
from mdtmux.delivery.receipt import Content, Held, Outcome, Passes
from mdtmux.delivery.stop import Stop
from mdtmux.delivery.target import Options, Target
from mdtmux.delivery.text import Prepared
from mdtmux.errors import TmuxError
from mdtmux.system import processes, terminal

# How long a screen must stay the same to count as not moving by itself, and an idle
# sign to be believed: it shows for a moment between two tool calls.
_STEADY = 0.15
# How often to look for a moment without movement, where movement is the only proof.
_TRIES = 6


@dataclass(frozen=True, slots=True)
class Job:
    """One text for one agent; `id` is the delivery's."""

    id: str
    target: Target
    text: Prepared
    content: Content
    options: Options


@dataclass(frozen=True, slots=True)
class Clear:
    """The way is clear.

    `still`: the screen did not move by itself meanwhile. `resume`: the very text
    stands on the input line already, left by a delivery that was cut short.
    """

    facts: Facts
    still: bool
    resume: bool


def approach(looker: Looker, job: Job) -> Clear:
    """Return what was seen of an agent that can take the text now.

    Leaves copy mode. Looks twice: an agent between two steps looks idle for a
    moment, and a draft that changes means that somebody is typing.

    Raises:
        Stop: something holds the text back; nothing was typed.
    """
    first = look_at(looker, job.target)
    if first.pane.in_mode:
        looker.tmux.leave_mode(job.target.pane)
        first = look_at(looker, job.target)
    facts = facts_of(job.target, first)
    _check(job, facts)
    for _ in range(_TRIES):
        looker.wait(_STEADY)
        second = look_at(looker, job.target)
        again = replace(facts, look=second, reading=job.target.kind.read(second.screen))
        resume = _check(job, again)
        if again.reading.draft != facts.reading.draft:
            reason = f"somebody is typing to `{job.target.agent}`"
            raise refused(Held(reason, passes=Passes.HUMAN))
        still = not second.differs(first)
        if still or job.target.kind.reads_screen:
            break
        # A program that has just started may still be drawing.
        first, facts = second, again
    return Clear(again, still, resume)


def refused(held: Held) -> Stop:
    """Return the end of a delivery before anything was typed."""
    return Stop(Outcome.REFUSED, held)


def look_at(looker: Looker, target: Target) -> Look:
    """Return what is in the target's pane now.

    Raises:
        Stop: the pane is gone.
    """
    try:
        return looker.look()
    except TmuxError as error:
        reason = f"`{target.agent}` does not run any more ({error.message})"
        again = f"`mdtmux start {target.agent}` starts it again"
        raise refused(Held(reason, again, Passes.RUN)) from error


def facts_of(target: Target, look: Look) -> Facts:
    """Return all that decides whether one may type, for a look just taken."""
    reading = target.kind.read(look.screen)
    asked = target.bracketed()
    if asked is None and reading.accepts:
        asked = target.kind.bracketed
    # A known kind runs shells for itself; what shows is read from its own frame.
    hosts = target.kind.program is None and not look.pane.dead
    return Facts(
        look=look,
        reading=reading,
        alive=processes.alive(target.process),
        reader=None if look.pane.dead else terminal.foreground(look.pane.pid),
        canonical=terminal.is_canonical(look.pane.tty),
        bracketed=asked,
        hosted=terminal.hosted_shell(look.pane.pid) if hosts else None,
    )


def _check(job: Job, facts: Facts) -> bool:
    """Stop if nothing may be typed; tell whether the very text stands there already."""
    resume, stranded = _earlier(job, facts)
    reading = replace(facts.reading, draft="") if resume else facts.reading
    held = admit.hold(job.target, replace(facts, reading=reading), job.options)
    held = held or stranded or _not_idle(job, facts)
    if held is not None:
        raise refused(held)
    return resume


def _not_idle(job: Job, facts: Facts) -> Held | None:
    activity = facts.reading.activity
    if not job.options.idle or activity is Activity.IDLE:
        return None
    return Held(f"`{job.target.agent}` is {activity}", passes=Passes.SOON)


def _earlier(job: Job, facts: Facts) -> tuple[bool, Held | None]:
    """Judge the note of an earlier delivery that was not seen to be submitted."""
    agent = job.target.agent
    note = spool.read_note(job.target.state, agent)
    if note is None or note.run != job.target.run:
        return False, None
    same = note.sha256 == job.content.sha256
    if same and holds(job.target.kind, facts.look.screen, job.text.text):
        return True, None
    if job.options.force or _is_empty(job, facts):
        return False, None
    return False, Held(
        f"an earlier text of {note.bytes} bytes (delivery {note.id}) was typed into"
        f" `{agent}` and may still stand there unsent",
        f"`mdtmux attach {agent}` shows it; `--force` types all the same",
        Passes.HUMAN,
    )


def _is_empty(job: Job, facts: Facts) -> bool:
    """Tell whether it is seen that nothing stands in the input."""
    kind, screen = job.target.kind, facts.look.screen
    if facts.reading.draft != "" or kind.program is not None:
        return facts.reading.draft == ""
    if holds(kind, screen, job.text.text) is None:
        # Only a sign of readiness is known: a text may stand there without showing.
        return False
    # In an input of several rows the text may stand in the row above, behind a prompt.
    above = replace(screen, cursor_y=screen.cursor_y - 1, cursor_x=screen.width)
    return not kind.read(above).draft
