"""`send --drop`: take a text out of an agent's queue."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

from mdtmux.cli import output
from mdtmux.delivery import queue
from mdtmux.errors import Busy, Refused, UsageError
from mdtmux.running import prompts, records
from mdtmux.running.holding import held
from mdtmux.running.offices import OfficeRef

_SENDING = ("text", "text_file", "keys", "wait", "keep")


def drop_text(
    ref: OfficeRef, agent: str, identifier: str, params: Mapping[str, object]
) -> None:
    """Take one text out of the queue and print its receipt; `params` of the command.

    Raises:
        UsageError: something is to be sent as well.
        Refused: no such text waits, or it is just being typed.
    """
    if any(params[name] for name in _SENDING):
        message = "--drop takes a text out of the queue and sends none"
        raise UsageError(message)
    why = "asked for by --drop"
    gone = queue.drop(ref.state, agent, lambda item: item.id == identifier, why)
    if not gone:
        message = f"no text `{identifier}` waits for `{agent}`"
        if any(item.id == identifier for item in queue.pending(ref.state, agent)):
            message = f"text `{identifier}` is just being typed into `{agent}`"
        raise Refused(message, hint=f"`mdtmux why {agent}` lists what waits")
    _settle_prompt(ref, agent, identifier)
    if params["as_json"]:
        output.emit_json(gone[0].as_json())
    else:
        what = f"text {identifier} ({gone[0].bytes} bytes)"
        output.echo(f"{agent}: {what} is taken out of the queue")


def _settle_prompt(ref: OfficeRef, agent: str, identifier: str) -> None:
    # An `up` that is at work settles it as well.
    with contextlib.suppress(Busy), held(ref):
        record = records.load(ref.state, agent)
        if record is not None and record.kept == identifier:
            prompts.settle_prompt(ref, record)
