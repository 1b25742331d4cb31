"""What each agent does: its kind's reading of the screen, held against time."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from mdtmux.agents.base import Activity, Reading
from mdtmux.agents.kinds import kind_of
from mdtmux.agents.reading import UNKNOWN
from mdtmux.names import PaneId
from mdtmux.record.reader import last_output
from mdtmux.running.observe import Standing, observe_panes, panes_of
from mdtmux.running.offices import OfficeRef
from mdtmux.system.screen import Screen
from mdtmux.system.survey import survey
from mdtmux.system.tmux import Tmux

# An input line shows between two tool calls as well: idle counts when the program
# has written nothing for this long (seconds).
QUIET = 1.0


@dataclass(frozen=True, slots=True)
class Seen:
    """One agent's standing and reading.

    `quiet` is how many seconds ago the program last wrote anything, None if not
    known; `source` says where the reading is from.
    """

    standing: Standing
    reading: Reading
    quiet: float | None
    source: str


def look_at(ref: OfficeRef, tmux: Tmux) -> dict[str, Seen]:
    """Return every agent's standing and activity; two tmux clients for all of them."""
    panes, screens = survey(tmux, lambda pane: pane.office == ref.id)
    standings = observe_panes(ref.state, panes_of(ref, panes), ref.agents)
    return {name: _see(ref, one, screens) for name, one in standings.items()}


def _see(ref: OfficeRef, standing: Standing, screens: Mapping[PaneId, Screen]) -> Seen:
    pane, record = standing.pane, standing.record
    if not standing.lives or pane is None or record is None or pane.pane not in screens:
        return Seen(standing, UNKNOWN, None, "process")
    if record.agent.is_process:
        return Seen(standing, UNKNOWN, None, "process")
    written = last_output(ref.state / "record" / standing.name)
    quiet = max(0.0, time.time() - written) if written is not None else None
    reading = kind_of(record.agent).read(screens[pane.pane])
    return Seen(standing, settle(reading, quiet), quiet, "screen")


def settle(reading: Reading, quiet: float | None) -> Reading:
    """Return the reading, or `unknown` when it says idle and has not stood long enough."""
    if reading.activity is Activity.IDLE and (quiet is None or quiet < QUIET):
        return replace(reading, activity=Activity.UNKNOWN)
    return reading
