"""Arguments that several verbs share: a file and agents beside it, -v."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from mdtmux.cli import output
from mdtmux.errors import UsageError
from mdtmux.names import is_name


def split_file(
    ctx: click.Context, names: Sequence[str]
) -> tuple[str | None, tuple[str, ...]]:
    """Tell the office file from the agents in `[FILE] [AGENT]...`.

    The first word is a file when it cannot be an agent's name or a file of that
    name is there.

    Raises:
        UsageError: see `only_file`.
    """
    if not names:
        return None, ()
    first = names[0]
    if is_name(first) and not Path(first).is_file():
        return None, tuple(names)
    return only_file(ctx, first), tuple(names[1:])


def only_file(ctx: click.Context, file: str | None) -> str | None:
    """Return the verb's own FILE.

    Raises:
        UsageError: -f or -o says which office is meant, too.
    """
    given = ctx.find_root().obj or {}
    for option, key in (("-f", "file"), ("-o", "office")):
        if file is not None and given.get(key) is not None:
            message = f"`{file}` and {option} both say which office is meant"
            raise UsageError(message, hint="give one of them")
    return file


def teller(ctx: click.Context) -> Callable[[str], None]:
    """Return what tells progress: on stderr with -v, else nowhere."""
    verbose = (ctx.find_root().obj or {}).get("verbose")
    return output.note if verbose else lambda _: None
