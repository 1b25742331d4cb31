"""`mdtmux stop`: stop agents, keep their panes and their work."""

from __future__ import annotations

import sys

import click

from mdtmux.cli.amounts import duration
from mdtmux.cli.completing import complete_agent


@click.command("stop")
@click.argument("agents", nargs=-1, required=True, shell_complete=complete_agent)
@click.option(
    "--timeout",
    callback=duration,
    metavar="S",
    help="Seconds for its own end (its stop keys).",
)
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
@click.pass_context
def command(
    ctx: click.Context, agents: tuple[str, ...], timeout: float | None, as_json: bool
) -> None:
    """Stop agents and everything they started; panes, worktrees and branches stay."""
    from mdtmux.cli import output
    from mdtmux.cli.aside import step_aside
    from mdtmux.cli.context import check_agent, current_office
    from mdtmux.cli.outcome import (
        ending,
        halt_json,
        idle_words,
        tell_survivors,
        tell_texts,
    )
    from mdtmux.running.life import stop

    ref = current_office(ctx)
    agents = tuple(dict.fromkeys(agents))
    for name in agents:
        check_agent(ref, name)
    step_aside(ctx, ref, agents)
    with output.patience(ending(agents)):
        halt = stop(ref, agents, timeout)
    if as_json:
        output.emit_json(halt_json(halt))
    else:
        if halt.stopped:
            output.echo(f"stopped {', '.join(halt.stopped)}")
        if halt.not_running:
            output.echo(idle_words(halt))
    tell_texts(halt.texts)
    tell_survivors(halt.survivors)
    if halt.survivors:
        sys.exit(1)
