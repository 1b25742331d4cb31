"""Tell, look by look, when a text has come to the input line and when it has left.

Each watch is given to `Looker.until`; what it remembers is what it saw before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mdtmux.agents.base import Kind
from mdtmux.delivery.echo import appeared, only_part
from mdtmux.delivery.look import Look
from mdtmux.delivery.proof import (
    After,
    Finding,
    Line,
    Typed,
    after_enter,
    echoed,
    holds,
)
from mdtmux.system import terminal
from mdtmux.system.terminal import Readers

# How long a program that has read the text may take to show it, before it is held
# to show nothing of what is typed.
ECHO = 0.3


class Arrival:
    """Returns the look at which the pasted text has reached the program."""

    def __init__(
        self, kind: Kind, clean: Look, text: str, now: Callable[[], float]
    ) -> None:
        self.kind = kind
        self.clean = clean
        self.text = text
        self.now = now
        self.read_since: float | None = None

    def __call__(self, look: Look) -> Look | None:
        """Judge one look."""
        held = holds(self.kind, look.screen, self.text)
        if held is not None:
            return look if held else None
        if terminal.unread(look.pane.tty):
            self.read_since = None
            return None
        if self.read_since is None:
            # tmux may hold more than the terminal takes at once: look again.
            self.read_since = self.now()
            return None
        if only_part(self.clean.screen, look.screen, self.text):
            return None
        shown = appeared(self.clean.screen, look.screen, self.text)
        return look if shown or self.now() - self.read_since >= ECHO else None


def line_of(look: Look, readers: Readers) -> Line:
    """Return what the terminal's input tells now."""
    tty = look.pane.tty
    # In this order: what leaves the queue has been read by the time it is counted.
    unread = terminal.unread(tty)
    return Line(unread, readers.took(), terminal.is_canonical(tty))


class Departure:
    """Returns the finding that the entered text has left the input line.

    Two looks in a row must agree: one may fall into the middle of a redraw. `last`
    is the latest finding of any kind. An echo that comes up at the cursor only after
    Enter becomes the moment from which the text must leave: see `typed`. `ends` says
    that the text may well have ended the program (it was meant as a command).
    """

    def __init__(
        self, kind: Kind, typed: Typed, readers: Readers, *, ends: bool
    ) -> None:
        self.kind = kind
        self.typed = typed
        self.readers = readers
        self.ends = ends
        self.last = Finding(After.UNCLEAR, "nothing was seen")

    def __call__(self, look: Look) -> Finding | None:
        """Judge one look."""
        before = self.last
        if look.pane.dead:
            after = After.SUBMITTED if self.ends else After.UNCLEAR
            self.last = Finding(after, "the program ended after Enter")
            return self.last
        line = line_of(look, self.readers)
        late = replace(self.typed, look=look)
        if not echoed(self.typed) and echoed(late):
            self.typed = late
            self.last = Finding(After.UNCLEAR, "the text came up only after Enter")
            return None
        self.last = after_enter(self.kind, self.typed, look, line)
        if self.last.after is After.STANDS and line.unread:
            # It has not read the Enter yet; another would be one too many.
            self.last = Finding(After.UNCLEAR, "the program has not read Enter")
        if self.kind.program is None and not self.ends and self.readers.left():
            # A wrapper that lives on shows whatever comes after a crash.
            told = "the program that had the terminal has ended"
            self.last = Finding(After.UNCLEAR, told)
            return self.last
        agree = before.after is self.last.after is After.SUBMITTED
        return self.last if agree else None
