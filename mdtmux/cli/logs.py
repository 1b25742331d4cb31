"""`mdtmux logs`: the recorded output of an agent as text."""

from __future__ import annotations

import click

from mdtmux.cli.amounts import LINES
from mdtmux.cli.completing import complete_agent
from mdtmux.errors import UsageError

_LINES = 100


@click.command("logs")
@click.argument("agent", shell_complete=complete_agent)
@click.option("-f", "--follow", is_flag=True, help="Go on with what comes, until ^C.")
@click.option(
    "-n",
    "--lines",
    type=LINES,
    metavar="N",
    help=f"How many lines, the newest (default {_LINES}).",
)
@click.option("--raw", is_flag=True, help="The recorded bytes, control codes and all.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    agent: str,
    follow: bool,
    lines: int | None,
    raw: bool,
    as_json: bool,
) -> None:
    """Print what an agent wrote: also while it runs, after it died, after `down`.

    It is rendered to text as a terminal would show it: what scrolled off, then the
    last screen. Of output longer than the office's `buffer` the newest part is kept.
    """
    if raw and (lines is not None or as_json):
        message = "`--raw` prints bytes: it goes with neither `-n` nor `--json`"
        raise UsageError(message)
    if follow and as_json:
        message = "`--json` prints one value: it does not go with `-f`"
        raise UsageError(message)
    from mdtmux.cli import following
    from mdtmux.cli.recorded import recorded

    found = recorded(ctx, agent)
    count = _LINES if lines is None else lines
    if raw:
        following.print_raw(found, follow=follow)
    elif as_json:
        following.print_json(found, count)
    else:
        following.print_lines(found, count, follow=follow)
