"""An agent's screen for `capture`: from tmux while it runs, else from the recording."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from mdtmux.cli.recorded import Recorded
from mdtmux.errors import TmuxError
from mdtmux.system.screen import Screen
from mdtmux.system.tmux import Tmux

_RESET = "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Shown:
    """A screen's rows without the blank ones at its end.

    `source` is `screen` or `recording`; `note` says why it is the recording.
    """

    agent: str
    source: str
    note: str
    lines: tuple[str, ...]
    styled: tuple[str, ...]
    size: tuple[int, int]
    cursor: tuple[int, int] | None

    def to_json(self, *, ansi: bool) -> dict[str, object]:
        """Return what `--json` prints; the cursor counts from the first line, from 0."""
        return {
            "agent": self.agent,
            "source": self.source,
            "note": self.note,
            "lines": list(self.styled if ansi else self.lines),
            "width": self.size[0],
            "height": self.size[1],
            "cursor": self.cursor and {"x": self.cursor[0], "y": self.cursor[1]},
        }


def screen_of(found: Recorded, history: int) -> Shown:
    """Return the agent's screen with up to `history` rows from above it."""
    pane = found.pane
    if pane is not None and not pane.dead:
        # It may end, and its pane go, at any moment: then the recording has it.
        with contextlib.suppress(TmuxError):
            screen = Tmux(found.office.socket).screen(pane.pane, history=history)
            if not screen.dead:
                return _live(found, screen)
    return _last(found, history)


def _live(found: Recorded, screen: Screen) -> Shown:
    count = _used(screen.lines)
    above = max(0, len(screen.lines) - screen.height)
    return Shown(
        agent=found.agent,
        source="screen",
        note="",
        lines=screen.lines[:count],
        styled=tuple(
            row + _RESET if "\x1b" in row else row for row in screen.styled[:count]
        ),
        size=(screen.width, screen.height),
        cursor=(screen.cursor_x, screen.cursor_y + above),
    )


def _last(found: Recorded, history: int) -> Shown:
    recording = found.read()
    size = found.size
    marks = found.marks()
    if marks and marks[-1].height:
        size = (marks[-1].width, marks[-1].height)
    lines = tuple(found.lines(recording, history + size[1]))
    what = "its last recorded screen" if lines else "nothing was recorded of it"
    return Shown(
        agent=found.agent,
        source="recording",
        note=f"`{found.agent}` does not run: {what}",
        lines=lines,
        styled=lines,
        size=size,
        cursor=None,
    )


def _used(lines: tuple[str, ...]) -> int:
    count = len(lines)
    while count and not lines[count - 1].strip():
        count -= 1
    return count
