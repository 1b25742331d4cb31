"""Arguments that several verbs share: the office file, agents beside it, durations."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from mdtmux.cli import output
from mdtmux.cli.context import office_file
from mdtmux.errors import UsageError
from mdtmux.names import is_name
from mdtmux.office.file import load
from mdtmux.office.model import Agent, Office
from mdtmux.running.members import add_members
from mdtmux.running.up import Voice
from mdtmux.units import parse_duration


def split_file(names: Sequence[str]) -> tuple[str | None, tuple[str, ...]]:
    """Tell the office file from the agents in `[FILE] [AGENT]...`.

    The first word is a file when it cannot be an agent's name or a file of that
    name is there.
    """
    if not names:
        return None, ()
    first = names[0]
    if is_name(first) and not Path(first).is_file():
        return None, tuple(names)
    return first, tuple(names[1:])


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


def seconds(option: str, text: str | None) -> float | None:
    """Return the duration of an option in seconds.

    Raises:
        UsageError: it is not a duration.
    """
    if text is None:
        return None
    try:
        return parse_duration(text)
    except ValueError as error:
        message = f"{option}: {error}"
        raise UsageError(message) from error


def teller(ctx: click.Context) -> Callable[[str], None]:
    """Return what tells progress: on stderr with -v, else nowhere."""
    verbose = (ctx.find_root().obj or {}).get("verbose")
    return output.note if verbose else lambda _: None


def voice(ctx: click.Context) -> Voice:
    """Return where `up` speaks: notes always on stderr, each step with -v."""
    return Voice(teller(ctx), output.note)
