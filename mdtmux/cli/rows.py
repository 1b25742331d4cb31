"""The rows of `ps`, as a table and as JSON."""

from __future__ import annotations

import time
from collections.abc import Sequence

from mdtmux.agents.base import Activity
from mdtmux.cli import output
from mdtmux.mail.post import Post
from mdtmux.running.activity import Seen, look_at
from mdtmux.running.observe import State
from mdtmux.running.offices import OfficeRef
from mdtmux.running.records import PromptState
from mdtmux.system.tmux import Tmux
from mdtmux.units import format_duration

_UNSETTLED = (PromptState.TYPING, PromptState.QUEUED, PromptState.UNPROVEN)
_ASKED = 40  # characters of a question that `ps` shows
_HEADER = ("AGENT", "ROLE", "KIND", "STATE", "ACTIVITY", "FOR", "BRANCH", "NOTE")


def as_objects(ref: OfficeRef) -> dict[str, object]:
    """Return an office's rows for JSON; times are seconds since the epoch."""
    seen = look_at(ref, Tmux(ref.socket))
    return {
        "office": ref.name,
        "id": ref.id,
        "version": ref.version,
        "file": str(ref.file),
        "session": ref.session,
        "running": any(one.standing.lives for one in seen.values()),
        "agents": [_object(ref, one) for one in seen.values()],
    }


def _member(ref: OfficeRef, seen: Seen) -> tuple[str, str]:
    """Return role and kind: of what runs or ran, else by the file at the last `up`."""
    record = seen.standing.record
    if record is not None:
        return record.agent.role, record.agent.kind
    return ref.members.get(seen.standing.name, ("-", "-"))


def _object(ref: OfficeRef, seen: Seen) -> dict[str, object]:
    member = _member(ref, seen)
    standing, record = seen.standing, seen.standing.record
    pane = standing.pane
    return {
        "name": standing.name,
        "role": member[0],
        "kind": member[1],
        "state": str(standing.state),
        "status": standing.status,
        "signal": standing.signal,
        "activity": str(seen.reading.activity),
        "dialog": seen.reading.dialog,
        "evidence": seen.reading.evidence.strip(),
        "source": seen.source,
        "quiet": None if seen.quiet is None else round(seen.quiet, 1),
        "since": standing.since,
        "pid": standing.identity.pid if standing.identity else None,
        "pane": pane.pane if pane else None,
        "run": record.run if record else None,
        "branch": record.branch if record else None,
        "worktree": str(record.worktree) if record and record.worktree else None,
        "prompt": str(record.prompt) if record else None,
        "mail": Post(ref.state, ()).unread(standing.name),
        "why": standing.why,
    }


def render(refs: Sequence[OfficeRef], *, headed: bool) -> list[str]:
    """Return the table of each office; `headed`: by its name, as one with a version is."""
    texts: list[str] = []
    for ref in refs:
        seen = look_at(ref, Tmux(ref.socket))
        version = f" version {ref.version}" if ref.version else ""
        if headed or version:
            texts.append(f"office {ref.name}{version}  {ref.file}")
        texts.append(output.table(_HEADER, [_row(ref, one) for one in seen.values()]))
    return texts or ["no office has been brought up yet"]


def _row(ref: OfficeRef, seen: Seen) -> tuple[str, ...]:
    standing, record = seen.standing, seen.standing.record
    age = format_duration(time.time() - standing.since) if standing.since else "-"
    activity = str(seen.reading.activity) if standing.lives else "-"
    return (
        standing.name,
        *_member(ref, seen),
        state_words(seen),
        activity,
        age,
        (record.branch or "-") if record else "-",
        _note(ref, seen),
    )


def state_words(seen: Seen) -> str:
    """Return the state with how the process ended, if it did."""
    standing = seen.standing
    if standing.state in (State.EXITED, State.STOPPED) and standing.signal is not None:
        return f"{standing.state} (signal {standing.signal})"
    if standing.state is State.EXITED and standing.status is not None:
        return f"{standing.state} {standing.status}"
    return str(standing.state)


def _note(ref: OfficeRef, seen: Seen) -> str:
    standing, record = seen.standing, seen.standing.record
    notes: list[str] = []
    reading = seen.reading
    if reading.dialog or reading.activity is Activity.WAITING:
        asked = reading.evidence.strip() or reading.dialog or "question"
        short = asked if len(asked) <= _ASKED else f"{asked[: _ASKED - 1]}…"
        name = standing.name
        notes.append(f"{short} (answer it: attach {name}, or send {name} --key KEY)")
    if record and record.prompt in _UNSETTLED:
        notes.append(f"prompt {record.prompt}")
    if standing.state is State.FAILED or (
        standing.state is State.STOPPED and standing.wish == "up"
    ):
        notes.append(standing.why)
    elif standing.homeless:
        notes.append("its folder is gone")
    post = Post(ref.state, ())
    unread = post.unread(standing.name)
    if unread:
        notes.append(f"{unread} unread mail{'s' if unread > 1 else ''}")
    notes += [f"mail refused: {reason}" for reason in post.stopped(standing.name)]
    return "; ".join(notes)


def watch_rows(refs: Sequence[OfficeRef], *, headed: bool) -> None:
    """Show the tables anew every second, until interrupted."""
    while True:
        text = "\n".join(render(refs, headed=headed))
        output.echo(f"\x1b[H\x1b[2J{text}" if output.is_terminal() else text)
        time.sleep(1.0)
