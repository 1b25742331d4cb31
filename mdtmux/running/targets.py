"""From an agent's standing to the target of a delivery."""

from __future__ import annotations

from functools import partial

from mdtmux.agents.kinds import kind_of
from mdtmux.delivery.target import Target
from mdtmux.errors import Refused
from mdtmux.record.reader import bracketed
from mdtmux.running.observe import Standing, observe
from mdtmux.running.offices import OfficeRef
from mdtmux.running.records import RunRecord
from mdtmux.system.tmux import Tmux


def target_of(ref: OfficeRef, name: str, tmux: Tmux) -> Target:
    """Return whom a delivery to the agent would reach now.

    Raises:
        Refused: it does not run, or is a side process; says so with its end.
    """
    standing = observe(ref, tmux).get(name)
    record = standing.record if standing is not None else None
    if record is not None and record.agent.is_process:
        message = f"`{name}` is a side process: it takes no text"
        raise Refused(message)
    if standing is None or not standing.lives or record is None:
        why = standing.why if standing is not None else "it was never started"
        message = f"agent `{name}` does not run: {why}"
        raise Refused(message, hint=f"`mdtmux start {name}` starts it")
    return _target(ref, standing, record)


def target_of_record(ref: OfficeRef, record: RunRecord) -> Target | None:
    """Return the target of a run just started; None when its process is not known."""
    if record.identity is None:
        return None
    return Target(
        office=ref.id,
        agent=record.agent.name,
        kind=kind_of(record.agent),
        pane=record.pane,
        run=record.run,
        process=record.identity,
        server_pid=record.server_pid,
        state=ref.state,
        bracketed=partial(bracketed, ref.state / "record" / record.agent.name),
        paste=record.agent.paste,
        ready=record.agent.ready.pattern,
    )


def _target(ref: OfficeRef, standing: Standing, record: RunRecord) -> Target:
    target = target_of_record(ref, record)
    same = standing.pane is not None and record.run == standing.pane.run
    if target is None or not same:
        message = f"agent `{record.agent.name}`: {standing.why}"
        raise Refused(
            message, hint=f"`mdtmux restart {record.agent.name}` starts it anew"
        )
    return target
