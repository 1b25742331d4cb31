"""`mdtmux pump`: deliver what is queued for an agent; started by send and up."""

from __future__ import annotations

import click


@click.command("pump", hidden=True)
@click.argument("agent")
@click.pass_context
def command(ctx: click.Context, agent: str) -> None:
    """Type the agent's queue, each text as soon as it can be taken, and end."""
    from mdtmux.cli.context import check_agent, current_office
    from mdtmux.delivery.pump import pump
    from mdtmux.delivery.target import Target
    from mdtmux.errors import Refused
    from mdtmux.running.prompts import settle_prompt
    from mdtmux.running.records import load
    from mdtmux.running.targets import target_of
    from mdtmux.running.wish import Wish, read_wishes
    from mdtmux.system.tmux import Tmux

    ref = current_office(ctx)
    check_agent(ref, agent)
    tmux = Tmux(ref.socket)

    def look_up() -> Target | None:
        if read_wishes(ref.state).get(agent) is Wish.STOPPED:
            return None
        try:
            return target_of(ref, agent, tmux)
        except Refused:
            return None

    pump(ref.state, agent, tmux, look_up)
    record = load(ref.state, agent)
    if record is not None:
        settle_prompt(ref, record)
