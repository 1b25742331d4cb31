"""Start agents of an office that is known: what start, restart and spawn share."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from mdtmux.cli import output
from mdtmux.cli.context import check_agent, current_office
from mdtmux.cli.loading import load_office, voice
from mdtmux.cli.verdicts import show_verdicts
from mdtmux.running.up import bring_up
from mdtmux.running.verdicts import UpOptions


def begin(
    ctx: click.Context,
    agents: Sequence[str],
    *,
    timeout: float | None,
    prompts: bool,
    as_json: bool,
) -> None:
    """Bring the agents up as their office's file says, and print the verdicts.

    Exits with 1 when one is not up.
    """
    ref = current_office(ctx)
    office = load_office(ctx, str(ref.file), ref.as_kind)
    for name in agents:
        if office.agent(name) is None:
            check_agent(ref, name)
    options = UpOptions(tuple(agents), timeout, prompts=prompts, as_kind=ref.as_kind)
    with output.patience("waiting until the agents are ready", 2.0):
        ref, verdicts = bring_up(office, options, voice(ctx))
    show_verdicts(ref, verdicts, as_json=as_json)
    if not all(verdict.up for verdict in verdicts):
        sys.exit(1)
