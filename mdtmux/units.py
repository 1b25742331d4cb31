"""Sizes, durations and percentages as people write them; one grammar for all.

Sizes are `512`, `512KB`, `2MB`, `1.5GB` (decimal thousands; `KiB` and so on are
binary); durations are `5` or `5s`, `200ms`, `10m`, `2h`, `1d`; percentages are of
one core, `150%`.
"""

from __future__ import annotations

import math
import re

_SIZES = {
    "": 1, "B": 1, "K": 1000, "KB": 1000, "M": 1000**2, "MB": 1000**2,
    "G": 1000**3, "GB": 1000**3, "T": 1000**4, "TB": 1000**4,
    "KIB": 1024, "MIB": 1024**2, "GIB": 1024**3, "TIB": 1024**4,
}  # fmt: skip
_DURATIONS = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_AMOUNT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*")


def _amount(text: str, units: dict[str, int] | dict[str, float], example: str) -> float:
    match = _AMOUNT.fullmatch(text)
    unit = match.group(2) if match else ""
    # Sizes are written in capitals here, and in any case by people.
    unit = unit if unit in units else unit.upper()
    if match is None or unit not in units:
        message = f"`{text}` is not understood; write it like {example}"
        raise ValueError(message)
    value = float(match.group(1)) * units[unit]
    if not math.isfinite(value):
        message = f"`{text}` is too large"
        raise ValueError(message)
    return value


def parse_size(text: str) -> int:
    """Return a size in bytes; raise ValueError with a sentence for people."""
    return int(_amount(text, _SIZES, "512KB, 2MB or 1GiB"))


def parse_duration(text: str) -> float:
    """Return a duration in seconds; raise ValueError with a sentence for people."""
    return _amount(text, _DURATIONS, "90s, 10m or 2h")


def format_size(count: float) -> str:
    """Write a number of bytes in the largest decimal unit that keeps it above one."""
    for unit in ("B", "KB", "MB", "GB"):
        if abs(count) < 1000 or unit == "GB":
            return f"{count:.0f}{unit}" if unit == "B" else f"{count:.1f}{unit}"
        count /= 1000
    raise AssertionError


def format_duration(seconds: float) -> str:
    """Write a duration in at most two units: `3s`, `4m10s`, `2h5m`, `3d4h`."""
    total = int(max(0.0, seconds))
    days, rest = divmod(total, 86400)
    hours, rest = divmod(rest, 3600)
    minutes, secs = divmod(rest, 60)
    parts = [(days, "d"), (hours, "h"), (minutes, "m"), (secs, "s")]
    first = next((i for i, (n, _) in enumerate(parts) if n), 3)
    shown = parts[first : first + 2]
    return "".join(f"{n}{unit}" for n, unit in shown if n) or "0s"
