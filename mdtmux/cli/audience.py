"""Whom a broadcast reaches, and the parallel delivery to them."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from mdtmux.cli.delivering import Wanted, hand_in
from mdtmux.cli.myself import me
from mdtmux.delivery.receipt import Content, Held, Outcome, Receipt, make
from mdtmux.errors import MdtmuxError
from mdtmux.running.offices import OfficeRef
from mdtmux.running.records import load_all
from mdtmux.running.wish import Wish, read_wishes

# Each delivery is tmux clients and waiting; more at once make none of them faster.
_AT_ONCE = 8


def audience(ref: OfficeRef, role: str | None) -> list[str]:
    """Return the agents that are wished up, of that role if one is given.

    Without side processes and without the agent in whose pane this runs.
    """
    wishes = read_wishes(ref.state)
    caller = me(ref)
    return [
        name
        for name, record in load_all(ref.state).items()
        if wishes.get(name) is not Wish.STOPPED
        and not record.agent.is_process
        and name != caller
        and role in (None, record.agent.role)
    ]


def hand_in_all(
    ref: OfficeRef, names: Sequence[str], text: bytes, want: Wanted
) -> list[Receipt]:
    """Deliver the text to all at the same time; one receipt each, in their order."""
    with ThreadPoolExecutor(min(len(names), _AT_ONCE)) as pool:
        return list(pool.map(partial(_hand_in, ref, text, want), names))


def _hand_in(ref: OfficeRef, text: bytes, want: Wanted, name: str) -> Receipt:
    try:
        return hand_in(ref, name, text, want)
    except MdtmuxError as error:
        # The others' receipts must not be lost for this one's sake.
        held = Held(error.message, error.hint)
        return make(name, "", Outcome.UNPROVEN, held, Content(len(text), ""))
