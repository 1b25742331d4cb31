"""What an instruction may use, and how it waits without holding up the terminal.

An instruction is a generator: it yields what it waits for and is resumed when that
has come. So keys are read, and Escape works, whatever the clerk is doing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field

from mdtmux.agents.clerk import marks
from mdtmux.agents.clerk.dialog import Dialog
from mdtmux.agents.clerk.live import Style
from mdtmux.agents.clerk.log import Log
from mdtmux.agents.clerk.paper import Entry, Paper


@dataclass(frozen=True, slots=True)
class Wait:
    """What an instruction waits for; the first to come resumes it.

    Seconds; something to read; the end of a child; the answer to a dialog, which is
    sent into the generator. With nothing set it is resumed at once.
    """

    seconds: float | None = None
    readable: int | None = None
    child: bool = False
    dialog: Dialog | None = None


Step = Generator[Wait, str, None]


class Failed(Exception):
    """The instruction did not work; the message is for the transcript."""


class Quit(Exception):
    """The program shall end with this exit status."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


@dataclass(slots=True)
class Desk:
    """The clerk's own things: its name, terminal, log, and what it has hoarded.

    `auto`: commands are run without asking. `limit` is shown in place of the idle or
    busy sign while it is set. `left` are the pids of children left behind.
    """

    name: str
    paper: Paper
    log: Log
    auto: bool
    clock: Callable[[], float]
    limit: str = ""
    hoard: list[bytearray] = field(default_factory=list)
    left: list[int] = field(default_factory=list)

    def say(self, text: str, style: Style = Style.PLAIN) -> None:
        """Add an answer to the transcript, a bullet before its first line."""
        self._lines(text.split("\n"), marks.BULLET, style)

    def show(self, lines: Iterable[str]) -> None:
        """Add output to the transcript, below the line that it belongs to."""
        self._lines(lines, marks.OUTPUT, Style.DIM)

    def hear(self, text: str) -> None:
        """Add a prompt to the transcript, as the draft showed it."""
        lines = text.split("\n")
        shown = lines if len(lines) <= 5 else [*lines[:4], f"… +{len(lines) - 4} lines"]
        self.paper.write([Entry("", "")])
        self._lines(shown, marks.SAID, Style.BOLD)

    def reap(self) -> None:
        """Forget the children left behind that have ended, so that none is a zombie."""
        for pid in list(self.left):
            try:
                ended, _ = os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                # A detached one is nobody's child.
                ended = pid
            if ended:
                self.left.remove(pid)

    def _lines(self, lines: Iterable[str], prefix: str, style: Style) -> None:
        indent = " " * len(prefix)
        entries = [
            Entry(indent if number else prefix, line, style)
            for number, line in enumerate(lines)
        ]
        self.paper.write(entries)
