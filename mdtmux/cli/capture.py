"""`mdtmux capture`: the screen of an agent as text."""

from __future__ import annotations

import click

from mdtmux.cli.amounts import LINES
from mdtmux.cli.completing import complete_agent


@click.command("capture")
@click.argument("agent", shell_complete=complete_agent)
@click.option(
    "-n",
    "--lines",
    type=LINES,
    default=0,
    metavar="N",
    help="Also N lines that scrolled off above the screen.",
)
@click.option("--ansi", is_flag=True, help="With colours, as escape sequences.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.pass_context
def command(
    ctx: click.Context, agent: str, lines: int, ansi: bool, as_json: bool
) -> None:
    """Print what stands on an agent's screen.

    Of an agent that does not run, the last screen is taken from its recording.
    """
    from mdtmux.cli import output
    from mdtmux.cli.recorded import recorded
    from mdtmux.cli.screens import screen_of

    shown = screen_of(recorded(ctx, agent), lines)
    if as_json:
        output.emit_json(shown.to_json(ansi=ansi))
        return
    if shown.note:
        output.note(shown.note)
    rows = shown.styled if ansi else shown.lines
    if rows:
        output.echo("\n".join(rows))
