"""Gemini CLI: how it is started, read, typed into and stopped.

Measured on version 0.61.0 in tmux 3.3a; other versions are read by the same rules, or
read as unknown. Its input box stands below a rule and a row that names the mode: an
indented sign and the draft, on a ground of its own colour; below it footers or a list
of completions. While it works, a row with the seconds stands above the rule. A dialog
takes the place of all of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from mdtmux.agents.base import Activity, Kind, Reading
from mdtmux.agents.command import NESTED, command_line, unless_given
from mdtmux.agents.family import Signs, after_turn, as_text, is_rule, read_dialog, typed
from mdtmux.agents.reading import UNKNOWN, draft_holds, paste_settle
from mdtmux.office.model import Agent, Permissions
from mdtmux.system.screen import Screen

_SIGNS = Signs(busy=("✦ ", "⏲ "), waiting=("✋ ",))
_PROMPT = re.compile(r" ([>*!])(?: |$)")
# Behind a spinner; an agent's words and a prompt do not begin so.
_STATUS = re.compile(r" [^\w\s>] .*\(esc to cancel(?:, (?:\d+[hms] ?)+)?\)")
# Rows between the rule and the box: the mode, an edge, a blank row.
_BETWEEN = 5
_INDENT = 3
# Its signs stand in the columns up to this one; an agent's words stand further right.
_COLUMN = 1
_ABOVE = 8
_MODES = ("--approval-mode", "--yolo", "-y")


@dataclass(frozen=True, slots=True)
class _Box:
    """The input box: the rule above it, its first row and the one behind its last."""

    rule: int
    first: int
    end: int
    sign: str


@dataclass(frozen=True, slots=True)
class _Gemini:
    name: str = "gemini"
    program: str | None = "gemini"
    scrub: tuple[str, ...] = NESTED
    # It has no variable against replacing itself; its settings have.
    env: Mapping[str, str] = field(default_factory=dict)
    # Escape leaves a turn or a dialog; one C-c clears a draft, two more end the program.
    stop_keys: tuple[str, ...] = ("Escape", "C-c", "C-c", "C-c", "C-c")
    reads_screen: bool = True
    bracketed: bool | None = True

    def argv(self, agent: Agent) -> tuple[str, ...]:
        """Return `gemini --approval-mode … [--model MODEL] ARGS…`.

        The file's command stands in the program's place.
        """
        # Between asking for every command and for none it has no mode.
        auto = agent.permissions is Permissions.AUTO
        mode = ("--approval-mode", "yolo" if auto else "default")
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
            reading = after_turn(screen, box.rule, _COLUMN, box.first)
        return replace(reading, draft=draft, accepts=box.sign != "!")

    def literal(self, text: str) -> str:
        """Return the text so that it arrives as a prompt.

        Raises:
            Refused: a slash command; nothing escapes it.
        """
        return as_text("Gemini CLI", text)

    def settle(self, text: str) -> float:
        """Return the seconds between the paste and Enter, which else breaks the line."""
        return paste_settle(text)

    def holds(self, screen: Screen, text: str) -> bool | None:
        """Tell whether the input box shows the text or its placeholder."""
        box = _find_box(screen)
        return draft_holds(None if box is None else _draft(screen, box), text)


def _find_box(screen: Screen) -> _Box | None:
    """Find the box: the last sign that stands close below a rule.

    A prompt of the past looks the same, without the rule.
    """
    lines = screen.lines
    rules = [row for row in range(len(lines)) if is_rule(screen, row)]
    for rule in reversed(rules):
        for row in range(rule + 1, min(rule + 1 + _BETWEEN, len(lines))):
            match = _PROMPT.match(lines[row])
            if match is not None:
                return _Box(rule, row, _end(lines, row), match[1])
    return None


def _end(lines: tuple[str, ...], first: int) -> int:
    """Return the row behind the draft's last: footers and lists stand further left."""
    row = first + 1
    while row < len(lines) and not lines[row][:_INDENT].strip():
        row += 1
    return row


def _draft(screen: Screen, box: _Box) -> str:
    return typed(screen, range(box.first, box.end), _INDENT)


def _working(screen: Screen, box: _Box) -> Reading | None:
    """Return busy, None when it rests."""
    first = box.rule
    while first > 0 and box.rule - first < _ABOVE and screen.lines[first - 1].strip():
        first -= 1
    status = screen.lines[first : box.rule]
    row = next((line for line in reversed(status) if _STATUS.match(line)), None)
    if row is None and not _SIGNS.works(screen):
        return None
    return Reading(Activity.BUSY, row or screen.title.strip(), None, None, accepts=True)


GEMINI: Kind = _Gemini()
