"""OpenCode: how it is started, read, typed into and stopped.

Measured on version 1.18.33 in tmux 3.3a; other versions are read by the same rules,
or read as unknown. Its input box is a bar on the left (`┃`) that ends in `╹▀▀▀`, the
last row above which names the mode and model; below it stand the footers, and on a
wide screen a side bar to its right. The terminal's cursor stands in the box: where it
does not, a panel covers the screen.
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
from mdtmux.agents.styles import between
from mdtmux.errors import Refused
from mdtmux.office.model import Agent
from mdtmux.system.screen import Screen

_END = re.compile(r" *╹▀{10,}")
_BAR = "┃"
_SHELL = "Shell"
_SUGGESTION = re.compile(r"Ask anything(?:…|\.\.\.)|Run a command(?:…|\.\.\.)")
_FOOTER_BUSY = re.compile(r" *[⬝■]{4,}|.*\besc (?:again to )?interrupt|.*\[retrying ")
_RETRY = re.compile(r"\[retrying ")
_TITLE = re.compile(r" {2,}\S.* esc(?:/enter)?(?:$| {3})")
_ASKS = re.compile(r"△ (.*)|\benter (?:confirm|submit)\b.*|\besc dismiss\b")
_APPROVAL = re.compile(r"△ (?:Permission required|Always allow|Reject permission)")
_QUESTION = re.compile(r"\besc dismiss\b|\benter (?:submit|toggle|confirm)\b")
# Footers below the box; a retry notice wraps on a narrow screen.
_FOOTERS = 4
# The list of commands opens on `/`, that of files on a last word with `@`; both take
# the Enter. A blank before or after keeps them shut (1.18.33).
_LAST_AT = re.compile(r"(?:^|\s)[^\s\w]*@\S*$")
_QUITS = frozenset({"exit", "quit", ":q"})


@dataclass(frozen=True, slots=True)
class _Box:
    """The input box: rows `top` to `label`, columns `left` to `right` - 1."""

    top: int
    label: int
    left: int
    right: int
    draft: str
    shell: bool


@dataclass(frozen=True, slots=True)
class _OpenCode:
    name: str = "opencode"
    program: str | None = "opencode"
    scrub: tuple[str, ...] = NESTED
    # Several agents must not replace the one installation under each other's feet.
    env: Mapping[str, str] = field(
        default_factory=lambda: {"OPENCODE_DISABLE_AUTOUPDATE": "1"}
    )
    # The first leaves a draft or a dialog.
    stop_keys: tuple[str, ...] = ("C-c", "C-c", "C-c")
    reads_screen: bool = True
    bracketed: bool | None = True

    def argv(self, agent: Agent) -> tuple[str, ...]:
        """Return `opencode [--model MODEL] ARGS…`, or the file's command in its place."""
        options = () if agent.model is None else ("--model", agent.model)
        return command_line(agent, self.program, options)

    def read(self, screen: Screen) -> Reading:
        """Read one screen; total: any screen gives a reading."""
        if screen.dead:
            return UNKNOWN
        box = _find_box(screen)
        if box is None:
            return _read_dialog(screen)
        activity, evidence = _activity(screen, box)
        if not _cursor_inside(screen, box):
            return _covered(screen, activity, evidence)
        draft = f"!{box.draft}" if box.shell else box.draft
        accepts = activity is not Activity.UNKNOWN and not box.shell
        return Reading(activity, evidence, None, draft, accepts)

    def literal(self, text: str) -> str:
        """Return the text so that it arrives as a prompt.

        A blank before `/` and `!` keeps them from being a command; a blank after a
        last word with `@` keeps the list of files shut.

        Raises:
            Refused: a word that ends the program.
        """
        if text.strip() in _QUITS:
            message = f"OpenCode takes `{text.strip()}` for a command"
            hint = "put a word before it, or use `--command` if a command is meant"
            raise Refused(message, hint=hint)
        if text.startswith(("/", "!")):
            text = f" {text}"
        return f"{text} " if _LAST_AT.search(text) else text

    def settle(self, text: str) -> float:
        """Return the seconds between the paste and Enter."""
        return paste_settle(text)

    def holds(self, screen: Screen, text: str) -> bool | None:
        """Tell whether the input box shows the text or its placeholder."""
        box = _find_box(screen)
        return draft_holds(None if box is None else box.draft, text)


