"""What Gemini CLI and Qwen Code, which began as its fork, have in common.

Both draw an input box below all they have said: a sign (`>`, `*` when nothing is
asked, `!` for a shell line) and the draft, with a rule as wide as the screen above it.
A dialog takes the place of the box: a frame, with numbered options in it. Both tell in
the terminal's title whether they work or wait for an answer. What an agent says is
indented, so a rule or a sign further left is the CLI's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from mdtmux.agents.base import Activity, Reading
from mdtmux.agents.reading import LIMIT, UNKNOWN, last_written
from mdtmux.agents.styles import Cell, row_cells
from mdtmux.errors import Refused
from mdtmux.system.screen import Screen

_FRAME_END = re.compile(r" {0,3}[╰└]─{8,}")
_FRAME_TOP = re.compile(r" {0,3}[╭┌]─{8,}")
_BARS = " │┃█"
_BELOW = 3
_INNER = "│╭╰└┌─"
_SIDE = re.compile(r" {0,3}[│┃] ?")
# A filled circle or an angle points at the chosen option.
_CHOSEN = re.compile(r"[\u25cf\u203a\u276f] +\S")
_HINT = re.compile(r"\bEnter to select\b|\bEnter: Select\b|\bEsc to (?:cancel|close)\b")
_QUESTION = re.compile(r"\bEnter to select · |\bEnter: Select \| ")
_WAITS = re.compile(r"  \S Waiting for user confirmation")
_DIALOGS = (
    ("limit", re.compile(r"Usage limit reached for ")),
    ("trust", re.compile(r"Do you trust (?:this folder|the files in this folder)\?")),
    # In a low pane the question may be missing.
    ("trust", re.compile(r"Trusting a folder allows ")),
    ("login", re.compile(r"How would you like to authenticate|Connect a Provider")),
    ("approval", re.compile(r"Apply this change\?|Allow execution of\b")),
)
# What stands in an empty box; something typed begins right behind the sign.
_EMPTY = re.compile(
    r"  (?:Type your (?:message or |shell command)|Press '(?:i|Esc)' for (?:INSERT|NORMAL))"
)
# Zero-width: Qwen Code draws its cursor behind the text over one.
_NOTHING = "\u200b"
_CROSS = "\u2715"
_ERROR = re.compile(rf" *{_CROSS} (?:\[API Error\b|Quota exhausted: )")
_NOTE = "\u2139"
# A bare word behind the slash is a command, wherever blanks stand before it.
_COMMAND = re.compile(r"\s*/[\w:.?-]*(?:\s|$)")
# A last word with `@` opens a list of files, which takes the Enter; behind a backslash
# it breaks the line.
_COMPLETES = re.compile(r"(?:^|\s)@\S*$|\\$")


@dataclass(frozen=True, slots=True)
class Signs:
    """How a CLI's title begins: when it works, and when it waits for an answer."""

    busy: tuple[str, ...]
    waiting: tuple[str, ...]

    def works(self, screen: Screen) -> bool:
        """Tell whether the title says that the agent works."""
        return screen.title.startswith(self.busy)

    def asks(self, screen: Screen) -> bool:
        """Tell whether the title says that the agent waits for an answer."""
        return screen.title.startswith(self.waiting)


def is_rule(screen: Screen, row: int) -> bool:
    """Tell whether a row is a rule from one side of the screen to the other."""
    line = screen.lines[row]
    return len(line) == screen.width > 0 and not line.strip("─")


def typed(screen: Screen, rows: Iterable[int], indent: int, ghost: str = "") -> str:
    """Return what has been typed in the rows of a box, behind their indent.

    The hint of an empty box is not typed, nor text in the colour `ghost`, a suggestion:
    a cursor stands on its first character in another colour.
    """
    texts: list[str] = []
    for row in rows:
        if not texts and _EMPTY.match(screen.lines[row][indent:]):
            return ""
        cells = row_cells(screen, row)[indent:]
        texts.append("".join(_written(cells, ghost)).rstrip())
    return "\n".join(texts).strip()


def _written(cells: tuple[Cell, ...], ghost: str) -> list[str]:
    ghosts = [bool(ghost) and cell.style.colour == ghost for cell in cells]
    if any(ghosts) and not any(
        cell.char.strip(f" {_NOTHING}")
        for cell, is_ghost in zip(cells[1:], ghosts[1:], strict=True)
        if not is_ghost
    ):
        return []
    return [
        cell.char
        for cell, is_ghost in zip(cells, ghosts, strict=True)
        if not is_ghost and cell.char != _NOTHING
    ]


