"""`mdtmux mail`: send, list, read and acknowledge messages."""

from __future__ import annotations

import click

from mdtmux.cli import output
from mdtmux.cli.amounts import duration
from mdtmux.cli.completing import complete_taker
from mdtmux.cli.texts import TextCommand

_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_MEMBER = click.argument("agent", required=False, shell_complete=complete_taker)


@click.group("mail", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Send, list, read and acknowledge messages between agents and people.

    Who calls from an agent's pane is that agent, whatever it says; everybody else is
    `human`. A message is `sent`, `announced` (the receiver was told of it), `read`,
    then `acked`, or `dead`; `mail ls --sent` shows its sender how far it has come.
    """
    if ctx.invoked_subcommand is None:
        output.echo(ctx.get_help())


@command.command("send", cls=TextCommand)
@click.argument("to", shell_complete=complete_taker)
@click.argument("text", nargs=-1)
@click.option("-s", "--subject", default="", help="Its first line unless given.")
@click.option("--reply-to", default="", metavar="ID", help="Answer that message.")
@click.option("--needs-reply", is_flag=True, help="Ask for an answer, within an hour.")
@click.option(
    "--within",
    callback=duration,
    metavar="TIME",
    help="Ask for an answer within that time.",
)
@click.option(
    "--text-file", type=click.Path(), metavar="F", help="Send what is in a file."
)
@_JSON
@click.pass_context
def send(
    ctx: click.Context,
    to: str,
    text: tuple[str, ...],
    subject: str,
    reply_to: str,
    needs_reply: bool,
    within: float | None,
    text_file: str | None,
    as_json: bool,
) -> None:
    """Send TEXT to an agent, or to `human`; `-` reads standard input.

    It lies in the receiver's mailbox when the command returns, also when the receiver
    does not run. TO `all` is everybody else. An answer acknowledges what it answers.
    Exits with 2 when there is nobody of that name, 4 when it is refused.
    """
    from mdtmux.cli.mailing import Letter, post_letter

    letter = Letter(to, text, text_file, subject, reply_to)
    if within is None and needs_reply:
        within = 3600.0
    post_letter(ctx, letter, within, as_json=as_json)


@command.command("ls")
@_MEMBER
@click.option("--sent", is_flag=True, help="What was sent, and how far it has come.")
@click.option("--all", "everything", is_flag=True, help="What is acknowledged, too.")
@_JSON
@click.pass_context
def ls(
    ctx: click.Context, agent: str | None, sent: bool, everything: bool, as_json: bool
) -> None:
    """List the messages that are not acknowledged: yours, or those of AGENT."""
    from mdtmux.cli.mailing import show_list, show_sent
    from mdtmux.errors import UsageError

    if sent and everything:
        message = "--sent lists every message, whatever has become of it"
        raise UsageError(message, hint="leave --all out")
    if sent:
        show_sent(ctx, agent, as_json=as_json)
    else:
        show_list(ctx, agent, everything=everything, as_json=as_json)


@command.command("read")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@_JSON
@click.pass_context
def read(ctx: click.Context, ids: tuple[str, ...], as_json: bool) -> None:
    """Print your messages: those not read yet, or the ones named. They are then `read`."""
    from mdtmux.cli.mailing import show_messages

    show_messages(ctx, ids, as_json=as_json)


@command.command("ack")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.pass_context
def ack(ctx: click.Context, ids: tuple[str, ...]) -> None:
    """Acknowledge your messages: they are done, and go to the archive.

    Exits with 4 when one of them is not yours, or was acknowledged before.
    """
    from mdtmux.cli.mailing import acknowledge

    acknowledge(ctx, ids)


@command.command("thread")
@click.argument("number", metavar="ID")
@_JSON
@click.pass_context
def thread(ctx: click.Context, number: str, as_json: bool) -> None:
    """Print the conversation that a message belongs to, oldest first."""
    from mdtmux.cli.mailing import show_thread

    show_thread(ctx, number, as_json=as_json)


@command.command("dead")
@_MEMBER
@_JSON
@click.pass_context
def dead(ctx: click.Context, agent: str | None, as_json: bool) -> None:
    """List messages that will never be read, with their senders."""
    from mdtmux.cli.mailing import show_dead

    show_dead(ctx, agent, as_json=as_json)
