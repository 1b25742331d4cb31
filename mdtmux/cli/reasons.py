"""The facts that `why` tells of one agent."""

from __future__ import annotations

import time

from mdtmux.agents.base import Activity
from mdtmux.agents.kinds import kind_of
from mdtmux.delivery import queue
from mdtmux.delivery.pump import running
from mdtmux.delivery.receipt import Receipt, doubts_before, last
from mdtmux.mail.post import Post
from mdtmux.office.model import Agent
from mdtmux.running.activity import Seen, look_at
from mdtmux.running.observe import State
from mdtmux.running.offices import OfficeRef
from mdtmux.running.records import PromptState, RunRecord
from mdtmux.running.ringing import bell_of
from mdtmux.system.tmux import Tmux
from mdtmux.units import format_duration


def reasons(ref: OfficeRef, name: str) -> list[tuple[str, str]]:
    """Return the facts of one agent as labelled lines."""
    seen = look_at(ref, Tmux(ref.socket)).get(name)
    if seen is None:
        return [("state", "stopped: it was never started")]
    standing, record = seen.standing, seen.standing.record
    facts = [("state", f"{standing.state}: {standing.why}")]
    if standing.lives and not standing.proven and record is not None:
        facts.append(("ready", _ready(record, standing.state)))
    facts.append(("activity", _activity(seen)))
    if seen.reading.evidence.strip():
        facts.append(("evidence", seen.reading.evidence.strip()))
    if seen.reading.draft:
        facts.append(
            ("draft", f"{len(seen.reading.draft)} characters stand on the input line")
        )
    if record is not None:
        facts.append(("prompt", str(record.prompt)))
        facts.append(("run", record.run))
        facts.append(("place", str(record.directory)))
        if record.branch and record.worktree:
            facts.append(("branch", record.branch))
    facts += _deliveries(ref, name, seen)
    facts += _mail(ref, name, seen)
    return facts


def _activity(seen: Seen) -> str:
    if not seen.standing.lives:
        return "unknown: no process runs"
    age = (
        "" if seen.quiet is None else f", last output {format_duration(seen.quiet)} ago"
    )
    record = seen.standing.record
    if record is not None and record.agent.is_process:
        return "unknown: a side process is not read"
    unread = record is not None and _unread(record.agent)
    if unread and seen.reading.activity is Activity.UNKNOWN:
        return (
            f"unknown: the office file gives no `screen:` patterns to read it by{age}"
        )
    what = f" ({seen.reading.dialog} open)" if seen.reading.dialog else ""
    return f"{seen.reading.activity}{what}, from its {seen.source}{age}"


def _unread(agent: Agent) -> bool:
    """Tell whether nothing says what the agent's screen looks like."""
    marks = agent.marks
    given = (marks.idle, marks.busy, marks.waiting, marks.limited)
    return agent.kind == "custom" and given == (None,) * 4


def _ready(record: RunRecord, state: State) -> str:
    """Say which sign of an agent is waited for, or was in vain."""
    ready = record.agent.ready
    if ready.pattern is not None:
        sign = f"`{ready.pattern}` on its screen"
    elif kind_of(record.agent).reads_screen:
        sign = f"the input line of {record.agent.kind} on its screen"
    elif record.prompt is not PromptState.NONE:
        sign = "it reads its terminal"
    else:
        sign = "its process lives on"
    if state is State.STARTING:
        return f"waited for; its sign: {sign}"
    return f"not seen; its sign: {sign}"


def _deliveries(ref: OfficeRef, name: str, seen: Seen) -> list[tuple[str, str]]:
    facts: list[tuple[str, str]] = []
    waiting = queue.pending(ref.state, name)
    if waiting:
        many = "1 text waits" if len(waiting) == 1 else f"{len(waiting)} texts wait"
        rows = [f"{many}; {_held(ref, seen)}", *map(_waiting, waiting)]
        facts.append(("queued", "\n".join(rows)))
    record = seen.standing.record
    if record is None:
        return facts
    receipt = last(ref.state, name, record.run, record.started)
    if receipt is not None:
        facts.append(("receipt", f"{receipt.outcome}: {receipt.reason}"))
    doubts = doubts_before(ref.state, name, record.run)
    if doubts:
        facts.append(("unproven", "\n".join(map(_doubt, doubts))))
    return facts


def _waiting(item: queue.Item) -> str:
    size, age = len(item.text.encode()), format_duration(time.time() - item.time)
    what = ", the first prompt" if item.prompt else ""
    return f"{item.id}  {size} bytes, queued {age} ago{what}"


def _doubt(one: Receipt) -> str:
    return f"text {one.id} ({one.bytes} bytes) of the run before: {one.reason}"


def _mail(ref: OfficeRef, name: str, seen: Seen) -> list[tuple[str, str]]:
    post = Post(ref.state, (name,))
    facts = [("mail", f"refused: {reason}") for reason in post.stopped(name)]
    unread = post.unread(name)
    if unread:
        why = bell_of(post.box(name)).why if seen.standing.lives else "it does not run"
        told = f"; not told of it: {why}" if why else ""
        facts.append(("mail", f"{unread} unread{told}"))
    return facts


def _held(ref: OfficeRef, seen: Seen) -> str:
    """Say what holds the first text back, or who sees to it."""
    name = seen.standing.name
    if not seen.standing.lives:
        return "held because the agent does not run"
    if running(ref.state, name) is not None:
        held = queue.held_by(ref.state, name)
        return f"held because {held}" if held else "the first is being typed"
    if seen.reading.dialog:
        return f"held because a {seen.reading.dialog} is open"
    if seen.reading.draft:
        return "held because somebody's draft stands on the input line"
    return f"nothing types it now; `mdtmux start {name}` sees to it"
