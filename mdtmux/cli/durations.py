"""Durations as options of the command line: parsed before a command does anything."""

from __future__ import annotations

import click

from mdtmux.errors import UsageError
from mdtmux.units import parse_duration


def duration(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> float | None:
    """Return an option's value in seconds, as its callback; None when not given.

    Raises:
        UsageError: it is no duration; names the option.
    """
    if value is None:
        return None
    try:
        return parse_duration(value)
    except ValueError as error:
        message = f"{param.opts[0]}: {error}"
        raise UsageError(message) from error
