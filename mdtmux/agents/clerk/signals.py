"""Signals as bytes on a pipe, so that one `select` waits for everything."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from types import FrameType


class Signals:
    """Collects signals from `open` on; `fd` is readable when there are some."""

    def __init__(self, numbers: Iterable[int], ignored: Iterable[int] = ()) -> None:
        self.fd, self._writer = os.pipe()
        os.set_blocking(self.fd, False)
        os.set_blocking(self._writer, False)
        signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        for number in numbers:
            signal.signal(number, _noted)
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)

    def take(self) -> frozenset[int]:
        """Return the numbers that came since the last call."""
        try:
            return frozenset(os.read(self.fd, 4096))
        except BlockingIOError:
            return frozenset()


def _noted(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: that the signal came is written to the pipe before this runs."""
