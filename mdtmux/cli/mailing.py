"""What the verbs of `mdtmux mail` do and print."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

import click

from mdtmux.cli import output
from mdtmux.cli.context import current_office, known_agents
from mdtmux.cli.delivering import text_of
from mdtmux.errors import Refused, UsageError
from mdtmux.mail.box import Entry
from mdtmux.mail.message import HUMAN, Message, State, is_id
from mdtmux.mail.post import Draft, Post
from mdtmux.office.members import PROCESS
from mdtmux.running.caller import Caller, caller
from mdtmux.running.events import log_event
from mdtmux.running.offices import OfficeRef
from mdtmux.running.records import load_all
from mdtmux.running.ringing import ensure
from mdtmux.units import format_duration

ALL = "all"
# Control characters but for line breaks and tabs, what turns the direction of writing,
# and bytes that are no UTF-8: none may reach a terminal.
_CONTROLS = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_HEADER = ("ID", "STATE", "FROM", "AGE", "SUBJECT")


@dataclass(frozen=True, slots=True)
class Letter:
    """What the command line says of a message to be sent."""

    to: str
    words: Sequence[str]
    file: str | None
    subject: str
    reply_to: str


@dataclass(frozen=True, slots=True)
class _Here:
    """The office, its mail, and who calls."""

    ref: OfficeRef
    post: Post
    me: Caller


def _here(ctx: click.Context) -> _Here:
    ref = current_office(ctx)
    return _Here(ref, Post(ref.state, members(ref)), caller(ref))


def members(ref: OfficeRef) -> list[str]:
    """Return the agents of an office, without its side processes."""
    records = load_all(ref.state)
    kinds = {name: kind for name, (_, kind) in ref.members.items()}
    kinds |= {name: one.agent.kind for name, one in records.items()}
    return [name for name in known_agents(ref) if kinds.get(name) != PROCESS]


def post_letter(
    ctx: click.Context, letter: Letter, within: float | None, *, as_json: bool
) -> None:
    """Send the message and say where it lies.

    Raises:
        UsageError: there is no text, or nobody of that name.
        Refused: it is empty, too large, or one too many; of several receivers the
            others have it. Or there is nobody else to have it.
    """
    here = _here(ctx)
    given = text_of(letter.words, letter.file)
    if given is None and not letter.subject:
        message = "there is no text to send"
        raise UsageError(message, hint=f"`mdtmux mail send {letter.to} -` reads it")
    draft = Draft(
        os.fsdecode(given or b""), letter.subject, letter.reply_to, within, here.me.run
    )
    names = [letter.to]
    if letter.to == ALL:
        names = [name for name in members(here.ref) if name != here.me.name]
    if not names:
        message = "there is nobody else in this office: nothing was sent"
        raise Refused(message)
    sent: list[Message] = []
    refused: list[Refused] = []
    for name in names:
        try:
            sent.append(_send(here, name, draft))
        except Refused as error:
            refused.append(error)
    if sent:
        ensure(here.ref)
    if as_json and sent:
        output.emit_json([_object(one, State.SENT) for one in sent])
    for one in () if as_json else sent:
        output.echo(f"{one.id}: sent to {one.to}")
    if refused:
        raise refused[0]


def _send(here: _Here, name: str, draft: Draft) -> Message:
    try:
        sent = here.post.send(here.me.name, name, draft)
    except Refused as error:
        log_event(
            here.ref.state,
            "mail-refused",
            sender=here.me.name,
            to=name,
            reason=error.message,
        )
        raise
    log_event(here.ref.state, "mail", id=sent.id, sender=sent.sender, to=sent.to)
    return sent


def _owner(here: _Here, agent: str | None) -> str:
    return here.me.name if agent is None else here.post.resolve(agent)


def show_list(
    ctx: click.Context, agent: str | None, *, everything: bool, as_json: bool
) -> None:
    """Print what waits in a mailbox, with what is done when asked for."""
    here = _here(ctx)
    box = here.post.box(_owner(here, agent))
    entries = box.waiting()
    if everything:
        entries = sorted([*entries, *box.archived()], key=lambda one: one.number)
    _print(_loaded(entries), as_json=as_json)


def show_dead(ctx: click.Context, agent: str | None, *, as_json: bool) -> None:
    """Print the dead letters of a mailbox, or of all."""
    here = _here(ctx)
    names = here.post.owners() if agent is None else [_owner(here, agent)]
    entries = [entry for name in names for entry in here.post.box(name).dead()]
    _print(_loaded(entries), as_json=as_json)


def show_sent(ctx: click.Context, agent: str | None, *, as_json: bool) -> None:
    """Print what somebody has sent, newest first, and how far each has come."""
    here = _here(ctx)
    sent = list(here.post.sent_by(_owner(here, agent)))
    if as_json:
        output.emit_json([asdict(one) for one in sent])
        return
    rows = [(one.id, one.state.value, one.to) for one in sent]
    output.echo(output.table(("ID", "STATE", "TO"), rows) if rows else "no mail sent")


def show_messages(ctx: click.Context, ids: Sequence[str], *, as_json: bool) -> None:
    """Print one's own messages and note that they are read.

    Raises:
        Refused: an id is none of one's own; nothing was printed.
    """
    here = _here(ctx)
    box = here.post.box(here.me.name)
    if ids:
        entries = [_own(here, number) for number in ids]
    else:
        fresh = (State.SENT, State.ANNOUNCED)
        entries = [one for one in box.waiting() if one.state in fresh]
    found = _loaded(entries)
    if as_json:
        output.emit_json([_object(one, entry.state) for entry, one in found])
    elif not found:
        output.echo("no new mail")
    for entry, message in found:
        if not as_json:
            output.echo(_letter(message))
        # After it was printed: that is what the state says.
        if entry.state in (State.SENT, State.ANNOUNCED) and not box.read(entry):
            _read_again(here, entry.id)


def _read_again(here: _Here, number: str) -> None:
    """Note it once more: the doorbell has moved it in between."""
    box = here.post.box(here.me.name)
    entry = box.find(number)
    if entry is not None and entry.state is State.ANNOUNCED:
        box.read(entry)


def _own(here: _Here, number: str) -> Entry:
    found = here.post.box(here.me.name).find(number) if is_id(number) else None
    if found is None:
        message = f"`{here.me.name}` has no message `{number}`"
        raise Refused(message, hint="`mdtmux mail ls` shows the ids")
    return found


def acknowledge(ctx: click.Context, ids: Sequence[str]) -> None:
    """Acknowledge one's own messages; say which were none.

    Raises:
        Refused: one was not there to be acknowledged; the others are.
    """
    here = _here(ctx)
    missing = [one for one in ids if not here.post.ack(here.me.name, one)]
    for number in ids:
        if number not in missing:
            output.echo(f"{number}: acknowledged")
    if missing:
        names = ", ".join(f"`{one}`" for one in missing)
        message = f"`{here.me.name}` has nothing to acknowledge under {names}"
        raise Refused(message, hint="`mdtmux mail ls` shows what waits")


def show_thread(ctx: click.Context, number: str, *, as_json: bool) -> None:
    """Print a conversation, from whatever mailboxes it lies in.

    Raises:
        UsageError: no message has that id.
    """
    here = _here(ctx)
    found = _loaded(
        entry
        for name in here.post.owners()
        for entry in (
            *here.post.box(name).waiting(),
            *here.post.box(name).archived(),
            *here.post.box(name).dead(),
        )
    )
    meant = next((one.thread for _, one in found if one.id == number), None)
    if meant is None:
        message = f"there is no message `{number}`"
        raise UsageError(message, hint="`mdtmux mail ls --all` shows the ids")
    chain = sorted(
        (pair for pair in found if pair[1].thread == meant),
        key=lambda pair: pair[1].time,
    )
    if as_json:
        output.emit_json([_object(one, entry.state) for entry, one in chain])
        return
    for _, one in chain:
        output.echo(_letter(one))


def _loaded(entries: Iterable[Entry]) -> list[tuple[Entry, Message]]:
    pairs = ((entry, entry.load()) for entry in entries)
    return [(entry, message) for entry, message in pairs if message is not None]


def _object(message: Message, state: State) -> dict[str, object]:
    return {**asdict(message), "state": state.value}


def _print(found: Sequence[tuple[Entry, Message]], *, as_json: bool) -> None:
    if as_json:
        output.emit_json([_object(message, entry.state) for entry, message in found])
        return
    if not found:
        output.echo("no mail")
        return
    now = time.time()
    rows = [
        (
            message.id,
            entry.state.value,
            message.sender,
            format_duration(max(0.0, now - message.time)),
            message.subject + ("  [answer wanted]" if message.needs_reply else ""),
        )
        for entry, message in found
    ]
    output.echo(output.table(_HEADER, rows))


def _letter(message: Message) -> str:
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(message.time))
    rows = [
        f"id:      {message.id}",
        f"from:    {message.sender}",
        f"to:      {message.to}",
        f"date:    {when}",
        f"subject: {message.subject}",
    ]
    if message.reply_to:
        rows.append(f"answers: {message.reply_to}")
    if message.needs_reply and message.to != HUMAN:
        rows.append(
            f"answer:  wanted: mdtmux mail send {message.sender} --reply-to"
            f" {message.id} TEXT"
        )
    head = [output.clean(row) for row in rows]
    return "\n".join([*head, "", _harmless(message.body.rstrip("\n")), ""])


def _harmless(text: str) -> str:
    """Return a text as a terminal may show it: --json has every character."""
    return _CONTROLS.sub("\ufffd", text.replace("\r\n", "\n"))
