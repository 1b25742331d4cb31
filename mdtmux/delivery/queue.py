"""What waits to be typed into an agent: one private file for each text, in order.

Items belong to the agent's work, not to one of its lives: they outlast a restart and
`down`. An item is claimed by renaming its file, and its receipt is written before
the file is removed, so that a crash anywhere types nothing twice.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from mdtmux.delivery import receipt as receipts
from mdtmux.delivery.receipt import Held, Outcome, Passes, Receipt
from mdtmux.delivery.spool import Note, folder, read_note
from mdtmux.delivery.text import prepare
from mdtmux.system import files, locks

_ITEM = re.compile(r"(\d{12})-[0-9a-f]{12}\.(json|claimed)")
_LOCK_WAIT = 10.0
# Leaves room for what goes before the others.
_FIRST = 500_000_000_000
_DROPPED = "taken out of the queue"
# Stop keys that submit in no program what stands on its input line.
_SILENT = frozenset(["C-c", "Escape"])


@dataclass(frozen=True, slots=True)
class Item:
    """One text that waits; `command` and `force` as in `Options`; `time` since the epoch.

    `prompt`: it is the agent's first prompt, which each run gets anew.
    """

    id: str
    text: str
    command: bool
    force: bool
    time: float
    prompt: bool = False


def put(
    state: Path,
    agent: str,
    text: bytes | str,
    *,
    command: bool = False,
    force: bool = False,
) -> Receipt:
    """Put a text at the end of the agent's queue and return the receipt `QUEUED`.

    Raises:
        Refused: the text can never be typed (see `text.prepare`).
        MdtmuxError: the state folder cannot be written.
    """
    prepared = prepare(text)
    item = Item(receipts.new_id(), prepared.text, command, force, receipts.now())
    return _put(state, agent, item, prepared.dropped)


def put_prompt(state: Path, agent: str, text: str) -> Receipt:
    """Put a first prompt before all that waits and return the receipt `QUEUED`.

    Raises:
        Refused, MdtmuxError: as `put`.
    """
    prepared = prepare(text)
    identifier, time = receipts.new_id(), receipts.now()
    item = Item(identifier, prepared.text, False, False, time, prompt=True)
    return _put(state, agent, item, prepared.dropped)


def _put(state: Path, agent: str, item: Item, dropped: int) -> Receipt:
    place = files.private_dir(folder(state, agent))
    with _held(state, agent):
        numbers = [int(match.group(1)) for _, match in _items(place)]
        last = max(numbers, default=_FIRST)
        number = min(numbers, default=_FIRST) - 1 if item.prompt else last + 1
        files.write_json(place / f"{number:012d}-{item.id}.json", asdict(item))
    behind = bool(numbers) and not item.prompt
    ahead = f"{len(numbers)} ahead of it" if behind else "first in line"
    content = receipts.content_of(item.text, dropped)
    held = Held(f"waits in the queue ({ahead})", passes=Passes.SOON)
    made = receipts.make(agent, "", Outcome.QUEUED, held, content)
    result = replace(made, id=item.id)
    receipts.append(state, result)
    return result


def pending(state: Path, agent: str) -> list[Item]:
    """Return what waits, in order; an item that is being typed is among it."""
    place = folder(state, agent)
    if not place.is_dir():
        return []
    with _held(state, agent):
        found = [_read(path) for path, _ in _items(place)]
    return [item for item in found if item is not None]


def pump_file(state: Path, agent: str) -> Path:
    """Return where the agent's pump says who it is and what holds the first text back."""
    return folder(state, agent) / "pump.json"


def held_by(state: Path, agent: str) -> str:
    """Return what holds the first text back, empty while no pump has said."""
    value = files.read_json(pump_file(state, agent))
    reason = value.get("held") if isinstance(value, dict) else ""
    return reason if isinstance(reason, str) else ""


def settle_claims(
    state: Path, agent: str, keys: Sequence[str] | None = None
) -> list[Receipt]:
    """Put right what a pump that died left claimed; call it as the only pump.

    An item with a receipt is done. One that no note says was typed goes back to its
    place. Of any other the receipt is written and returned: `UNPROVEN` when it may
    have been submitted, and is not typed again; `QUEUED` when it surely was not.

    `keys` are the stop keys that end the run right after this, the pump having been
    ended a moment ago (None: the run lives on, and a person may have pressed Enter).
    """
    place = folder(state, agent)
    told: list[Receipt] = []
    if not place.is_dir():
        return told
    with _held(state, agent):
        for path, match in _items(place):
            item = _read(path)
            if match.group(2) != "claimed":
                continue
            if item is not None and not _is_done(state, item):
                note = _note_of(state, agent, item)
                if note is None:
                    path.replace(path.with_suffix(".json"))
                    continue
                if keys is not None and not note.entered and _SILENT.issuperset(keys):
                    told.append(_put_back(state, path, _orphaned(agent, item, note)))
                    continue
                told.append(_orphaned(agent, item, note, ends=keys is not None))
                receipts.append(state, told[-1])
            path.unlink(missing_ok=True)
    return told


