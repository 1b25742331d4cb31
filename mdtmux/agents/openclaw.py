"""OpenClaw: how it is started, read, typed into and stopped.

Measured on version 2026.9.6 in tmux 3.3a; other versions are read by the same rules, or
read as unknown. It is `openclaw chat`, the terminal interface with the agent inside. Its
input box is Pi's editor, between two rules; the row of the agent and the session stands
on top of it, and above that the row that tells what it does. It asks for no approvals.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from mdtmux.agents.base import Activity, Kind, Reading
from mdtmux.agents.command import NESTED, command_line, unless_given
from mdtmux.agents.pi import Box, as_text, find_box, shows
from mdtmux.agents.reading import LIMIT, UNKNOWN, paste_settle
from mdtmux.office.model import Agent
from mdtmux.system.screen import Screen

_ABOUT = re.compile(r" agent \S+ \| session ")
# The row wraps on a narrow screen.
_ROWS = 4
_BUSY = re.compile(r" [\u2800-\u28ff] \S.* • [\dhms ]+ \| \S")
_RESTS = re.compile(
    r" (?:local ready|connected|gateway (?:re)?connected)"
    r" \| (idle|error|aborted|abort failed|tools \w+)"
)
# Without it each agent works in one folder for all; a configured one goes before.
_HERE = 'OPENCLAW_WORKSPACE_DIR="${OPENCLAW_WORKSPACE_DIR:-$PWD}" exec "$@"'


@dataclass(frozen=True, slots=True)
class _OpenClaw:
    name: str = "openclaw"
    program: str | None = "openclaw"
    # The folder is that of another agent if it comes from the caller.
    scrub: tuple[str, ...] = (*NESTED, "OPENCLAW_WORKSPACE_DIR")
    # It replaces itself when it is told to, not before.
    env: Mapping[str, str] = field(default_factory=dict)
    # Escape leaves a turn or a panel; the first C-c clears a draft, the next quits.
    stop_keys: tuple[str, ...] = ("Escape", "C-c", "C-c", "C-c")
    reads_screen: bool = True
    bracketed: bool | None = True

    def argv(self, agent: Agent) -> tuple[str, ...]:
        """Return `openclaw chat --session KEY ARGS…`, with its folder as workspace.

        The file's command stands in the place of `openclaw chat`. A model is chosen in
        its own configuration; it has no option for it.
        """
        # All would talk in the one session `main`.
        key = (agent.branch or str(agent.name)).replace("/", "-")
        session = unless_given(agent, ("--session", key), "--session")
        chat = () if agent.command else ("chat",)
        line = command_line(agent, self.program, (*chat, *session))
        return line if agent.shell else ("/bin/sh", "-c", _HERE, "sh", *line)

    def read(self, screen: Screen) -> Reading:
        """Read one screen; total: any screen gives a reading."""
        box = None if screen.dead else find_box(screen)
        status = -1 if box is None else _status(screen, box)
        if box is None or status < 0:
            return UNKNOWN
        activity, evidence = _activity(screen, status)
        covered = _covered(screen, box)
        if covered is not None:
            if activity is not Activity.BUSY:
                activity, evidence = Activity.WAITING, covered
            return Reading(activity, evidence, "menu", None, accepts=False)
        draft = box.draft
        accepts = activity is not Activity.UNKNOWN and not draft.startswith("!")
        return Reading(activity, evidence, None, draft, accepts)

    def literal(self, text: str) -> str:
        """Return the text so that it arrives as a prompt.

        A zero-width space keeps a first word from being a command; it arrives with the
        text.
        """
        return as_text(text)

    def settle(self, text: str) -> float:
        """Return the seconds between the paste and Enter."""
        return paste_settle(text)

    def holds(self, screen: Screen, text: str) -> bool | None:
        """Tell whether the input box shows the text or its placeholder."""
        return shows(self.read(screen).draft, text)


def _status(screen: Screen, box: Box) -> int:
    """Return the row above that of the agent and the session, -1 without them."""
    for row in range(box.top - 1, max(box.top - 1 - _ROWS, 0), -1):
        if _ABOUT.match(screen.lines[row]):
            return row - 1
    return -1


def _activity(screen: Screen, status: int) -> tuple[Activity, str]:
    line = screen.lines[status]
    if _BUSY.match(line):
        return Activity.BUSY, line
    rests = _RESTS.fullmatch(line)
    if rests is None:
        return Activity.UNKNOWN, ""
    if rests[1] != "error":
        return Activity.IDLE, line
    rows: list[str] = []
    while (status := status - 1) >= 0 and screen.lines[status].strip():
        rows.insert(0, screen.lines[status].strip())
    error = " ".join(rows)
    limited = LIMIT.search(error) is not None
    return (Activity.LIMITED if limited else Activity.IDLE), error or line


def _covered(screen: Screen, box: Box) -> str | None:
    """Return a row of the panel that covers the screen: it has taken the cursor."""
    if box.top < screen.cursor_y < box.bottom:
        return None
    rows = screen.lines[screen.cursor_y : screen.cursor_y + 1]
    return next((row.strip() for row in rows if row.strip("─ ")), "a panel is open")


OPENCLAW: Kind = _OpenClaw()