def _find_box(screen: Screen) -> _Box | None:
    """Find the box whose end stands lowest, with its draft."""
    lines = screen.lines
    rows = range(len(lines) - 1, 0, -1)
    end = next((row for row in rows if _END.match(lines[row])), None)
    if end is None or any(line.lstrip().startswith(_BAR) for line in lines[end + 1 :]):
        # A dialog below it stands in the box's place: this one is drawn by the agent.
        return None
    left = lines[end].index("╹")
    right = left + len(lines[end][left:].split(maxsplit=1)[0])
    top = end
    while top > 0 and between(lines[top - 1], left, left + 1) == _BAR:
        top -= 1
    while top < end and _is_listed(lines[top], left, right):
        top += 1
    inside = [between(line, left + 1, right).strip() for line in lines[top:end]]
    if len(inside) < 3:
        return None
    shell = inside[-1] == _SHELL
    draft = "\n".join(inside[1:-2]).strip()
    if _SUGGESTION.match(draft) and screen.cursor_x <= left + 3:
        draft = ""
    return _Box(top, end - 1, left, right, draft, shell)


def _is_listed(line: str, left: int, right: int) -> bool:
    """Tell whether a row belongs to a list of completions: it has a bar on each side."""
    return between(line, left + 1, right + 1).rstrip().endswith(_BAR)


def _cursor_inside(screen: Screen, box: _Box) -> bool:
    columns = box.left < screen.cursor_x < box.right
    return columns and box.top <= screen.cursor_y <= box.label


def _activity(screen: Screen, box: _Box) -> tuple[Activity, str]:
    below = screen.lines[box.label + 2 :]
    footers = [
        between(line, 0, box.right + 1).rstrip() for line in below if line.strip()
    ]
    if not any(row.strip() for row in footers):
        # Footers always stand below it: the screen is not painted to its end.
        return Activity.UNKNOWN, ""
    for row in footers[:_FOOTERS]:
        if _FOOTER_BUSY.match(row):
            limited = _RETRY.search(row) and LIMIT.search(row)
            return (Activity.LIMITED if limited else Activity.BUSY), row
    return Activity.IDLE, between(screen.lines[box.label], box.left, box.right).rstrip()


def _covered(screen: Screen, activity: Activity, evidence: str) -> Reading:
    """Read a screen whose box is there but does not have the cursor."""
    title = next((line for line in screen.lines if _TITLE.match(line)), None)
    if activity is not Activity.IDLE:
        return Reading(
            activity, evidence, "menu" if title else None, None, accepts=False
        )
    if title is None:
        return UNKNOWN
    return Reading(Activity.WAITING, title, "menu", None, accepts=False)


def _read_dialog(screen: Screen) -> Reading:
    """Read the block of barred rows at the bottom that stands where the box was."""
    last = last_written(screen)
    block: list[str] = []
    for row in range(last, -1, -1):
        line = screen.lines[row]
        place = line.find(_BAR)
        if place < 0 or line[:place].strip():
            if block:
                break
            if last - row > _FOOTERS:
                return UNKNOWN
            continue
        block.insert(0, line[place + 1 :].strip())
    head = next((row for row in block if row.startswith("△ ")), None)
    hints = " ".join(block[-3:])
    if head is not None and _APPROVAL.match(head) and _ASKS.search(hints):
        about = next((row for row in block[block.index(head) + 1 :] if row), "")
        evidence = f"{head}: {about}" if about else head
        return Reading(Activity.WAITING, evidence, "approval", None, accepts=False)
    if _QUESTION.search(hints):
        asks = next((row for row in block if row), "")
        return Reading(Activity.WAITING, asks, "question", None, accepts=False)
    if head is not None:
        return Reading(Activity.WAITING, head, "menu", None, accepts=False)
    return UNKNOWN


OPENCODE: Kind = _OpenCode()
