"""The event log: one JSON line for each thing that happened to the clerk."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from pathlib import Path


class Log:
    """Appends events to a file, each in one write, so that many clerks can share it."""

    def __init__(self, path: Path | None, agent: str) -> None:
        self._path = path
        self._agent = agent

    def __call__(self, event: str, **facts: object) -> None:
        """Append an event; its facts must be values that JSON knows."""
        if self._path is None:
            return
        who = {"agent": self._agent, "pid": os.getpid(), "time": time.time()}
        line = json.dumps({"ev": event, **facts, **who}) + "\n"
        # A full disk must not end the agent.
        with suppress(OSError):
            _append(self._path, line.encode())

    def check(self) -> None:
        """Make the file.

        Raises:
            OSError: it cannot be written.
        """
        if self._path is not None:
            _append(self._path, b"")


def _append(path: Path, data: bytes) -> None:
    # A person's prompts are in it: not for others to read.
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o600)
    try:
        os.write(descriptor, data)
    finally:
        os.close(descriptor)


def log_path(given: str, agent: str) -> Path | None:
    """Return the file that an option or $CLERK_LOG means, None for an empty text.

    A folder means a file in it for each agent; `{name}` stands for the agent's name.
    """
    if not given:
        return None
    path = Path(given.replace("{name}", agent)).absolute()
    return path / f"{agent}.jsonl" if path.is_dir() else path
