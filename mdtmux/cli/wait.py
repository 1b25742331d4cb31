"""`mdtmux wait`: until agents are idle, waiting or ended, or have mail."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

import click

from mdtmux.cli.amounts import duration
from mdtmux.cli.completing import complete_agent

GOALS = ("idle", "waiting", "exited", "mail")


@click.command("wait")
@click.argument("agents", nargs=-1, required=True, shell_complete=complete_agent)
@click.option(
    "--for", "goal", type=click.Choice(GOALS), default="idle", show_default=True
)
@click.option("--any", "any_one", is_flag=True, help="One of them is enough.")
@click.option(
    "--timeout",
    callback=duration,
    metavar="S",
    help="Give up after that long (90s, 10m); then exit 5.",
)
@click.option("--json", "as_json", is_flag=True, help="Print what was met as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    agents: tuple[str, ...],
    goal: str,
    any_one: bool,
    timeout: float | None,
    as_json: bool,
) -> None:
    """Wait until the agents are idle, wait for an answer, have ended, or have mail.

    `human` has mail too; an agent may wait for its own. Exits with 0 when it is met, 5
    when the time is over, 4 when an agent ended that was to be idle or waiting.
    """
    from mdtmux.cli import output
    from mdtmux.cli.context import check_agent, current_office
    from mdtmux.cli.myself import me
    from mdtmux.errors import Refused
    from mdtmux.mail.message import HUMAN
    from mdtmux.running.waiting import wait_for, wait_for_mail

    ref = current_office(ctx)
    mail = goal == "mail"
    for name in agents:
        if not (mail and name == HUMAN):
            check_agent(ref, name)
    if not mail and me(ref) in agents and not (any_one and len(set(agents)) > 1):
        message = f"agent `{me(ref)}` cannot wait for itself: it would never end"
        raise Refused(message)
    if mail:
        met = wait_for_mail(ref, agents, any_one=any_one, timeout=timeout)
    else:
        met = wait_for(ref, agents, goal, any_one=any_one, timeout=timeout)
    if as_json:
        output.emit_json(met.found)
    else:
        for name, why in met.found.items():
            output.echo(f"{name}: {why}")
    _tell_missed(met.ended, met.late, timeout or 0.0, "mail ls" if mail else "why")
    sys.exit(0 if met.good else 4 if met.ended else 5)


def _tell_missed(
    ended: Sequence[str], late: Mapping[str, str], spent: float, look: str
) -> None:
    """Tell who has ended and who is late; `look` is the verb that shows why."""
    from mdtmux.cli import output
    from mdtmux.units import format_duration

    for name in ended:
        output.error(f"agent `{name}` has ended")
    after = format_duration(spent) if spent >= 1 else f"{spent:g}s"
    for name, instead in late.items():
        output.error(
            f"`{name}` was still {instead} after {after}", f"`mdtmux {look} {name}`"
        )
