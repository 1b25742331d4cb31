"""The event log of an office: one JSON line for each start, stop and removal."""

from __future__ import annotations

import json
import time
from pathlib import Path

from mdtmux.system.files import append_line


def log_event(state: Path, event: str, **facts: object) -> None:
    """Append one event; never a value of an environment and never a prompt."""
    entry = {"time": round(time.time(), 3), "event": event, **facts}
    append_line(state / "events.jsonl", json.dumps(entry, ensure_ascii=False))
