"""Who calls a command: an agent, from whatever it has started, or a person."""

from __future__ import annotations

import os
from dataclasses import dataclass

from mdtmux.errors import Refused
from mdtmux.mail.message import HUMAN
from mdtmux.running.offices import OfficeRef
from mdtmux.running.records import RunRecord, load_all
from mdtmux.system.processes import ancestry, same


@dataclass(frozen=True, slots=True)
class Caller:
    """The one who calls; `run` is the agent's life, empty for a person."""

    name: str
    run: str = ""


def caller(ref: OfficeRef) -> Caller:
    """Return who calls, by the processes above this one; variables only add to that.

    Whatever an agent writes into its environment, what it starts remains its child. A
    child that has left it (a daemon) is known by the variables of its run.

    Raises:
        Refused: the variables are those of an earlier life of an agent.
    """
    records = load_all(ref.state)
    above = ancestry(os.getpid())
    for record in records.values():
        known = record.identity
        if known is not None and any(same(known, one) for one in above):
            return _agent(record)
    if os.environ.get("MDTMUX_STATE") != str(ref.state):
        return Caller(HUMAN)
    name, run = os.environ.get("MDTMUX_AGENT", ""), os.environ.get("MDTMUX_RUN", "")
    if not name:
        return Caller(HUMAN)
    claimed = records.get(name)
    if claimed is None or claimed.run != run:
        message = f"this was started by an earlier life of `{name}`, which has ended"
        raise Refused(message, hint="only what the agent runs now speaks for it")
    return _agent(claimed)


def _agent(record: RunRecord) -> Caller:
    return Caller(record.agent.name, record.run)
