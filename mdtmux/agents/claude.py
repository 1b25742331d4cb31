"""Claude Code: how it is started, read, typed into and stopped.

Measured on versions 2.1.197 and 2.1.332 in tmux 3.3a; other versions are read by the
same rules, or read as unknown. Its input box is the last thing on the screen: a rule,
a row that begins with a prompt sign, a rule, footers. A dialog takes the place of the
box. What the agent itself says is indented, so signs in the first column are the
CLI's own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile

from mdtmux.agents.base import Activity, Kind, Reading
from mdtmux.agents.command import NESTED, command_line, unless_given
from mdtmux.agents.reading import (
    LIMIT,
    UNKNOWN,
    draft_holds,
    last_written,
    paste_settle,
)
from mdtmux.agents.styles import row_cells, written_text
from mdtmux.errors import Refused
from mdtmux.office.model import Agent, Permissions
from mdtmux.system.screen import Screen

# The prompt sign, a heavy angle.
_SIGN = "\u276f"
_RULE = re.compile(r"─{4,}(?:$|.*─$)")
# The signs of a prompt, a shell line and (older versions) a note to remember.
_PROMPT = re.compile(rf"([{_SIGN}>!#])(?:[ \xa0]|$)")
_SPINNER = re.compile(r"[·✢✳✶✻✽✺*] \S.*(?:…|retrying in \d)")
_FOOTER_BUSY = re.compile(r"\besc to i(?:n|…)|\besc to interrupt")
_OPTION = re.compile(rf" {{0,2}}{_SIGN} \d+\. ")
_OTHER_OPTION = re.compile(r" {1,4}\d+\. ")
# The last row of every dialog and panel.
_HINT = re.compile(
    r"\bEsc to \w+|\bEnter to (?:confirm|select|continue|save|view)|^ *Press Enter\b",
    re.IGNORECASE,
)
_TRANSCRIPT = re.compile(r"Showing detailed transcript")
_DIALOGS = (
    ("trust", re.compile(r"trust this folder|Do you trust the files")),
    ("api-key", re.compile(r"Do you want to use this API key\?")),
    ("bypass", re.compile(r"WARNING: Claude Code running in Bypass Permissions mode")),
    ("login", re.compile(r"Select login method|Paste code here if prompted")),
    ("onboarding", re.compile(r"Let's get started|Security notes:")),
    ("approval", re.compile(r"^ *(?:Do you want to|Would you like to) ")),
)
# What a file to be written or a question asked may say does not count against these.
_HINTS = (
    ("approval", "Tab to amend"),
    ("question", "Enter to select · ↑/↓ to navigate"),
)
_DEPTH = 30
# `/word` is a command wherever blanks or characters without width stand before it;
# `/etc/hosts …` is not (2.1.332).
_COMMAND = re.compile(r"[\s\u200b-\u200f\u2060\ufeff]*/[\w:.-]*(?:\s|$)")
# At the end of a text these open a list of completions that would take the Enter
# (`:smi` becomes an emoji), or, the backslash, turn it into a line break.
_COMPLETES = re.compile(r"(?:^|\s)[@:]\S*$|\\$")
# Its own options that decide what it may do by itself.
_MODES = ("--permission-mode", "--dangerously-skip-permissions")
_QUITS = frozenset({"exit", "quit", ":q", ":q!", ":wq", ":wq!"})


@dataclass(frozen=True, slots=True)
class _Box:
    """The input box: its two rules and the sign of its first row."""

    top: int
    bottom: int
    sign: str


@dataclass(frozen=True, slots=True)
class _Claude:
    name: str = "claude"
    program: str | None = "claude"
    scrub: tuple[str, ...] = NESTED
    # Several agents must not replace the one installation under each other's feet.
    env: Mapping[str, str] = field(default_factory=lambda: {"DISABLE_AUTOUPDATER": "1"})
    # Escape leaves a turn or a dialog, where C-c does nothing; one C-c a draft, one a
    # panel; two within 0.8 s end the program.
    stop_keys: tuple[str, ...] = ("Escape", "C-c", "C-c", "C-c", "C-c")
    reads_screen: bool = True
    bracketed: bool | None = True

    def argv(self, agent: Agent) -> tuple[str, ...]:
        """Return `claude --permission-mode … [--model MODEL] ARGS…`.

        The file's command stands in the program's place.
        """
        # Without the option an API key makes it `auto` (2.1.332).
        auto = agent.permissions is Permissions.AUTO
        mode = ("--permission-mode", "auto" if auto else "manual")
        model = () if agent.model is None else ("--model", agent.model)
        return command_line(
            agent, self.program, (*unless_given(agent, mode, *_MODES), *model)
        )

    def read(self, screen: Screen) -> Reading:
        """Read one screen; total: any screen gives a reading."""
        if screen.dead:
            return UNKNOWN
        box = _find_box(screen)
        if box is None:
            return _read_dialog(screen)
        draft = _draft(screen, box)
        activity, evidence = _activity(screen, box)
        accepts = box.sign in (_SIGN, ">")
        if not accepts:
            draft = f"{box.sign}{draft}"
        return Reading(activity, evidence, None, draft, accepts)

    def literal(self, text: str) -> str:
        """Return the text so that it arrives as a prompt.

        A blank before `!` keeps it out of the shell mode. A blank at the end closes
        completions; it is cut off on arrival.

        Raises:
            Refused: a slash command or a word that ends the program; nothing escapes
                them (a blank or an invisible character before them is dropped).
        """
        stripped = text.strip()
        if _COMMAND.match(text) or stripped in _QUITS:
            word = stripped.split(maxsplit=1)[0] if stripped else "/"
            message = f"Claude Code takes `{word[:40]}` for a command"
            hint = "put a word before it, or use `--command` if a command is meant"
            raise Refused(message, hint=hint)
        if text.lstrip().startswith("!"):
            text = f" {text}"
        return f"{text} " if _COMPLETES.search(text) else text

    def settle(self, text: str) -> float:
        """Return the seconds between the paste and Enter."""
        return paste_settle(text)

    def holds(self, screen: Screen, text: str) -> bool | None:
        """Tell whether the input box shows the text or its placeholder."""
        box = _find_box(screen)
        return draft_holds(None if box is None else _draft(screen, box), text)


def _find_box(screen: Screen) -> _Box | None:
    """Find the box between the last two rules of the screen."""
    lines = screen.lines
    rules = [row for row, line in enumerate(lines) if _RULE.match(line)]
    if len(rules) < 2:
        return None
    top, bottom = rules[-2:]
    inside = lines[top + 1 : bottom]
    match = _PROMPT.match(inside[0]) if inside else None
    if not any(lines[bottom + 1 :]):
        # Footers always stand below it: the screen is not painted to its end.
        return None
    if match is None or any(not line[:2].isspace() for line in inside[1:] if line):
        return None
    if _OPTION.match(inside[0]) and any(
        _OTHER_OPTION.match(line) for line in lines[top + 2 :]
    ):
        return None
    return _Box(top, bottom, match[1])


def _draft(screen: Screen, box: _Box) -> str:
    rows = range(box.top + 1, box.bottom)
    texts = [written_text(row_cells(screen, row)[2:]).rstrip() for row in rows]
    return "\n".join(texts).strip()


def _activity(screen: Screen, box: _Box) -> tuple[Activity, str]:
    lines = screen.lines
    above = range(box.top - 1, -1, -1)
    last = next((row for row in above if lines[row][:1].strip()), -1)
    if last >= 0 and _SPINNER.match(lines[last]):
        limited = LIMIT.search(lines[last]) and "retrying in" in lines[last]
        return (Activity.LIMITED if limited else Activity.BUSY), lines[last]
    for row in range(box.bottom + 1, len(lines)):
        if _FOOTER_BUSY.search(lines[row]):
            return Activity.BUSY, lines[row]
    notice = _notice(screen, box)
    if notice is None:
        return Activity.IDLE, lines[box.top + 1]
    rows = takewhile(str.strip, lines[notice : box.top])
    text = " ".join(row.strip() for row in rows)
    return (Activity.LIMITED if LIMIT.search(text) else Activity.IDLE), text


def _notice(screen: Screen, box: _Box) -> int | None:
    """Return the row of the CLI's own error that ended the last turn, if one did.

    It stands in colour: behind a bullet of the same colour, or behind `⎿` where no
    tool's output can stand. What an agent says has a bullet of another colour.
    """
    for row in range(box.top - 1, -1, -1):
        line = screen.lines[row]
        if line.startswith("● "):
            cells = row_cells(screen, row)
            colour = cells[2].style.colour if len(cells) > 2 else ""
            return row if colour and colour == cells[0].style.colour else None
        if line.startswith("  ⎿") and row and _begins(screen.lines[row - 1]):
            text = [cell for cell in row_cells(screen, row)[3:] if cell.char.strip()]
            mark = row_cells(screen, row)[2].style.colour
            return row if text and text[0].style.colour not in ("", mark) else None
        if line[:1].strip():
            return None
    return None


def _begins(above: str) -> bool:
    """Tell whether a row below this one begins a message of its own."""
    return not above.strip() or above.startswith(_SIGN)


def _read_dialog(screen: Screen) -> Reading:
    last = last_written(screen)
    if last < 0:
        return UNKNOWN
    rows = [row for row in range(last + 1) if screen.lines[row].strip()][-_DEPTH:]
    rules = [row for row in rows if _RULE.match(screen.lines[row])]
    first = next((r for r in reversed(rules) if not _inner(screen, r)), rows[0])
    block = [screen.lines[row] for row in rows if row >= first]
    end = " ".join(line.strip() for line in block[-2:])
    if _TRANSCRIPT.search(end):
        return Reading(Activity.UNKNOWN, "", "transcript", None, accepts=False)
    chosen = next((line for line in block if _OPTION.match(line)), None)
    if not _HINT.search(end) and chosen is None:
        return UNKNOWN
    name, row = _dialog(block, end)
    return Reading(
        Activity.WAITING, row or chosen or block[-1], name, None, accepts=False
    )


def _dialog(block: list[str], end: str) -> tuple[str, str]:
    """Return a dialog's name and the row that tells; hints at its end go first."""
    by_hint = next((name for name, hint in _HINTS if hint in end), None)
    if by_hint is not None:
        asks = next(
            (line for line in reversed(block) if line.rstrip().endswith("?")), ""
        )
        return by_hint, asks
    for name, pattern in _DIALOGS:
        row = next((line for line in block if pattern.search(line)), None)
        if row is not None:
            return name, row
    return "menu", ""


def _inner(screen: Screen, rule: int) -> bool:
    """Tell whether a rule parts the options of one question: a numbered one follows."""
    return bool(_OTHER_OPTION.match("".join(screen.lines[rule + 1 : rule + 2])))


CLAUDE: Kind = _Claude()
