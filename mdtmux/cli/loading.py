"""Load the office file that a command means."""

from __future__ import annotations

import dataclasses

import click

from mdtmux.cli import output
from mdtmux.cli.arguments import teller
from mdtmux.cli.context import office_file
from mdtmux.errors import UsageError
from mdtmux.office.file import load
from mdtmux.office.model import Agent, Office
from mdtmux.running.members import add_members
from mdtmux.running.verdicts import Voice


def load_office(
    ctx: click.Context, file: str | None, as_kind: str | None = None
) -> Office:
    """Load the office file that the command means, with spawned members added.

    Raises:
        OfficeFileError: the file has faults; all are told.
        UsageError: no file is found, or the kind is not known.
    """
    office = add_members(load(office_file(ctx, file)))
    if as_kind is None:
        return office
    if as_kind != "clerk":
        message = f"cannot run every agent as `{as_kind}`"
        raise UsageError(message, hint="`--as clerk` is the one that needs no key")
    return dataclasses.replace(
        office, agents=tuple(_as_clerk(one) for one in office.agents)
    )


def _as_clerk(agent: Agent) -> Agent:
    if agent.is_process:
        return agent
    ready = dataclasses.replace(agent.ready, pattern=None)
    stop = dataclasses.replace(agent.stop, keys=None)
    return dataclasses.replace(
        agent, kind="clerk", command=None, shell=None, args=(), ready=ready, stop=stop
    )


def voice(ctx: click.Context) -> Voice:
    """Return where `up` speaks: notes always on stderr, each step with -v."""
    return Voice(teller(ctx), output.note)
