"""`mdtmux path AGENT`: where an agent works."""

from __future__ import annotations

import click

from mdtmux.cli.completing import complete_agent


@click.command("path")
@click.argument("agent", shell_complete=complete_agent)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.pass_context
def command(ctx: click.Context, agent: str, as_json: bool) -> None:
    """Print the folder in which AGENT works, for `cd "$(mdtmux path AGENT)"`.

    Exits with 4 when the agent has never been started, or its folder is gone.
    """
    from mdtmux.cli import output
    from mdtmux.cli.context import current_office, record_of
    from mdtmux.errors import Refused
    from mdtmux.worktrees.record import Store

    ref = current_office(ctx)
    record, tree = record_of(ref, agent), Store(ref.state).read().get(agent)
    if record is not None:
        place = record.directory
    elif tree is not None:
        # Brought back by `undo`, and not started since.
        place = tree.path
    else:
        message = f"agent `{agent}` has never been started"
        raise Refused(message, hint=f"`mdtmux start {agent}` starts it")
    if not place.is_dir():
        message = f"the folder of `{agent}` is not there: `{place}`"
        hint = f"`mdtmux restart {agent}` makes it, `mdtmux undo` brings it back"
        raise Refused(message, hint=hint)
    if as_json:
        output.emit_json({"agent": agent, "path": str(place)})
    else:
        output.echo(str(place))
