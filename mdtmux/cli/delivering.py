"""What `send` and `broadcast` share: the text of the command line, and the receipts."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from mdtmux.cli import output
from mdtmux.cli.myself import me
from mdtmux.delivery import gate, keys, pump, queue
from mdtmux.delivery import receipt as receipts
from mdtmux.delivery.receipt import Content, Held, Outcome, Passes, Receipt
from mdtmux.delivery.target import Options
from mdtmux.delivery.text import LIMIT
from mdtmux.errors import Refused, UsageError
from mdtmux.running import records
from mdtmux.running.offices import OfficeRef
from mdtmux.running.targets import target_of
from mdtmux.system.tmux import Tmux

# Seconds to get the input of an agent that others type into; longer to wait for idle.
_TIMEOUT = 60.0
_PATIENCE = 600.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """How the user wants it delivered; `queue`: keep it until the agent can take it."""

    options: Options
    queue: bool


def text_of(words: Sequence[str], file: str | None) -> bytes | None:
    """Return the text that the command line gives; None when it gives none.

    Words are joined by one blank; `-` alone is standard input.

    Raises:
        UsageError: there are two texts, or the file cannot be read.
    """
    if words and file is not None:
        message = "both a text and --text-file are given"
        raise UsageError(message)
    if file is not None:
        return _read_file(Path(file))
    if list(words) == ["-"]:
        return _read_stdin()
    return " ".join(words).encode("utf-8", "surrogateescape") if words else None


def _read_stdin() -> bytes:
    # Python has none at all when it was closed by `<&-`.
    if sys.stdin is None:
        message = "standard input is closed"
        raise UsageError(message, hint="give the text itself or --text-file")
    try:
        # One byte more than is allowed tells that it is too large.
        return sys.stdin.buffer.read(LIMIT + 1)
    except OSError as error:
        message = f"cannot read standard input: {error.strerror}"
        raise UsageError(message) from error


def _read_file(file: Path) -> bytes:
    try:
        # A pipe without a writer would block already when it is opened.
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                message = f"`{file}` is not a regular file"
                raise UsageError(message, hint="`-` reads standard input to its end")
            return stream.read(LIMIT + 1)
    except OSError as error:
        message = f"cannot read `{file}`: {error.strerror}"
        raise UsageError(message) from error


def wanted(
    *,
    wait: str | None,
    keep: bool,
    force: bool = False,
    command: bool = False,
    timeout: float | None,
) -> Wanted:
    """Return what the options mean together.

    Raises:
        UsageError: the time is none, or --queue and --wait are both given.
    """
    if wait and keep:
        message = "--wait and --queue exclude each other"
        raise UsageError(message)
    usual = _PATIENCE if wait else _TIMEOUT
    limit = usual if timeout is None else timeout
    return Wanted(Options(wait is not None, force, command, limit), keep)


def hand_in(ref: OfficeRef, agent: str, text: bytes, want: Wanted) -> Receipt:
    """Deliver or queue one text and return its receipt.

    Raises:
        MdtmuxError: the state folder cannot be written.
    """
    tmux = Tmux(ref.socket)
    try:
        target = target_of(ref, agent, tmux)
    except Refused as error:
        return _without_target(ref, agent, text, want, error)
    result = gate.deliver(tmux, target, text, want.options)
    held = result.outcome is Outcome.REFUSED and result.passes is not Passes.NEVER
    if want.queue and held:
        result = _put(ref, agent, text, want.options)
    # Whatever became of this text: the pump of an earlier one may have died.
    pump.ensure(ref.state, ref.id, agent)
    return result


def refuse_self(ref: OfficeRef, agent: str, want: Wanted) -> None:
    """Refuse a text of an agent to itself that would be typed at once.

    Raises:
        Refused: it works on this very command.
    """
    if agent == me(ref) and not (want.queue or want.options.force):
        message = f"agent `{agent}` cannot send to itself while it works on this"
        raise Refused(message, hint="--queue types it when it is done")


def press_keys(
    ref: OfficeRef, agent: str, names: Sequence[str], want: Wanted
) -> Receipt:
    """Press keys in an agent's terminal and return the receipt.

    Raises:
        UsageError: a name is no key's.
        Refused: the agent does not run.
        MdtmuxError: the state folder cannot be written.
    """
    checked = keys.check_keys(names)
    tmux = Tmux(ref.socket)
    target = target_of(ref, agent, tmux)
    result = keys.press(tmux, target, checked, want.options.timeout)
    # The key may have answered what held the queue back.
    pump.ensure(ref.state, ref.id, agent)
    return result


def _without_target(
    ref: OfficeRef, agent: str, text: bytes, want: Wanted, error: Refused
) -> Receipt:
    record = records.load(ref.state, agent)
    if want.queue and (record is None or not record.agent.is_process):
        return _put(ref, agent, text, want.options)
    held = Held(error.message, error.hint, Passes.RUN)
    result = receipts.make(agent, "", Outcome.REFUSED, held, Content(len(text), ""))
    receipts.append(ref.state, result)
    return result


def _put(ref: OfficeRef, agent: str, text: bytes, how: Options) -> Receipt:
    return queue.put(ref.state, agent, text, command=how.command, force=how.force)


def report(found: Sequence[Receipt], want: Wanted, *, as_json: bool) -> NoReturn:
    """Tell what became of each text and exit with the code that they make together."""
    for one in found:
        if _code(one, want):
            output.error(f"`{one.agent}`: {one.outcome.value}: {one.reason}", one.hint)
        elif not as_json:
            output.echo(_sentence(one))
    codes = {_code(one, want) for one in found}
    sys.exit(4 if 4 in codes else max(codes, default=0))


def _sentence(one: Receipt) -> str:
    size = f" {one.bytes} bytes" if one.bytes else ""
    dropped = f", {one.dropped} control characters dropped" if one.dropped else ""
    evidence = f" ({output.clean(one.evidence).strip()})" if one.evidence else ""
    return f"{one.agent}: {one.outcome.value}{size}{dropped}: {one.reason}{evidence}"


def _code(one: Receipt, want: Wanted) -> int:
    if one.outcome is Outcome.SUBMITTED:
        return 0
    if one.outcome is Outcome.QUEUED:
        return 0 if want.queue else 4
    return 5 if one.later and want.options.wait else 4
