"""What the user wants of each agent, written before anything acts on it."""

from __future__ import annotations

import time
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path

from mdtmux.system.files import read_json, write_json


class Wish(StrEnum):
    """The desired state of an agent."""

    UP = "up"
    STOPPED = "stopped"


def read_wishes(state: Path) -> dict[str, Wish]:
    """Return the wish for each agent that has one."""
    value = read_json(state / "wish.json")
    if not isinstance(value, dict):
        return {}
    known = {wish.value for wish in Wish}
    return {
        name: Wish(entry["wish"])
        for name, entry in value.items()
        if isinstance(entry, dict) and entry.get("wish") in known
    }


def write_wish(state: Path, agents: Iterable[str], wish: Wish) -> None:
    """Set the wish for the agents; call it with the office lock held."""
    value = read_json(state / "wish.json")
    entries = dict(value) if isinstance(value, dict) else {}
    entries |= {name: {"wish": wish.value, "time": time.time()} for name in agents}
    write_json(state / "wish.json", entries)


def drop_wish(state: Path, agent: str) -> None:
    """Forget an agent's wish."""
    value = read_json(state / "wish.json")
    if isinstance(value, dict) and agent in value:
        write_json(state / "wish.json", {k: v for k, v in value.items() if k != agent})
