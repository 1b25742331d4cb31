"""`mdtmux broadcast`: send to many agents, one receipt each."""

from __future__ import annotations

import click

from mdtmux.cli.amounts import duration
from mdtmux.cli.texts import TextCommand


@click.command("broadcast", cls=TextCommand)
@click.argument("text", nargs=-1)
@click.option("--role", metavar="R", help="Only to agents of that role.")
@click.option(
    "--text-file", type=click.Path(), metavar="F", help="Send what is in a file."
)
@click.option(
    "--wait", type=click.Choice(["idle"]), help="Wait until each can take it."
)
@click.option(
    "--queue", "keep", is_flag=True, help="Keep it for those that cannot take it now."
)
@click.option(
    "--timeout",
    callback=duration,
    metavar="S",
    help="The longest to wait (60s; with --wait 10m).",
)
@click.option("--json", "as_json", is_flag=True, help="Print the receipts as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    text: tuple[str, ...],
    role: str | None,
    text_file: str | None,
    wait: str | None,
    keep: bool,
    timeout: float | None,
    as_json: bool,
) -> None:
    """Type TEXT into every agent that is up, at the same time; see `mdtmux send`.

    Side processes, agents that were stopped, and the agent in whose pane it is called
    get nothing. Exits with 4 when one of them did not take it.
    """
    from mdtmux.cli import output
    from mdtmux.cli.audience import audience, hand_in_all
    from mdtmux.cli.context import current_office
    from mdtmux.cli.delivering import report, text_of, wanted
    from mdtmux.errors import Refused, UsageError

    ref = current_office(ctx)
    want = wanted(wait=wait, keep=keep, timeout=timeout)
    given = text_of(text, text_file)
    if given is None:
        message = "there is no text to send"
        raise UsageError(message, hint="`mdtmux broadcast -` reads standard input")
    names = audience(ref, role)
    if not names:
        message = f"no agent of role `{role}` is up" if role else "no other agent is up"
        raise Refused(message, hint="`mdtmux ps` shows who is")
    found = hand_in_all(ref, names, given, want)
    if as_json:
        output.emit_json([one.as_json() for one in found])
    report(found, want, as_json=as_json)
