"""Why agents could not be started: kept until they are, so that `why` can tell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from mdtmux.system.files import read_json, write_json


def read_failures(state: Path) -> dict[str, str]:
    """Return, by agent, why it could not be started."""
    value = read_json(state / "failures.json")
    if not isinstance(value, dict):
        return {}
    return {str(name): str(why) for name, why in value.items()}


def note_failures(state: Path, tried: Iterable[str], failed: Mapping[str, str]) -> None:
    """Remember the failures of those that were tried; forget what is over."""
    old = read_failures(state)
    new = {name: why for name, why in old.items() if name not in set(tried)} | dict(
        failed
    )
    if new != old:
        write_json(state / "failures.json", new)
