"""May text be typed into an agent now? Pure: what was seen goes in, a verdict comes out."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mdtmux.agents.base import Activity, Reading
from mdtmux.agents.menus import bare_question, open_menu
from mdtmux.agents.reading import find_row, input_rows
from mdtmux.delivery.echo import is_own, row_of
from mdtmux.delivery.look import Look
from mdtmux.delivery.receipt import Held, Passes
from mdtmux.delivery.target import Options, Target
from mdtmux.delivery.text import Prepared
from mdtmux.system.interpreters import Reads
from mdtmux.system.screen import Pane, Screen
from mdtmux.system.terminal import CANONICAL_LIMIT, Foreground

# What tmux puts around a paste when the program asked for the marks.
_MARKS = 12
# The prompts of Python, its debuggers, IPython, irb, pry, gdb, perl's and node's
# debugger and the like. `>>>` counts alone on its row: some agents show a hint behind.
_INTERPRETER = re.compile(
    r"(?:>>>|\.\.\.:?)$|(?:\(Pdb\+*\)|\(pdb\)|ipdb>|In \[\d+\]:"
    r"|(?:irb|pry)\([^)]*\)[\w:.]*\s?[>*\"']"
    r"|\[\d+\] pry\([^)]*\)>|\((?:gdb|lldb|rdbg|byebug|dlv)\)|DB<+\d+>+|debug>"
    r"|(?:mysql|sqlite|irb|iex\(\d+\)|ghci|scala|julia)>)(?:\s|$)"
)
# A `%` is zsh's behind a name, a number's share behind a digit.
_SHELL_PROMPT = re.compile(r"[$#]$|[^\W\d]%$")


@dataclass(frozen=True, slots=True)
class Facts:
    """What was seen of an agent before typing.

    `alive`: the recorded process lives. `reader`: who reads the terminal. `hosted`: a
    shell that reads a further terminal, which an agent that no kind reads has made.
    `canonical`, `bracketed`: how it reads; None where nothing tells.
    """

    look: Look
    reading: Reading
    alive: bool
    reader: Foreground | None
    canonical: bool | None
    bracketed: bool | None
    hosted: Foreground | None = None


def hold(target: Target, facts: Facts, options: Options) -> Held | None:
    """Return what holds a text back from the agent, None when it may be typed."""
    return (
        unreachable(target, facts)
        or _keys(target, facts)
        or question(target, facts.look, facts.reading)
        or _prompt(target, facts)
        or _draft(target, facts.reading)
        or (None if options.force else _not_ready(target, facts))
    )


def unreachable(target: Target, facts: Facts) -> Held | None:
    """Return why not even a key may be pressed: the agent has ended, or a shell reads."""
    return _gone(target, facts) or _shell(target, facts)


def not_this_run(target: Target, pane: Pane) -> bool:
    """Tell whether the pane is not the one that the target was started in."""
    expected = (target.office, target.agent, target.run, target.server_pid)
    return (pane.office, pane.agent, pane.run, pane.server_pid) != expected


def misfit(text: Prepared, facts: Facts) -> Held | None:
    """Return why the program cannot take the text in one piece, None when it can."""
    if text.lines > 1 and facts.bracketed is not True:
        return Held(
            "the text has several lines, and the program did not ask for bracketed paste:"
            " each line would be taken as a request of its own",
            "send one line, or set `paste: file` for the agent in the office file",
        )
    limit = CANONICAL_LIMIT - (_MARKS if facts.bracketed else 0)
    longest = max(len(line.encode()) for line in text.text.split("\n"))
    if facts.canonical and longest > limit:
        return Held(
            f"a line of {longest} bytes would be cut: the program reads its terminal line"
            f" by line, which keeps {limit} bytes of each",
            "send shorter lines, or set `paste: file` for the agent in the office file",
        )
    return None


def _gone(target: Target, facts: Facts) -> Held | None:
    pane = facts.look.pane
    again = f"`mdtmux start {target.agent}` starts it again"
    if not_this_run(target, pane):
        reason = f"`{target.agent}` does not run any more in pane {target.pane}"
    elif pane.dead:
        reason = f"the process of `{target.agent}` has ended{_how(pane)}"
    elif pane.pid != target.process.pid or not facts.alive:
        reason = f"the recorded process of `{target.agent}` has ended"
    else:
        return None
    return Held(reason, again, Passes.RUN)


def _how(pane: Pane) -> str:
    if pane.signal is not None:
        return f" by signal {pane.signal}"
    # tmux learns the status a moment after the end.
    return "" if pane.status is None else f" with status {pane.status}"


def _shell(target: Target, facts: Facts) -> Held | None:
    if facts.reader is None or not facts.reader.shell:
        return None
    return Held(
        f"a command interpreter (`{_name(facts.reader)}`) reads the terminal of"
        f" `{target.agent}`: the text would be executed",
        f"`mdtmux attach {target.agent}` shows it",
        Passes.RUN,
    )


def _keys(target: Target, facts: Facts) -> Held | None:
    reader = facts.reader
    if reader is None or reader.reads is not Reads.KEYS:
        return None
    if _meant(target, facts, reader):
        return None
    return Held(
        f"a pager or editor (`{_name(reader)}`) reads the terminal of"
        f" `{target.agent}`: it would take the text for its commands",
        f"`mdtmux attach {target.agent}` shows it",
        Passes.HUMAN,
    )


def _name(reader: Foreground) -> str:
    return reader.argv[0] if reader.argv else "a program"


def _meant(target: Target, facts: Facts, reader: Foreground) -> bool:
    """Tell whether the office file itself starts that program and says when it is ready."""
    own = reader.pid == target.process.pid
    return (
        own
        and target.ready is not None
        and _matches(target, target.ready, facts.look.screen)
    )


def question(
    target: Target, look: Look, reading: Reading, text: str = ""
) -> Held | None:
    """Return the dialog or menu that is open, None without one.

    A guess, a menu that has no name, is not believed where the row is an echo of
    `text`, which has just been typed.
    """
    name, row = reading.dialog, reading.evidence
    is_open = name is not None or reading.activity is Activity.WAITING
    if not is_open and not reading.accepts:
        row = open_menu(look.screen) or ""
        is_open = bool(row)
    if not is_open or (name is None and is_own(row, text)):
        return None
    shown = f": {row.strip()[:80]}" if row else ""
    return Held(
        f"`{target.agent}` waits for an answer ({name or 'question'}{shown})",
        f"answer it with `mdtmux attach {target.agent}`,"
        f" or with `mdtmux send {target.agent} --key KEY`",
        Passes.HUMAN,
    )


def _prompt(target: Target, facts: Facts) -> Held | None:
    """Return that an interpreter's prompt has the cursor, whoever has printed it.

    A program may stop in a debugger, and a shell may go by any name; both show at the
    cursor. The prompt of a shell may as well be an agent's own: there the office
    file's pattern, when it matches that very row, is believed.
    """
    screen = facts.look.screen
    row = row_of(screen, screen.cursor_y)
    line = row.strip()
    if target.kind.program is not None or not line:
        return None
    # The draft is known where the office file's mark stands on the cursor's row.
    told = facts.reading.draft is not None or (
        target.ready is not None
        and find_row(re.compile(target.ready), (row,)) is not None
    )
    if not _INTERPRETER.match(line) and (told or not _SHELL_PROMPT.search(line)):
        return None
    return Held(
        f"a command interpreter's prompt (`{line[-40:]}`) stands at the cursor of"
        f" `{target.agent}`: the text would be executed",
        f"`mdtmux attach {target.agent}` shows it; a prompt of the agent's own that ends"
        " in `$` or `#` can be told in the office file by `ready: {pattern: PATTERN}`",
        Passes.HUMAN,
    )


def _draft(target: Target, reading: Reading) -> Held | None:
    if not reading.draft:
        return None
    return Held(
        f"somebody's draft stands on the input line of `{target.agent}`",
        f"`mdtmux attach {target.agent}`, then send or delete it",
        Passes.HUMAN,
    )


def _not_ready(target: Target, facts: Facts) -> Held | None:
    reading = facts.reading
    wait = "`--wait idle` waits for it, `--queue` delivers when it can take it"
    if reading.activity in (Activity.BUSY, Activity.LIMITED):
        what = "busy" if reading.activity is Activity.BUSY else "held by a usage limit"
        reason = f"`{target.agent}` is {what} ({reading.evidence.strip()[:80]})"
        return Held(reason, wait, Passes.SOON)
    if target.ready is not None and _matches(target, target.ready, facts.look.screen):
        return None
    if reading.activity is Activity.IDLE or reading.accepts:
        return None
    asked = bare_question(facts.look.screen)
    if asked is not None and target.kind.program is None:
        return Held(
            f"`{target.agent}` may wait for an answer: {asked[:80]}",
            "`--force` types all the same; `ready: {pattern: …}` in the office file tells"
            " its input line from a question",
            Passes.HUMAN,
        )
    if target.kind.reads_screen or target.ready is not None:
        reason = f"`{target.agent}` does not show an input line that is ready"
        hint = f"{wait}; `--force` types all the same"
        if target.kind.program is None:
            hint += "; the office file's `ready` and `idle` count in the cursor's row"
        return Held(reason, hint, Passes.SOON)
    return _nothing_tells(target, facts)


def _nothing_tells(target: Target, facts: Facts) -> Held | None:
    """Judge an agent that shows no input line that anybody has described."""
    if facts.reader is not None and facts.reader.reads is Reads.RELAY:
        return Held(
            f"`{_name(facts.reader)}` passes on what is typed to `{target.agent}`;"
            " nothing tells who reads it there",
            "give it `ready: {pattern: …}` in the office file; `--force` types all the"
            " same",
            Passes.SOON,
        )
    if facts.hosted is not None:
        return Held(
            f"a command interpreter (`{_name(facts.hosted)}`) reads a terminal that"
            f" `{target.agent}` has made: it may be what shows",
            "give it `ready: {pattern: …}` in the office file; `--force` types all the"
            " same",
            Passes.SOON,
        )
    if facts.bracketed is True or facts.canonical is False:
        # Made for input, and no menu on its screen: nothing speaks against it.
        return None
    return Held(
        f"nothing tells that `{target.agent}` waits for input",
        "`--force` types all the same; a prompt that it shows can be told in the office"
        " file by `screen: {idle: PATTERN}` or `ready: {pattern: PATTERN}`",
        Passes.SOON,
    )


def _matches(target: Target, pattern: str, screen: Screen) -> bool:
    """Tell whether the office file's pattern shows where text would be read.

    A kind of its own tells a question from its input line, wherever the pattern shows.
    """
    own = target.kind.program is None
    rows = input_rows(screen) if own else screen.lines
    return find_row(re.compile(pattern), rows) is not None
