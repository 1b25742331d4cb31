"""Codex CLI: how it is started, read, typed into and stopped.

Measured on version 0.171.0 in tmux 3.3a; other versions are read by the same rules, or
read as unknown. Its input line is the last row that begins in the first column, with a
bold sign; a status line and footers stand below it. A dialog takes their place. What
the agent says is indented, but for a dim bullet; what the user has said stands behind
a dim sign. While an answer streams in, only the spinner in the title tells.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from mdtmux.agents.base import Activity, Kind, Reading
from mdtmux.agents.command import NESTED, command_line, unless_given
from mdtmux.agents.reading import (
    LIMIT,
    UNKNOWN,
    draft_holds,
    last_written,
    paste_settle,
)
from mdtmux.agents.styles import Cell, row_cells, written_text
from mdtmux.office.model import Agent, Permissions
from mdtmux.system.screen import Screen

# The prompt sign, a light angle; in shell mode it is `!`.
_SIGN = "\u203a"
_PROMPT = re.compile(rf"[{_SIGN}!](?: |$)")
_OPTION = re.compile(rf" {{0,2}}[{_SIGN}>] \d+\. ")
_IMAGE = re.compile(r"\[Image #\d+\]")
# Its whole footer before the session has begun: a dialog may come yet.
_STARTING = "? for shortcuts"
_SPINNER = re.compile(r"[\u2800-\u28ff] ")
_ASKS = re.compile(r"\[ [!.] \] Action Required")
_WORKING = re.compile(r"(?:[•◦] )?\S.* ?\((?:\d+[hms] ?)+ •")
_WORKED = re.compile(r"  Worked for \S")
_HEADER = re.compile(r"  >_ OpenAI Codex (?=\(v)")
_ERROR = "■"
# The last row of every dialog and panel.
_HINT = re.compile(r" *(?:press )?(?:enter|esc|tab|k|\^c)\b.* \w", re.IGNORECASE)
_APPROVAL = re.compile(r"  (?:Would you like to|Do you want to) ")
_DETAIL = re.compile(r"  (?:\$|Destination:) ")
_DIALOGS = (
    ("question", "submit answer", re.compile(r"  Question \d")),
    ("approval", "esc to cancel", _APPROVAL),
    ("trust", "enter continue", re.compile(r"  Trust this folder\?")),
    ("hooks", "enter confirm", re.compile(r"  Hooks need review")),
    ("login", "enter to continue", re.compile(r"> \d\. Sign in with")),
)
# It takes the keys although the input line is there.
_BROWSING = re.compile(r"Browsing transcript|reverse-i-search")
# A list of files opens on a last word with `@`, one of skills on `$`: it takes the
# Enter. A blank behind keeps it shut and is cut off on arrival.
_COMPLETES = re.compile(r"(?:^|\s)[@$]\S*\Z")
_UPDATES = "check_for_update_on_startup"
_BYPASS = ("--approve-for-me", "--dangerously-bypass-approvals-and-sandbox")
_ASKING = ("-a", "--ask-for-approval", "approval_policy", *_BYPASS)
_SANDBOX = ("-s", "--sandbox", "sandbox_mode", *_BYPASS)


@dataclass(frozen=True, slots=True)
class _Box:
    """The input line: rows `top` to `end` - 1, its sign, its draft, what is below."""

    top: int
    end: int
    sign: str
    draft: str
    footer: str


@dataclass(frozen=True, slots=True)
class _Codex:
    name: str = "codex"
    program: str | None = "codex"
    scrub: tuple[str, ...] = NESTED
    env: Mapping[str, str] = field(default_factory=dict)
    # One leaves a note on a question, one a question, a turn or a draft; on an empty
    # line it quits.
    stop_keys: tuple[str, ...] = ("C-c", "C-c", "C-c", "C-c")
    reads_screen: bool = True
    bracketed: bool | None = True

    def argv(self, agent: Agent) -> tuple[str, ...]:
        """Return `codex --no-daemon -a POLICY -s workspace-write … ARGS…`.

        The file's command stands in the program's place.
        """
        # Without the first a server stays behind when the agent has ended.
        alone = unless_given(agent, ("--no-daemon",), "--no-daemon", "--remote")
        # Several agents must not replace the one installation under each other's feet.
        updates = unless_given(agent, ("-c", f"{_UPDATES}=false"), _UPDATES)
        # Asking, it runs by itself what its sandbox allows, which is to write in the
        # folder: 0.171.0 has no policy that asks for every command.
        policy = "never" if agent.permissions is Permissions.AUTO else "on-request"
        mode = unless_given(agent, ("-a", policy), *_ASKING)
        sandbox = unless_given(agent, ("-s", "workspace-write"), *_SANDBOX)
        model = () if agent.model is None else ("--model", agent.model)
        return command_line(
            agent, self.program, (*alone, *updates, *mode, *sandbox, *model)
        )

    def read(self, screen: Screen) -> Reading:
        """Read one screen; total: any screen gives a reading."""
        if screen.dead:
            return UNKNOWN
        box = _find_box(screen)
        if box is None:
            return _read_dialog(screen)
        if _ASKS.match(screen.title):
            return Reading(Activity.WAITING, screen.title, None, None, accepts=False)
        activity, evidence = _activity(screen, box)
        if _SPINNER.match(screen.title) and activity is not Activity.BUSY:
            activity, evidence = Activity.BUSY, screen.title
        inside = box.top <= screen.cursor_y < box.end
        if activity is not Activity.BUSY and not (inside and box.footer):
            activity, evidence = Activity.UNKNOWN, ""
        if not inside:
            name = "transcript" if _BROWSING.search(box.footer) else None
            return Reading(activity, evidence, name, None, accepts=False)
        accepts = activity is not Activity.UNKNOWN and box.sign == _SIGN
        draft = box.draft if box.sign == _SIGN else f"{box.sign}{box.draft}"
        return Reading(activity, evidence, None, draft, accepts)

    def literal(self, text: str) -> str:
        """Return the text so that it arrives as a prompt.

        A blank before `/` and `!` keeps them from being a command; it is cut off on
        arrival. Nothing else is one: `exit` and `quit` are words like others.
        """
        if text.lstrip().startswith(("/", "!")):
            text = f" {text}"
        return f"{text} " if _COMPLETES.search(text) else text

    def settle(self, text: str) -> float:
        """Return the seconds between the paste and Enter."""
        return paste_settle(text)

    def holds(self, screen: Screen, text: str) -> bool | None:
        """Tell whether the input line shows the text or its placeholder."""
        box = _find_box(screen)
        if box is not None and _IMAGE.fullmatch(box.draft):
            return True
        return draft_holds(None if box is None else box.draft, text)


def _find_box(screen: Screen) -> _Box | None:
    """Find the input line; None where a dialog stands or nothing stands below it."""
    lines = screen.lines
    top = next((n for n in range(len(lines) - 1, -1, -1) if lines[n][:1].strip()), -1)
    last = last_written(screen)
    match = _PROMPT.match(lines[top]) if top >= 0 else None
    if match is None or last == top:
        return None
    style = row_cells(screen, top)[0].style
    if style.reverse or style.dim:
        # The chosen row of a dialog, or what the user has said.
        return None
    end = last
    while end > top and lines[end].strip():
        end -= 1
    if end == top:
        # A long text leaves no room for what else stands below it.
        end = last + 1
    footer = " ".join(line.strip() for line in lines[end:]).strip()
    if footer == _STARTING:
        return None
    rows = range(top, end)
    texts = [written_text(row_cells(screen, row)[2:]).rstrip() for row in rows]
    return _Box(top, end, lines[top][0], "\n".join(texts).strip(), footer)


def _activity(screen: Screen, box: _Box) -> tuple[Activity, str]:
    # What is below the end of the last turn and above the input line are notes of the
    # CLI, unless a prompt stands among them.
    for row in range(box.top - 1, -1, -1):
        line = screen.lines[row]
        cells = row_cells(screen, row)
        if _WORKED.match(line) and _is_dim(cells[2:]):
            return Activity.IDLE, line
        if not line[:1].strip():
            continue
        if _WORKING.match(line) and _is_dim(cells[line.rindex("(") :][:1]):
            return Activity.BUSY, line
        if line.startswith(_ERROR):
            notice = _notice(screen, row, box.top)
            limited = LIMIT.search(notice)
            return (Activity.LIMITED if limited else Activity.IDLE), notice
        if line.startswith(_SIGN) and _is_dim(cells[:1]):
            return Activity.UNKNOWN, ""
    if _begins(screen):
        return Activity.IDLE, screen.lines[box.top]
    return Activity.UNKNOWN, ""


def _notice(screen: Screen, row: int, end: int) -> str:
    """Return an error of the CLI, which may go on in the first column."""
    rows = [screen.lines[row]]
    for line in screen.lines[row + 1 : end]:
        if not line[:1].strip():
            break
        rows.append(line)
    return " ".join(rows)


def _begins(screen: Screen) -> bool:
    """Tell whether the screen shows a session from its beginning, header first."""
    row = next((n for n, line in enumerate(screen.lines) if line.strip()), -1)
    match = _HEADER.match(screen.lines[row]) if row >= 0 else None
    return match is not None and _is_dim(row_cells(screen, row)[match.end() :])


def _is_dim(cells: tuple[Cell, ...]) -> bool:
    return all(cell.style.dim for cell in cells if cell.char.strip())


def _read_dialog(screen: Screen) -> Reading:
    """Read the block at the end of the screen, down to its row of key hints."""
    written = screen.written()
    hints = " ".join(line.strip() for line in written[-2:])
    if _BROWSING.search(hints):
        return Reading(Activity.UNKNOWN, "", "transcript", None, accepts=False)
    asks = _ASKS.match(screen.title)
    if not (written and _HINT.match(written[-1])) and asks is None:
        return UNKNOWN
    name, row = _dialog(written, hints)
    if name == "approval":
        block = written[written.index(row) :]
        detail = next((line for line in block if _DETAIL.match(line)), "")
        row = f"{row} {detail.strip()}".rstrip()
    elif name == "question":
        row = next(iter(written[written.index(row) + 1 :]), row)
    return Reading(Activity.WAITING, row, name, None, accepts=False)


def _dialog(written: tuple[str, ...], hints: str) -> tuple[str, str]:
    """Return a dialog's name and the row that tells, from its end up."""
    for name, hint, pattern in _DIALOGS:
        row = next((line for line in reversed(written) if pattern.match(line)), None)
        if hint in hints and row is not None:
            return name, row
    options = (line for line in reversed(written) if _OPTION.match(line))
    chosen = next(options, written[-1] if written else "")
    return "menu", chosen


CODEX: Kind = _Codex()
