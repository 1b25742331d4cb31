"""The event log: one JSON line for each thing that happened to the clerk."""

from __future__ import annotations

import json
import os
import time
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
        # A person's prompts are in it: not for others to read.
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        descriptor = os.open(self._path, flags, 0o600)
        try:
            os.write(descriptor, line.encode())
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
