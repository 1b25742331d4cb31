"""Qwen Code: how it is started, read, typed into and stopped.

Measured on version 0.24.4 in tmux 3.3a; other versions are read by the same rules, or
read as unknown. Its input box stands between two rules; above it, while it works, a
row with the seconds; below it footers or a list of completions. An approval or a
question takes the place of the box without a frame, and shows in the title.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from mdtmux.agents.base import Activity, Kind, Reading
from mdtmux.agents.command import NESTED, command_line, unless_given
from mdtmux.agents.family import (
    Signs,
    after_turn,
    as_text,
    failure,
    is_rule,
    read_dialog,
    typed,
)
from mdtmux.agents.reading import (
    LIMIT,
    UNKNOWN,
    draft_holds,
    last_written,
    paste_settle,
)
from mdtmux.agents.styles import row_cells
from mdtmux.office.model import Agent, Permissions
from mdtmux.system.screen import Screen

_SIGNS = Signs(busy=("◐\ufe0e ", "◐ "), waiting=("✳\ufe0e ", "✳ "))
_PROMPT = re.compile(r"([>*!])(?: |$)")
# The seconds, in whatever language the words around them are.
_SECONDS = re.compile(r"  (?=[^\s\u25c6\u25cf>]).*\((?:\d+[hms] ?)+ · ")
_RETRY = re.compile(r"  ↻ ")
# Its signs stand in the columns up to this one; an agent's words stand further right.
_COLUMN = 2
_STATUS = 8
_MODES = ("--approval-mode", "--yolo", "-y")
_QUITS = frozenset({"exit", "quit", ":q", ":q!", ":wq", ":wq!"})


@dataclass(frozen=True, slots=True)
class _Box:
    """The input box: its two rules and the sign of its first row."""

    top: int
    bottom: int
    sign: str


@dataclass(frozen=True, slots=True)
class _Qwen:
    name: str = "qwen"
    program: str | None = "qwen"
    scrub: tuple[str, ...] = NESTED
    # It has no variable against replacing itself; its settings have.
    env: Mapping[str, str] = field(default_factory=dict)
    # Escape leaves a turn or a dialog, whose prompt then stands in the box; one C-c
    # clears that, two more end the program.
    stop_keys: tuple[str, ...] = ("Escape", "C-c", "C-c", "C-c", "C-c")
    reads_screen: bool = True
    bracketed: bool | None = True

    def argv(self, agent: Agent) -> tuple[str, ...]:
        """Return `qwen --approval-mode … [--model MODEL] ARGS…`.

        The file's command stands in the program's place.
        """
        # Without the option it decides by a model of its own (`auto`).
        auto = agent.permissions is Permissions.AUTO
        mode = ("--approval-mode", "auto" if auto else "default")
        model = () if agent.model is None else ("--model", agent.model)
        return command_line(
            agent, self.program, (*unless_given(agent, mode, *_MODES), *model)
        )

    def read(self, screen: Screen) -> Reading:
        """Read one screen; total: any screen gives a reading."""
        if screen.dead:
            return UNKNOWN
        box = _find_box(screen)
        if box is None or _SIGNS.asks(screen):
            return read_dialog(screen, _SIGNS)
        draft = _draft(screen, box)
        if box.sign == "!":
            draft = f"!{draft}"
        reading = _working(screen, box)
        if reading is None:
            reading = after_turn(screen, box.top, _COLUMN, box.top + 1)
        return replace(reading, draft=draft, accepts=box.sign != "!")

    def literal(self, text: str) -> str:
        """Return the text so that it arrives as a prompt.

        Raises:
            Refused: a slash command or a word that ends the program; nothing escapes
                them.
        """
        return as_text("Qwen Code", text, _QUITS)

    def settle(self, text: str) -> float:
        """Return the seconds between the paste and Enter.

        Too early an Enter submits the placeholder in place of a long text.
        """
        return paste_settle(text)

    def holds(self, screen: Screen, text: str) -> bool | None:
        """Tell whether the input box shows the text or its placeholder."""
        box = _find_box(screen)
        return draft_holds(None if box is None else _draft(screen, box), text)


def _find_box(screen: Screen) -> _Box | None:
    """Find the box between the last two rules of the screen."""
    rules = [row for row in range(len(screen.lines)) if is_rule(screen, row)]
    if len(rules) < 2:
        return None
    top, bottom = rules[-2:]
    inside = screen.lines[top + 1 : bottom]
    match = _PROMPT.match(inside[0]) if inside else None
    if match is None or any(line[:_COLUMN].strip() for line in inside[1:]):
        return None
    if last_written(screen) == bottom:
        # Something always stands below it: the screen is not painted to its end.
        return None
    return _Box(top, bottom, match[1])


def _draft(screen: Screen, box: _Box) -> str:
    rows = range(box.top + 1, box.bottom)
    return typed(screen, rows, _COLUMN, _ghost(screen))


def _ghost(screen: Screen) -> str:
    """Return the colour of suggestions: the one in which the last footer ends."""
    cells = row_cells(screen, last_written(screen))
    written = [cell for cell in cells if cell.char.strip()]
    return written[-1].style.colour if written else ""


def _working(screen: Screen, box: _Box) -> Reading | None:
    """Return busy, or limited where it tries again after a limit; None when it rests."""
    first = box.top
    while first > 0 and box.top - first < _STATUS and screen.lines[first - 1].strip():
        first -= 1
    status = screen.lines[first : box.top]
    row = next((line for line in reversed(status) if _SECONDS.match(line)), None)
    if row is None and not _SIGNS.works(screen):
        return None
    above = range(first - 1, -1, -1)
    retry = next((row for row in above if screen.lines[row].strip()), -1)
    if retry >= 0 and _RETRY.match(screen.lines[retry]):
        error = failure(screen, retry, _COLUMN)
        if error is not None and LIMIT.search(error):
            return Reading(Activity.LIMITED, error, None, None, accepts=True)
    evidence = row or screen.title.strip()
    return Reading(Activity.BUSY, evidence, None, None, accepts=True)


QWEN: Kind = _Qwen()
