"""Amounts as options of the command line: parsed before a command does anything."""

from __future__ import annotations

import click

from mdtmux.errors import UsageError
from mdtmux.units import format_duration, parse_duration

# The clocks of the system take no more than three centuries.
_LONGEST = 10_000 * 86400.0
# How many lines; more than any recording has, and a size for any container.
LINES = click.IntRange(0, 1_000_000_000)


def duration(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> float | None:
    """Return an option's value in seconds, as its callback; None when not given.

    Raises:
        UsageError: it is no duration or an endless one; names the option.
    """
    if value is None:
        return None
    try:
        seconds = parse_duration(value)
    except ValueError as error:
        message = f"{param.opts[0]}: {error}"
        raise UsageError(message) from error
    if seconds > _LONGEST:
        most = format_duration(_LONGEST)
        message = f"{param.opts[0]}: `{value}` is too long; {most} is the most"
        raise UsageError(message)
    return seconds
