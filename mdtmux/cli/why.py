"""`mdtmux why`: how the state of an agent is known, and what holds it."""

from __future__ import annotations

import click

from mdtmux.cli.completing import complete_agent


@click.command("why")
@click.argument("agent", shell_complete=complete_agent)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.pass_context
def command(ctx: click.Context, agent: str, as_json: bool) -> None:
    """Tell state and activity with source, age and evidence, and what holds text back."""
    from mdtmux.cli import output
    from mdtmux.cli.context import check_agent, current_office
    from mdtmux.cli.reasons import reasons

    ref = current_office(ctx)
    check_agent(ref, agent)
    facts = reasons(ref, agent)
    if as_json:
        output.emit_json(dict(facts))
        return
    for name, value in facts:
        first, *more = value.split("\n")
        output.echo(f"{name + ':':<10} {first}")
        for row in more:
            output.echo(f"{'':<10} {row}")
