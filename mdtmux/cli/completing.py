"""What Tab offers for a parameter; for `shell_complete=` in the verbs.

Whatever goes wrong, Tab finds nothing and says nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import click
from click.shell_completion import CompletionItem

Callback = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _callback(source: str) -> Callback:
    """Make click's callback of the function of that name in `values`."""

    def complete(
        ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        # Imported here: `--help` and most Tabs do not need it.
        from mdtmux.cli import values

        given = ctx.params.get(param.name or "")
        used = given if isinstance(given, tuple) else ()
        try:
            found: dict[str, str] = getattr(values, source)(ctx)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return []
        return [
            CompletionItem(value, help=text or None)
            for value, text in found.items()
            if value.startswith(incomplete) and value not in used
        ]

    return complete


complete_office = _callback("offices")
complete_agent = _callback("agents")
complete_template = _callback("templates")
complete_kind = _callback("kinds")


def complete_file_or_agent(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete `[FILE] [AGENT…]`: agents, else the names of files."""
    found = complete_agent(ctx, param, incomplete)
    return found or [CompletionItem(incomplete, type="file")]