def failure(screen: Screen, below: int, column: int) -> str | None:
    """Return the CLI's own error when it is the last thing above row `below`.

    It stands behind a cross, in the cross's colour where there are colours; the name of
    a tool that failed has another one. The CLI's signs stand in the columns up to
    `column`, an agent's words behind.
    """
    rows: list[str] = []
    for row in range(below - 1, -1, -1):
        line = screen.lines[row]
        sign = line[: column + 1].strip()
        if sign == _CROSS:
            cells = row_cells(screen, row)
            words = [cell for cell in cells[column + 1 :] if cell.char.strip()]
            colour = cells[line.index(_CROSS)].style.colour
            coloured = bool(colour and words) and words[0].style.colour == colour
            own = coloured or _ERROR.match(line)
            return " ".join([line.strip(_BARS), *reversed(rows)]) if own else None
        if sign == _NOTE:
            rows = []
        elif sign:
            return None
        elif line.strip(_BARS):
            rows.append(line.strip(_BARS))
    return None


def after_turn(screen: Screen, below: int, column: int, row: int) -> Reading:
    """Return idle or, where its last turn ended so, limited; `row` is the box's."""
    error = failure(screen, below, column)
    if error is None:
        return Reading(Activity.IDLE, screen.lines[row], None, None, accepts=True)
    limited = Activity.LIMITED if LIMIT.search(error) else Activity.IDLE
    return Reading(limited, error, None, None, accepts=True)


def read_dialog(screen: Screen, signs: Signs) -> Reading:
    """Read a screen on which the input box is missing, or the title asks."""
    last = last_written(screen)
    end = screen.lines[last] if last >= 0 else ""
    asks = signs.asks(screen) or bool(_WAITS.match(end))
    block = _frame(screen, last)
    if asks:
        return _asked(block or [line.strip(_BARS) for line in screen.lines], screen)
    hints = " ".join(block[-3:])
    if not _HINT.search(hints) and not any(_CHOSEN.match(row) for row in block):
        if signs.works(screen):
            return Reading(
                Activity.BUSY, screen.title.strip(), None, None, accepts=False
            )
        return UNKNOWN
    name, row = _named(block, hints)
    activity = Activity.LIMITED if name == "limit" else Activity.WAITING
    return Reading(
        activity, row or _question(block) or block[0], name, None, accepts=False
    )


def _asked(block: list[str], screen: Screen) -> Reading:
    """Read an approval or a question, of which the title tells."""
    rows = [row for row in block if row]
    name = "question" if _QUESTION.search(" ".join(rows[-4:])) else "approval"
    evidence = _question(rows) or screen.title.strip()
    return Reading(Activity.WAITING, evidence, name, None, accepts=False)


def _question(block: list[str]) -> str:
    return next((row for row in reversed(block) if row.endswith("?")), "")


def _frame(screen: Screen, last: int) -> list[str]:
    """Return the rows of the frame at the end of the screen, without inner frames.

    A hint or two may stand below it; without its lower edge it is no frame.
    """
    lowest = range(last, max(last - _BELOW - 1, -1), -1)
    end = next((row for row in lowest if _FRAME_END.match(screen.lines[row])), 0)
    block: list[str] = []
    for row in range(end - 1, -1, -1):
        line = screen.lines[row]
        if _FRAME_TOP.match(line):
            break
        inside = _SIDE.sub("", line, count=1).lstrip()
        if inside and inside[0] not in _INNER:
            block.insert(0, inside.rstrip(_BARS))
    return [row for row in block if row]


def _named(block: list[str], hints: str) -> tuple[str, str]:
    for name, pattern in _DIALOGS:
        row = next((row for row in reversed(block) if pattern.search(row)), None)
        if row is not None:
            return name, row
    return ("question" if _QUESTION.search(hints) else "menu"), ""


def as_text(name: str, text: str, quits: frozenset[str] = frozenset()) -> str:
    """Return a text so that it arrives as a prompt.

    A blank before `!` keeps it out of the shell mode.

    Raises:
        Refused: a command or a word that ends the program; nothing escapes them.
    """
    stripped = text.strip()
    if _COMMAND.match(text) or stripped in quits:
        word = stripped.split(maxsplit=1)[0]
        message = f"{name} takes `{word[:40]}` for a command"
        hint = "put a word before it, or use `--command` if a command is meant"
        raise Refused(message, hint=hint)
    if text.startswith("!"):
        text = f" {text}"
    return f"{text} " if _COMPLETES.search(text) else text
