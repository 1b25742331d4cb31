"""`mdtmux send`: type text into an agent and prove that it was taken."""

from __future__ import annotations

import click

from mdtmux.cli.amounts import duration
from mdtmux.cli.completing import complete_taker
from mdtmux.cli.texts import TextCommand


@click.command("send", cls=TextCommand)
@click.argument("agent", shell_complete=complete_taker)
@click.argument("text", nargs=-1)
@click.option(
    "--text-file", type=click.Path(), metavar="F", help="Send what is in a file."
)
@click.option(
    "--key", "keys", multiple=True, metavar="KEY", help="Press a key: C-c, Enter, Up."
)
@click.option(
    "--command", "is_command", is_flag=True, help="A first / or ! is a command."
)
@click.option(
    "--wait",
    type=click.Choice(["idle"]),
    help="Wait until the agent can take it; `idle` may be left out.",
)
@click.option(
    "--queue", "keep", is_flag=True, help="Keep it until the agent can take it."
)
@click.option(
    "--drop", metavar="ID", help="Take a text out of the queue; `why` lists them."
)
@click.option(
    "--force", is_flag=True, help="Type although it is busy or its state unknown."
)
@click.option(
    "--timeout",
    callback=duration,
    metavar="S",
    help="The longest to wait (60s; with --wait 10m).",
)
@click.option("--json", "as_json", is_flag=True, help="Print the receipt as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    agent: str,
    text: tuple[str, ...],
    text_file: str | None,
    keys: tuple[str, ...],
    is_command: bool,
    wait: str | None,
    keep: bool,
    drop: str | None,
    force: bool,
    timeout: float | None,
    as_json: bool,
) -> None:
    """Type TEXT into the agent, submit it, and look that it left the input line.

    Several words are joined by one blank; `-` reads standard input; what follows `--`
    is text whatever it looks like. Exits with 0 when the text was submitted (or, with
    --queue, kept), 4 when it was refused or not proven, 5 when --wait took too long.
    A shell, an open question and somebody's draft are never typed into, nor is a pager
    or editor that the office file does not start itself.
    """
    from mdtmux.cli import delivering, output
    from mdtmux.cli.context import check_agent, current_office
    from mdtmux.cli.dropping import drop_text
    from mdtmux.errors import UsageError

    ref = current_office(ctx)
    check_agent(ref, agent)
    if drop is not None:
        drop_text(ref, agent, drop, ctx.params)
        return
    want = delivering.wanted(
        wait=wait, keep=keep, force=force, command=is_command, timeout=timeout
    )
    given = delivering.text_of(text, text_file)
    if (given is None) is not bool(keys):
        message = "give either a text or keys with --key"
        raise UsageError(message, hint=f"`mdtmux send {agent} -` reads standard input")
    if given is None:
        found = delivering.press_keys(ref, agent, keys, want)
    else:
        delivering.refuse_self(ref, agent, want)
        found = delivering.hand_in(ref, agent, given, want)
    if as_json:
        output.emit_json(found.as_json())
    delivering.report([found], want, as_json=as_json)
