"""`mdtmux ps`: one row per agent."""

from __future__ import annotations

import click

from mdtmux.errors import UsageError


@click.command("ps")
@click.option("-w", "--watch", is_flag=True, help="Show it anew every second until ^C.")
@click.option("--all", "every", is_flag=True, help="Every office, not only this one.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
@click.pass_context
def command(ctx: click.Context, watch: bool, every: bool, as_json: bool) -> None:
    """Show one row per agent: state of its process, activity read from its screen.

    `unknown` means that nothing proves another activity; `mdtmux why AGENT` tells
    what is known and from where.
    """
    from mdtmux.cli import output
    from mdtmux.cli.context import current_office, is_near
    from mdtmux.cli.rows import as_objects, render, watch_rows
    from mdtmux.running.offices import every_office

    if watch and as_json:
        message = "`--json` prints one value: it does not go with `-w`"
        raise UsageError(message)
    refs = list(every_office()) if every else [current_office(ctx)]
    headed = len(refs) > 1 or not (every or is_near(ctx, refs[0]))
    if watch:
        watch_rows(refs, headed=headed)
        return
    if as_json:
        objects = [as_objects(ref) for ref in refs]
        output.emit_json(objects if every else objects[0])
        return
    for text in render(refs, headed=headed):
        output.echo(text)