def work(state: Path, agent: str, type_it: Callable[[Item], Receipt]) -> Receipt | None:
    """Try to type the first item and return its receipt; None when nothing waits.

    The item leaves the queue unless the receipt is a refusal that is not for ever, or
    says that the run has ended with the text on its input line, not submitted. Only
    one process may call this at a time; `type_it` has written the receipt of what it
    typed when it returns.
    """
    claim = _claim(state, agent)
    if claim is None:
        return None
    path, item = claim
    result = type_it(item)
    if result.outcome is Outcome.UNPROVEN and result.passes is Passes.RUN:
        with _held(state, agent):
            return _put_back(state, path, result)
    if result.outcome is not Outcome.REFUSED:
        path.unlink(missing_ok=True)
    elif result.passes is not Passes.NEVER:
        with _held(state, agent):
            path.replace(path.with_suffix(".json"))
    else:
        receipts.append(state, result)
        path.unlink(missing_ok=True)
    return result


def _claim(state: Path, agent: str) -> tuple[Path, Item] | None:
    """Take the first item for this process; one that cannot be read is dropped."""
    place = folder(state, agent)
    if not place.is_dir():
        return None
    with _held(state, agent):
        for path, _ in _items(place):
            item = _read(path)
            if item is None:
                path.unlink(missing_ok=True)
                continue
            return path.replace(path.with_suffix(".claimed")), item
    return None


def drop(
    state: Path, agent: str, wanted: Callable[[Item], bool], why: str
) -> list[Receipt]:
    """Take out what is wanted and not just being typed; return their receipts.

    Raises:
        MdtmuxError: a receipt cannot be written.
    """
    place = folder(state, agent)
    dropped: list[Receipt] = []
    if not place.is_dir():
        return dropped
    with _held(state, agent):
        for path, match in _items(place):
            item = _read(path)
            if match.group(2) != "json" or item is None or not wanted(item):
                continue
            held = Held(f"{_DROPPED}: {why}", passes=Passes.RUN)
            content = receipts.content_of(item.text)
            made = receipts.make(agent, "", Outcome.REFUSED, held, content)
            dropped.append(replace(made, id=item.id))
            receipts.append(state, dropped[-1])
            path.unlink(missing_ok=True)
    return dropped


def _items(place: Path) -> list[tuple[Path, re.Match[str]]]:
    found = [(path, _ITEM.fullmatch(path.name)) for path in sorted(place.iterdir())]
    return [(path, match) for path, match in found if match is not None]


def _read(path: Path) -> Item | None:
    value = files.read_json(path)
    if not isinstance(value, dict):
        return None
    try:
        return Item(**value)
    except TypeError:
        return None


def _is_done(state: Path, item: Item) -> bool:
    found = receipts.find(state, item.id)
    return found is not None and found.outcome is not Outcome.QUEUED


def _note_of(state: Path, agent: str, item: Item) -> Note | None:
    """Return the note that the item was typed, None when it was not."""
    note = read_note(state, agent)
    return note if note is not None and note.id == item.id else None


def _put_back(state: Path, path: Path, known: Receipt) -> Receipt:
    """Give a claimed item back its place, with a receipt that says why."""
    reason = "the run ended before it was submitted; it waits in the queue again"
    result = replace(
        known,
        outcome=Outcome.QUEUED,
        reason=reason,
        hint=None,
        passes=Passes.RUN,
        time=receipts.now(),
    )
    # First the receipt: an item without one that says so would count as done.
    receipts.append(state, result)
    path.replace(path.with_suffix(".json"))
    return result


def _orphaned(agent: str, item: Item, note: Note, *, ends: bool = False) -> Receipt:
    """Return the receipt of a text that may have arrived; `ends`: so does the run."""
    how = "and Enter was pressed" if note.entered else "and stood on the input line"
    hint = f"`mdtmux attach {agent}` shows whether it stands on the input line"
    if ends:
        hint = f"`mdtmux logs {agent}` shows what it printed"
    held = Held(
        f"it was typed {how} when its sender was ended; it may have arrived, or not,"
        " and is not typed again",
        hint,
    )
    content = receipts.content_of(item.text)
    made = receipts.make(agent, note.run, Outcome.UNPROVEN, held, content)
    return replace(made, id=item.id)


@contextlib.contextmanager
def _held(state: Path, agent: str) -> Iterator[None]:
    # Listing a folder while another process renames in it may miss the file.
    path = state / "locks" / f"queue-{agent}.lock"
    with locks.hold(path, wait=_LOCK_WAIT, what=f"the queue of `{agent}`"):
        yield
