"""Any command: read by the patterns that the office file gives, else not at all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from mdtmux.agents.base import Activity, Reading
from mdtmux.agents.command import NESTED, command_line
from mdtmux.agents.menus import open_menu
from mdtmux.agents.reading import UNKNOWN, draft_holds, last_written, paste_settle
from mdtmux.agents.styles import row_cells, width, written_text
from mdtmux.errors import UsageError
from mdtmux.office.model import Agent
from mdtmux.system.screen import Screen

# How many written rows from the bottom a mark may stand: higher up is history.
_ROWS = 12

Pattern = re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Custom:
    """A command as a kind; the patterns are searched in single rows.

    A mark counts in the bottom rows only. `waiting` goes before `limited` before
    `busy` before `idle`. Without marks the activity is unknown, and only a menu that
    looks open is told, since typing into one answers it.
    """

    idle: Pattern | None = None
    busy: Pattern | None = None
    waiting: Pattern | None = None
    limited: Pattern | None = None
    ready: Pattern | None = None
    name: str = "custom"
    program: str | None = None
    scrub: tuple[str, ...] = NESTED
    env: Mapping[str, str] = field(default_factory=dict)
    stop_keys: tuple[str, ...] = ("C-c", "C-c")
    bracketed: bool | None = None

    @property
    def reads_screen(self) -> bool:
        """Whether the file gives marks that tell idle from the rest."""
        return self.idle is not None

    def argv(self, agent: Agent) -> tuple[str, ...]:
        """Return the file's command with its arguments; `model:` has no place in it."""
        return command_line(agent, None)

    def read(self, screen: Screen) -> Reading:
        """Read one screen; total: any screen gives a reading."""
        last = last_written(screen)
        if screen.dead or last < 0:
            return UNKNOWN
        written = [row for row in range(last + 1) if screen.lines[row].strip()]
        rows = tuple(screen.lines[row] for row in written[-_ROWS:])
        row = _find(self.waiting, rows)
        if row is not None:
            return Reading(Activity.WAITING, row, "question", None, accepts=False)
        menu = open_menu(screen)
        if menu is not None:
            # A guess: it names no dialog.
            return Reading(Activity.WAITING, menu, None, None, accepts=False)
        ready = _find(self.ready or self.idle, rows) is not None
        draft = self._draft(screen)
        for activity, mark in (
            (Activity.LIMITED, self.limited),
            (Activity.BUSY, self.busy),
            (Activity.IDLE, self.idle),
        ):
            row = _find(mark, rows)
            if row is not None:
                return Reading(activity, row, None, draft, accepts=ready)
        return Reading(Activity.UNKNOWN, "", None, draft, accepts=ready)

    def literal(self, text: str) -> str:
        """Return the text as it is: what the command takes for one is not known."""
        return text

    def settle(self, text: str) -> float:
        """Return the seconds between the paste and Enter."""
        return paste_settle(text)

    def holds(self, screen: Screen, text: str) -> bool | None:
        """Tell by the draft behind the idle mark on the cursor's row, if it is there."""
        return draft_holds(self._draft(screen), text)

    def _draft(self, screen: Screen) -> str | None:
        """Return what stands behind the idle mark on the cursor's row.

        A cursor right behind the mark means that nothing is typed: what follows is a
        suggestion.
        """
        row = screen.cursor_y
        if self.idle is None or not 0 <= row < len(screen.lines):
            return None
        line = screen.lines[row]
        match = self.idle.search(line) or self.idle.search(f"{line} ")
        if match is None:
            return None
        if screen.cursor_x <= width(f"{line} "[: match.end()]):
            return ""
        return written_text(row_cells(screen, row)[match.end() :]).strip()


def custom(agent: Agent) -> Custom:
    """Return the kind of one agent, with the patterns of the office file.

    Raises:
        UsageError: a pattern is no regular expression.
    """
    marks = agent.marks
    return Custom(
        idle=_compiled(agent, "screen.idle", marks.idle),
        busy=_compiled(agent, "screen.busy", marks.busy),
        waiting=_compiled(agent, "screen.waiting", marks.waiting),
        limited=_compiled(agent, "screen.limited", marks.limited),
        ready=_compiled(agent, "ready.pattern", agent.ready.pattern),
    )


def _compiled(agent: Agent, key: str, text: str | None) -> Pattern | None:
    if text is None:
        return None
    try:
        return re.compile(text)
    except re.error as error:
        message = (
            f"agent `{agent.name}`: {key} `{text}` is no regular expression: {error}"
        )
        raise UsageError(message) from error


def _find(pattern: Pattern | None, rows: tuple[str, ...]) -> str | None:
    """Return the lowest row that matches; a blank at its end may belong to a prompt."""
    if pattern is None:
        return None
    found = (r for r in reversed(rows) if pattern.search(r) or pattern.search(f"{r} "))
    return next(found, None)
