"""`mdtmux path AGENT`: where an agent works."""

from __future__ import annotations

import click

from mdtmux.cli.completing import complete_agent


@click.command("path")
@click.argument("agent", shell_complete=complete_agent)
@click.pass_context
def command(ctx: click.Context, agent: str) -> None:
    """Print the folder in which AGENT works, for `cd "$(mdtmux path AGENT)"`.

    Exits with 4 when the agent has never been started.
    """
    from mdtmux.cli import output
    from mdtmux.cli.context import current_office, record_of
    from mdtmux.errors import Refused

    record = record_of(current_office(ctx), agent)
    if record is None:
        message = f"agent `{agent}` has never been started"
        raise Refused(message, hint=f"`mdtmux start {agent}` starts it")
    output.echo(str(record.directory))
