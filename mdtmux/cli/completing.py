"""What Tab offers for a parameter; for `shell_complete=` in the verbs.

Whatever goes wrong, Tab finds nothing and says nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import click
from click.shell_completion import CompletionItem

Source = Callable[[click.Context], dict[str, str]]
Callback = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


# Each imports only when it is called: `--help` and most Tabs need none of it.
def _offices(ctx: click.Context) -> dict[str, str]:
    from mdtmux.cli import values

    return values.offices(ctx)


def _agents(ctx: click.Context) -> dict[str, str]:
    from mdtmux.cli import values

    return values.agents(ctx)


def _takers(ctx: click.Context) -> dict[str, str]:
    from mdtmux.cli import values

    return values.takers(ctx)


def _templates(ctx: click.Context) -> dict[str, str]:
    from mdtmux.cli import values

    return values.templates(ctx)


def _kinds(ctx: click.Context) -> dict[str, str]:
    from mdtmux.cli import values

    return values.kinds(ctx)


def _stand_ins(ctx: click.Context) -> dict[str, str]:
    """Return what every agent may run as instead of its own kind."""
    return {"clerk": "needs no network and no key"}


def _callback(source: Source) -> Callback:
    """Make click's callback of a function that lists values with their help."""

    def complete(
        ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        given = ctx.params.get(param.name or "")
        used = given if isinstance(given, tuple) else ()
        try:
            found = source(ctx)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return []
        return [
            CompletionItem(value, help=text or None)
            for value, text in found.items()
            if value.startswith(incomplete) and value not in used
        ]

    return complete


complete_office = _callback(_offices)
complete_agent = _callback(_agents)
complete_taker = _callback(_takers)
complete_template = _callback(_templates)
complete_kind = _callback(_kinds)
complete_stand_in = _callback(_stand_ins)


def complete_file_or_agent(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete `[FILE] [AGENT…]`: agents, else the names of files."""
    found = complete_agent(ctx, param, incomplete)
    return found or [CompletionItem(incomplete, type="file")]
