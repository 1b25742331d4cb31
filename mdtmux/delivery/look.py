"""Looking at one pane again and again: the only place of a delivery that waits."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from mdtmux.names import PaneId
from mdtmux.system.screen import Pane, Screen
from mdtmux.system.tmux import Tmux

T = TypeVar("T")
# Short at first, since most programs answer within milliseconds; a look is a tmux
# process, so it grows.
SHORTEST = 0.010
LONGEST = 0.100


@dataclass(frozen=True, slots=True)
class Clock:
    """The time and how to let it pass; `now` in seconds from any fixed point."""

    now: Callable[[], float] = time.monotonic
    pause: Callable[[float], None] = time.sleep


@dataclass(frozen=True, slots=True)
class Look:
    """A pane and its screen as of one moment."""

    pane: Pane
    screen: Screen

    def differs(self, other: Look) -> bool:
        """Tell whether anything on the screen or in the history is not the same."""
        mine, theirs = self.screen, other.screen
        return (
            mine.styled != theirs.styled
            or mine.history_size != theirs.history_size
            or (mine.cursor_x, mine.cursor_y) != (theirs.cursor_x, theirs.cursor_y)
        )


class Looker:
    """Looks at one pane until something is seen or the time is over."""

    def __init__(self, tmux: Tmux, pane: PaneId, clock: Clock | None = None) -> None:
        self.tmux = tmux
        self.pane = pane
        self.clock = clock or Clock()

    def look(self) -> Look:
        """Return what is there now.

        Raises:
            TmuxError: the pane or the server is gone.
        """
        return Look(*self.tmux.look(self.pane))

    def wait(self, seconds: float) -> None:
        """Let the time pass."""
        self.clock.pause(max(0.0, seconds))

    def until(self, see: Callable[[Look], T | None], seconds: float) -> T | None:
        """Look until `see` returns something other than None; None after `seconds`.

        It looks at least once, and once more at the end of the time.
        """
        deadline = self.clock.now() + seconds
        pause = SHORTEST
        while True:
            found = see(self.look())
            left = deadline - self.clock.now()
            if found is not None or left <= 0:
                return found
            self.clock.pause(min(pause, left))
            pause = min(pause * 1.5, LONGEST)
