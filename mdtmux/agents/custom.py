"""Any command: read by the patterns that the office file gives, else not at all."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from dataclasses import dataclass, field

from mdtmux.agents.base import Activity, Reading
from mdtmux.agents.command import NESTED, command_line
from mdtmux.agents.menus import open_menu
from mdtmux.agents.reading import (
    UNKNOWN,
    bottom_rows,
    draft_holds,
    find_row,
    input_rows,
    last_written,
    paste_settle,
)
from mdtmux.agents.styles import between, row_cells, width, written_text
from mdtmux.errors import UsageError
from mdtmux.office.model import Agent
from mdtmux.system.screen import Screen

Pattern = re.Pattern[str]
# What may follow a sign of readiness within a prompt, and the right side of a box.
_PROMPT_END = string.punctuation + "\u276f\u203a»▶▸→➜λ"
_FRAME = " │┃║|▌▐█▏▕╎┆┊"


@dataclass(frozen=True, slots=True)
class Custom:
    """A command as a kind; the patterns are searched in single rows.

    A mark counts in the bottom rows only, `idle` and `ready` only where the input line
    can be. `waiting` goes before `limited` before `busy` before `idle`. Without marks
    the activity is unknown, and only a menu that looks open is told, since typing into
    one answers it.
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
        if screen.dead or last_written(screen) < 0:
            return UNKNOWN
        rows, inputs = bottom_rows(screen), input_rows(screen)
        row = find_row(self.waiting, rows)
        if row is not None:
            return Reading(Activity.WAITING, row, "question", None, accepts=False)
        menu = open_menu(screen)
        if menu is not None:
            # A guess: it names no dialog.
            return Reading(Activity.WAITING, menu, None, None, accepts=False)
        ready = find_row(self.ready or self.idle, inputs) is not None
        draft = self._draft(screen)
        for activity, mark, where in (
            (Activity.LIMITED, self.limited, rows),
            (Activity.BUSY, self.busy, rows),
            (Activity.IDLE, self.idle, inputs),
        ):
            row = find_row(mark, where)
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
        """Tell by the draft behind the idle mark on the cursor's row, if it is there.

        A `ready` mark alone does not tell that the program shows what is typed.
        """
        return None if self.idle is None else draft_holds(self._draft(screen), text)

    def _draft(self, screen: Screen) -> str | None:
        """Return what stands behind the mark of the input line on the cursor's row.

        A cursor with only blanks between the mark and itself means that nothing is
        typed: what follows is a suggestion.
        """
        row, mark = screen.cursor_y, self.idle or self.ready
        if mark is None or not 0 <= row < len(screen.lines):
            return None
        line = screen.lines[row]
        end = _mark_end(mark, line)
        if end is None:
            return None
        if self.idle is None:
            # A sign of readiness may stop short of the prompt's end: `^you` of `you> `.
            rest = line[end:]
            end += len(rest) - len(rest.lstrip(_PROMPT_END))
        if not between(line, width(f"{line} "[:end]), screen.cursor_x).strip():
            return ""
        return written_text(row_cells(screen, row)[end:]).rstrip(_FRAME).strip()


def _mark_end(mark: Pattern, line: str) -> int | None:
    """Return where the mark ends in the row, None where it does not show."""
    match = mark.search(line) or mark.search(f"{line} ")
    if match is not None:
        return match.end()
    # `> $` matches the empty line alone: with a draft, the beginning of the row.
    for end in range(1, len(line)):
        match = mark.search(line[:end])
        if match is not None and " " not in line[: match.start()].strip(_FRAME):
            return end
    return None


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
