"""Pi: how it is started, read, typed into and stopped.

Measured on versions 1.6.0 and 0.74.2 in tmux 3.3a; other versions are read by the same
rules, or read as unknown. Its input box stands below all that has been said, between
two rules from one side of the screen to the other, with footers below. Its sign of work
is a spinner: in the upper rule (1.6.0) or in a row above it (0.74.2). A menu stands
between two rules as well, in the place of the box. It asks for no approvals.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from mdtmux.agents.base import Activity, Kind, Reading
from mdtmux.agents.command import NESTED, command_line
from mdtmux.agents.reading import (
    LIMIT,
    UNKNOWN,
    draft_holds,
    last_written,
    paste_settle,
)
from mdtmux.agents.styles import PLAIN, is_red, row_cells, width
from mdtmux.office.model import Agent
from mdtmux.system.screen import Screen

_HIDDEN = re.compile(r"[↑↓] \d+ more")
_SPINNER = re.compile(r" ?[\u2800-\u28ff] \S")
# How much of the context is used; without a model it is none of 0.
_USED = re.compile(r"(?:^|\s)(?:\?|\d+\.\d%)/(\d\S*)")
_FOOTERS = 3
_ERROR = re.compile(r" ?Error: ")
_HINT = re.compile(r" ?If this looks like a pi bug")
_DIALOGS = (
    ("trust", re.compile(r" ?(?:Trust project folder\?|Project trust$)")),
    ("login", re.compile(r" ?(?:Select authentication method:|Log in\b|Login to )")),
)
# Its first word is a command, blanks before it are cut off on arrival; a path is none.
_COMMAND = re.compile(r"[\s\ufeff]*(?:!|/[^\s/]*(?:\s|$))")
_SEARCH = ">"
_NOTHING = "\u200b"
# A last word with `@` may open a list of files; behind a backslash Enter breaks the line.
_TAKES_ENTER = re.compile(r"(?:^|\s)@\S*\Z|\\\Z")


@dataclass(frozen=True, slots=True)
class Box:
    """What stands between the last two rules: rows `top` + 1 to `bottom` - 1."""

    top: int
    bottom: int
    rows: tuple[str, ...]

    @property
    def draft(self) -> str:
        """What has been typed into it."""
        return "\n".join(row.rstrip() for row in self.rows).strip()


@dataclass(frozen=True, slots=True)
class _Pi:
    name: str = "pi"
    program: str | None = "pi"
    scrub: tuple[str, ...] = NESTED
    # It replaces itself when it is told to, not before.
    env: Mapping[str, str] = field(default_factory=dict)
    # One leaves a menu or a draft; two in half a second end the program.
    stop_keys: tuple[str, ...] = ("C-c", "C-c", "C-c", "C-c")
    reads_screen: bool = True
    bracketed: bool | None = True

    def argv(self, agent: Agent) -> tuple[str, ...]:
        """Return `pi [--model MODEL] ARGS…`, or the file's command in its place."""
        options = () if agent.model is None else ("--model", agent.model)
        return command_line(agent, self.program, options)

    def read(self, screen: Screen) -> Reading:
        """Read one screen; total: any screen gives a reading."""
        box = None if screen.dead else find_box(screen)
        if box is None:
            return UNKNOWN
        inside = box.top < screen.cursor_y < box.bottom
        if _is_menu(screen, box, inside):
            return _read_menu(box)
        footer = _footer(screen, box)
        if footer is None:
            return UNKNOWN
        draft = box.draft
        if not inside:
            return Reading(Activity.UNKNOWN, "", None, draft, accepts=False)
        if footer[1] == "0":
            return Reading(
                Activity.WAITING, footer.string, "login", None, accepts=False
            )
        activity, evidence = _activity(screen, box)
        accepts = not draft.startswith("!")
        return Reading(activity, evidence or footer.string, None, draft, accepts)

    def literal(self, text: str) -> str:
        """Return the text so that it arrives as a prompt.

        A zero-width space keeps a first word from being a command, which a blank does
        not; it arrives with the text.
        """
        return as_text(text)

    def settle(self, text: str) -> float:
        """Return the seconds between the paste and Enter."""
        return paste_settle(text)

    def holds(self, screen: Screen, text: str) -> bool | None:
        """Tell whether the input box shows the text or its placeholder."""
        return shows(self.read(screen).draft, text)


