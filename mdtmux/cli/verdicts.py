"""Print what `up` made of each agent."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from mdtmux.cli import output
from mdtmux.running.observe import panes_of
from mdtmux.running.offices import OfficeRef
from mdtmux.running.verdicts import Verdict
from mdtmux.system.tmux import Tmux

_COLOURS = {True: "green", False: "red"}


def show_verdicts(
    ref: OfficeRef, verdicts: Sequence[Verdict], *, as_json: bool
) -> None:
    """Print one row per agent; the last lines of those that are not up on stderr."""
    if as_json:
        output.emit_json(
            {
                "office": ref.name,
                "session": ref.session,
                "agents": [dataclasses.asdict(verdict) for verdict in verdicts],
            }
        )
        return
    rows = [(one.agent, one.word, one.detail) for one in verdicts]
    output.echo(output.table(("AGENT", "VERDICT", "DETAIL"), rows))
    for verdict in verdicts:
        if verdict.tail:
            output.note(f"last lines of {verdict.agent}:")
            for row in verdict.tail:
                output.note(f"  {output.clean(row)}")
    up = sum(verdict.up for verdict in verdicts)
    if any("not found on PATH" in verdict.detail for verdict in verdicts):
        output.note("hint: `mdtmux doctor` tells what is missing and how to install it")
    there = up or panes_of(ref, Tmux(ref.socket).panes())
    shows = "; `mdtmux attach` shows it" if there else ""
    output.note(f"{up} of {len(verdicts)} up in office `{ref.name}`{shows}")
