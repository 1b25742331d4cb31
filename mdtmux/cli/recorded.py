"""What `logs` and `capture` share: an agent's recording and its pane, if it has one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import click

from mdtmux.cli.context import check_agent, current_office
from mdtmux.errors import TmuxError
from mdtmux.record.marks import Mark, marks
from mdtmux.record.reader import Recording, read, split
from mdtmux.record.render import transcript
from mdtmux.running.observe import panes_of
from mdtmux.running.offices import OfficeRef
from mdtmux.system.screen import Pane
from mdtmux.system.tmux import Tmux

# Bytes that are rendered at most: a ring of the usual size is rendered whole.
MOST = 4_000_000
_SIZE = (200, 50)


@dataclass(frozen=True, slots=True)
class Recorded:
    """One agent's recording; `pane` is where it runs or ended, None when it is gone."""

    office: OfficeRef
    agent: str
    folder: Path
    pane: Pane | None

    @property
    def size(self) -> tuple[int, int]:
        """The pane's columns and rows, or usual ones."""
        return (self.pane.width, self.pane.height) if self.pane else _SIZE

    def marks(self) -> list[Mark]:
        """Return the runs' marks, the newest with the size that its pane has now."""
        found = list(marks(self.folder))
        pane = self.pane
        if found and pane is not None and found[-1].run == pane.run:
            found[-1] = replace(found[-1], width=pane.width, height=pane.height)
        return found

    def read(self) -> Recording:
        """Return what may be rendered of the recording."""
        return read(self.folder, MOST)

    def lines(self, recording: Recording, limit: int) -> list[str]:
        """Return the newest lines of text."""
        runs = split(recording.readable(), self.marks())
        return transcript(runs, self.size, limit)


def recorded(ctx: click.Context, agent: str) -> Recorded:
    """Return the recording of an agent of the command's office.

    Works without a tmux server.

    Raises:
        UsageError: no office is found, or it has no such agent.
    """
    ref = current_office(ctx)
    check_agent(ref, agent)
    try:
        pane = panes_of(ref, Tmux(ref.socket).panes()).get(agent)
    except TmuxError:
        pane = None
    return Recorded(ref, agent, ref.state / "record" / agent, pane)
