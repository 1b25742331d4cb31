"""The last lines of an agent, for telling why it is not up."""

from __future__ import annotations

from mdtmux.errors import TmuxError
from mdtmux.record.reader import tail
from mdtmux.record.render import render
from mdtmux.running.offices import OfficeRef
from mdtmux.running.records import RunRecord
from mdtmux.system.screen import Pane
from mdtmux.system.tmux import Tmux

LINES = 6
_BYTES = 16_384


def last_lines(
    ref: OfficeRef, tmux: Tmux, record: RunRecord, pane: Pane | None
) -> tuple[str, ...]:
    """Return the last written rows of the agent's screen, else of its recording."""
    if pane is not None:
        try:
            # tmux scrolls the screen by a row for its notice that the pane is dead.
            written = tmux.screen(pane.pane, history=LINES).written()
        except TmuxError:
            written = ()
        rows = tuple(row for row in written if not row.startswith("Pane is dead"))
        if rows:
            return rows[-LINES:]
    data = tail(ref.state / "record" / record.agent.name, _BYTES, record.run)
    width, height = (pane.width, pane.height) if pane else (200, 50)
    rows = tuple(row for row in render(data, width, height) if row.strip())
    return rows[-LINES:]
