"""Wait for what can be observed; the only place of the tests that sleeps."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def until(
    condition: Callable[[], T],
    *,
    seconds: float = 10,
    what: str | Callable[[], str] = "the condition",
) -> T:
    """Poll until the condition is true and return its value.

    Args:
        condition: is called again and again; an exception it raises ends the wait.
        seconds: how long to wait before the test fails.
        what: names what was waited for, for the failure's message; a function is
            called when the time is over.
    """
    deadline = time.monotonic() + seconds
    pause = 0.005
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            name = what if isinstance(what, str) else what()
            message = f"{name}: not within {seconds:g} s (last value: {value!r})"
            raise AssertionError(message)
        time.sleep(pause)
        pause = min(pause * 1.5, 0.1)
