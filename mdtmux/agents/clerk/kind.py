"""What the office knows of the clerk: how to start, read, type into and stop it.

Its screen is its own and agreed with `marks`, so reading is exact: what is not a
whole box or a whole menu at the bottom of the screen is `unknown`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from mdtmux.agents.base import Activity, Kind, Reading
from mdtmux.agents.clerk import marks
from mdtmux.agents.clerk.text import cells, clean, width
from mdtmux.agents.command import NESTED, command_line
from mdtmux.office.model import Agent
from mdtmux.system.screen import Screen

_BUSY = re.compile(rf"[{marks.SPINNER}] {marks.WORKING}")
_DIALOG = re.compile(
    rf"{marks.RULE}{{2}} ({marks.TRUST}|{marks.APPROVAL}|{marks.QUESTION}) {marks.RULE}+"
)
_OPTION = re.compile(rf"[{marks.POINTER} ] [1-9]\. ")
_FOOTER = re.compile(rf"{marks.FOOTER}(?: |$)")
# The footers of menus, as far as the narrowest screen shows them.
_ASKS = (marks.CONFIRM[:14], marks.SELECT[:14])
_NUMBER = re.compile(r"\[Pasted text #(\d{1,9}) ")
_PREFIXES = (marks.NEW_LINE, marks.WRAPPED)
# The rows that may stand above a menu's options: rule, detail, title.
_MENU_HEAD = 8
_UNKNOWN = Reading(Activity.UNKNOWN, "", None, None, accepts=False)


@dataclass(frozen=True, slots=True)
class _Box:
    """The input box as it stands on a screen: the draft, and the row above it."""

    draft: str
    prompt: str
    status: str


@dataclass(frozen=True, slots=True)
class ClerkKind:
    """The embedded agent, as a kind."""

    name: str = "clerk"
    program: str | None = field(default=sys.executable)
    scrub: tuple[str, ...] = NESTED
    env: Mapping[str, str] = field(default_factory=dict)
    stop_keys: tuple[str, ...] = ("C-c", "C-c")
    reads_screen: bool = True
    bracketed: bool | None = True

    def argv(self, agent: Agent) -> tuple[str, ...]:
        """Return the interpreter of this very installation, running the clerk.

        `-P` keeps a worktree that holds modules of its own (mdtmux's, say) from
        lending them to the clerk.
        """
        model = () if agent.model is None else ("--model", agent.model)
        options = ("--name", agent.name, *model)
        if agent.command is None:
            options = ("-P", "-m", "mdtmux.agents.clerk", *options)
        return command_line(agent, self.program, options)

    def read(self, screen: Screen) -> Reading:
        """Read one screen; total: any screen gives a reading."""
        rows = list(screen.lines)
        while rows and not rows[-1].strip():
            rows.pop()
        if screen.dead or not rows:
            return _UNKNOWN
        if rows[-1].startswith(_ASKS):
            return _menu(rows)
        box = _box(rows, screen)
        if box is None:
            return _UNKNOWN
        if box.status.startswith(marks.LIMIT[:14]):
            activity, evidence = Activity.LIMITED, box.status
        elif _BUSY.match(box.status):
            activity, evidence = Activity.BUSY, box.status
        else:
            activity, evidence = Activity.IDLE, box.prompt
        return Reading(activity, evidence, None, box.draft, accepts=True)

    def literal(self, text: str) -> str:
        """Return the text so that it arrives as it is: the clerk takes one space off."""
        return f" {text}" if text.startswith((" ", "!", "/")) else text

    def settle(self, text: str) -> float:
        """Return no time: once the draft shows, the paste has been read to its end."""
        return 0.0

    def holds(self, screen: Screen, text: str) -> bool | None:
        """Tell whether the draft ends with the text or with its placeholder."""
        draft = self.read(screen).draft
        if draft is None:
            return None
        if marks.is_long(text):
            return draft.endswith(_placeholders(draft, (text, self.literal(text))))
        wanted = _squeezed("".join(map(clean, text.split("\n"))))
        shown = _squeezed(draft)
        if not wanted:
            # Of blanks only a part is on the screen, of joiners and the like nothing.
            seen = bool(draft) and shown in ("", marks.HIDDEN[0])
            return seen if seen or text.isspace() else None
        if draft.startswith(marks.HIDDEN[0]):
            return wanted.endswith(shown[1:]) or shown.endswith(wanted)
        return shown.endswith(wanted)


def _menu(rows: list[str]) -> Reading:
    """Read an open menu: its rule names it, its options stand above the footer."""
    place = len(rows) - 2
    options = 0
    while place >= 0 and _OPTION.match(rows[place]):
        options += 1
        place -= 1
    for row in range(place, max(-1, place - _MENU_HEAD), -1):
        match = _DIALOG.fullmatch(rows[row])
        if match and options:
            evidence = rows[place] if place > row else rows[row]
            return Reading(
                Activity.WAITING, evidence, match.group(1), None, accepts=False
            )
    return _UNKNOWN


def _box(rows: list[str], screen: Screen) -> _Box | None:
    """Find the input box at the bottom: a rule, the draft, a rule, the footer."""
    rule = marks.rule(max(1, screen.width - 1))
    if len(rows) < 4 or not _FOOTER.match(rows[-1]) or rows[-2] != rule:
        return None
    last = len(rows) - 3
    first = last
    while first >= 0 and rows[first] != rule:
        first -= 1
    inside = rows[first + 1 : last + 1]
    if first < 0 or not inside or not _is_draft(inside):
        return None
    draft = _joined(inside, screen, last)
    return _Box(draft, inside[0], rows[first - 1] if first else "")


def _is_draft(rows: list[str]) -> bool:
    head, *tail = rows
    if head[:1] not in (marks.PROMPT[0], marks.HIDDEN[0]):
        return False
    return all(row.ljust(2)[:2] in _PREFIXES for row in tail)


def _joined(rows: list[str], screen: Screen, last: int) -> str:
    """Put the rows of a draft together again.

    Blanks at the end of a row are not on the screen: a wrapped row had them up to the
    edge, and in the last row the cursor tells.
    """
    columns = screen.width - 1
    if screen.cursor_y == last:
        rows = [*rows[:-1], rows[-1] + " " * (screen.cursor_x - width(rows[-1]))]
    draft = rows[0][2:]
    for before, row in pairwise(rows):
        if row.startswith(marks.NEW_LINE[0]):
            draft += "\n"
        else:
            blank = columns - width(before)
            # One column may be short because a wide character did not fit in it.
            draft += " " * (0 if blank == 1 and width(row[2:3]) == 2 else blank)
        draft += row[2:]
    return marks.HIDDEN[0] + draft if rows[0][0] == marks.HIDDEN[0] else draft


def _placeholders(draft: str, texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return what may stand for the texts, given the numbers that the draft shows."""
    numbers = {int(number) for number in _NUMBER.findall(draft)}
    return tuple(marks.placeholder(n, text) for n in numbers for text in texts)


def _squeezed(text: str) -> str:
    """Return what a terminal surely shows: no blanks, nothing without a cell."""
    return "".join(c for c in text if not c.isspace() and cells(c))


CLERK: Kind = ClerkKind()
