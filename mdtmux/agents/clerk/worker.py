"""One piece of work at a time, moved on whenever what it waits for has come."""

from __future__ import annotations

from collections.abc import Callable, Container

from mdtmux.agents.clerk.desk import Step, Wait
from mdtmux.agents.clerk.dialog import Dialog


class Worker:
    """Runs generators of `Wait`; does nothing by itself."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._step: Step | None = None
        self._wait = Wait()
        self._begun = False
        self._asked_at = 0.0
        self.since = 0.0

    @property
    def busy(self) -> bool:
        """Whether there is work that has not ended."""
        return self._step is not None

    @property
    def dialog(self) -> Dialog | None:
        """The question that the work waits for."""
        return self._wait.dialog if self._step else None

    @property
    def readable(self) -> int | None:
        """The descriptor that the work wants to read."""
        return self._wait.readable if self._step else None

    def patience(self) -> float | None:
        """Return the seconds until the work goes on by itself; None: it does not."""
        if self._step is None:
            return None
        wait = self._wait
        if wait.seconds is not None:
            return max(0.0, self._asked_at + wait.seconds - self._clock())
        waits = wait.child or wait.readable is not None or wait.dialog is not None
        return None if waits else 0.0

    def start(self, step: Step) -> None:
        """Take up a piece of work; it begins with the next `move`."""
        self._step, self._wait, self._begun = step, Wait(), False
        self.since = self._asked_at = self._clock()

    def due(self, readable: Container[int], child: bool) -> bool:
        """Tell whether what the work waits for has come."""
        if self._step is None:
            return False
        if self._wait.readable is not None and self._wait.readable in readable:
            return True
        return (self._wait.child and child) or self.patience() == 0.0

    def move(self, answer: str = "") -> None:
        """Let the work go on, with the answer to its question if it asked one.

        Raises:
            Quit: the work ends the program.
        """
        step = self._step
        if step is None:
            return
        try:
            # A generator that has not begun takes no value.
            self._wait = step.send(answer) if self._begun else next(step)
            self._begun = True
        except StopIteration:
            self._step = None
        except BaseException:
            self._step = None
            raise
        self._asked_at = self._clock()

    def stop(self) -> None:
        """Give the work up; what it started is ended by its own clean-up."""
        if self._step is not None:
            self._step.close()
            self._step = None