def as_text(text: str) -> str:
    """Return a text so that Pi's editor does not take it for a command."""
    if _COMMAND.match(text):
        text = f"{_NOTHING}{text}"
    return f"{text} " if _TAKES_ENTER.search(text) else text


def shows(draft: str | None, text: str) -> bool | None:
    """Tell whether a draft shows a text that has been made one by `as_text`."""
    bare = None if draft is None else draft.replace(_NOTHING, "")
    return draft_holds(bare, text.replace(_NOTHING, ""))


def find_box(screen: Screen) -> Box | None:
    """Find the last two rules of the screen.

    What an agent says is higher up, and a draft is one column narrower.
    """
    rows = range(len(screen.lines) - 1, -1, -1)
    rules = [row for row in rows if is_rule(screen, row)][:2]
    if len(rules) < 2 or rules[0] - rules[1] < 2:
        return None
    bottom, top = rules
    return Box(top, bottom, screen.lines[top + 1 : bottom])


def is_rule(screen: Screen, row: int) -> bool:
    """Tell whether a row is an edge of a box or a menu."""
    line = screen.lines[row]
    ends = line.startswith("─") and line.endswith("─")
    return ends and width(line) == screen.width


def _label(rule: str) -> str:
    """Return what stands in a rule besides how many rows are hidden."""
    return _HIDDEN.sub("", rule).strip("─ ")


def _footer(screen: Screen, box: Box) -> re.Match[str] | None:
    """Find the footer that ends a screen which is painted to its end."""
    last = last_written(screen)
    rows = screen.lines[max(box.bottom, last - _FOOTERS) + 1 : last + 1]
    return next((match for row in rows if (match := _USED.search(row))), None)


def _is_menu(screen: Screen, box: Box, inside: bool) -> bool:
    """Tell a menu: a blank row or a search begins it, and the cursor is off or there."""
    first = box.rows[0].strip()
    if len(box.rows) < 2 or first not in ("", _SEARCH):
        return False
    return not inside or screen.lines[screen.cursor_y].startswith(_SEARCH)


def _read_menu(box: Box) -> Reading:
    title = next((row for row in box.rows if row.strip() not in ("", _SEARCH)), "")
    name = next((name for name, sign in _DIALOGS if sign.match(title)), "menu")
    return Reading(Activity.WAITING, title, name, None, accepts=False)


def _activity(screen: Screen, box: Box) -> tuple[Activity, str]:
    status = _status(screen, box.top)
    above = box.top if status == box.top else status
    error = _error(screen, box.top if above is None else above)
    if error is not None and LIMIT.search(error):
        return Activity.LIMITED, error
    if status is not None:
        return Activity.BUSY, screen.lines[status]
    return Activity.IDLE, error or ""


def _status(screen: Screen, top: int) -> int | None:
    """Return the row that shows a spinner: the upper rule, or the last above it."""
    if _label(screen.lines[top]):
        return top
    row = _written_above(screen, top)
    if row >= 0 and is_rule(screen, row):
        # The frame of a command that a human runs.
        row = _written_above(screen, row)
    if row < 0 or not _SPINNER.match(screen.lines[row]):
        return None
    cells = [cell for cell in row_cells(screen, row) if cell.char.strip()]
    spinner, word = cells[0].style, cells[1].style
    # The two have colours of their own; an agent's words have one, or none.
    return row if PLAIN not in (spinner, word) and spinner != word else None


def _written_above(screen: Screen, row: int) -> int:
    rows = range(row - 1, -1, -1)
    return next((number for number in rows if screen.lines[number].strip()), -1)


def _error(screen: Screen, below: int) -> str | None:
    """Return the CLI's own error when it is the last thing above a row.

    It is red to its end; the CLI's theme gives nothing else such a colour.
    """
    found: list[str] = []
    row = below
    while (row := _written_above(screen, row)) >= 0:
        line = screen.lines[row]
        cells = [cell for cell in row_cells(screen, row) if cell.char.strip()]
        if all(is_red(cell.style.colour) for cell in cells):
            found.insert(0, line.strip())
            if _ERROR.match(line):
                return " ".join(found)
        elif found or not _HINT.match(line):
            return None
    return None


PI: Kind = _Pi()
