"""Keys pressed on purpose: named as tmux names them, and never part of a text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mdtmux.delivery import admit, spool
from mdtmux.delivery import receipt as receipts
from mdtmux.delivery.approach import facts_of, look_at, refused
from mdtmux.delivery.look import Looker
from mdtmux.delivery.receipt import Content, Held, Outcome, Passes, Receipt
from mdtmux.delivery.stop import Stop
from mdtmux.delivery.target import Target
from mdtmux.errors import Busy, MdtmuxError, UsageError
from mdtmux.names import nearest
from mdtmux.system import locks
from mdtmux.system.tmux import Tmux

# tmux(1), "KEY BINDINGS"; what is none of these would be typed as text.
_NAMED = (
    "Up", "Down", "Left", "Right", "BSpace", "BTab", "DC", "End", "Enter", "Escape",
    "Home", "IC", "NPage", "PageDown", "PgDn", "PPage", "PageUp", "PgUp", "Space", "Tab",
    *(f"F{number}" for number in range(1, 13)),
)  # fmt: skip
_KEY = re.compile(rf"(?:[CMS]-)*(?:{'|'.join(_NAMED)}|[!-~])")
# Seconds between two keys.
_APART = 0.1


def check_keys(keys: Sequence[str]) -> tuple[str, ...]:
    """Return the keys when each is one of tmux's names for a key.

    Raises:
        UsageError: one is not.
    """
    for key in keys:
        if not _KEY.fullmatch(key):
            near = nearest(key, _NAMED)
            hint = (
                f"did you mean `{near}`?"
                if near
                else "keys are like Enter, Escape, C-c, Up"
            )
            message = f"`{key}` is not the name of a key"
            raise UsageError(message, hint=hint)
    return tuple(keys)


def press(tmux: Tmux, target: Target, keys: Sequence[str], timeout: float) -> Receipt:
    """Press the keys, checked by `check_keys`, in the agent's terminal.

    What the agent does with them is not looked at: `SUBMITTED` says that they were
    pressed. Refused for a program that has ended and for a shell; a dialog, a draft
    or a busy agent is no reason.

    Raises:
        MdtmuxError: the receipt cannot be written.
    """
    try:
        with locks.hold(
            target.lock, wait=timeout, what=f"the input of `{target.agent}`"
        ):
            _press(tmux, target, keys)
    except Stop as stop:
        result = _receipt(target, Outcome.REFUSED, stop.held)
    except Busy as error:
        result = _receipt(
            target, Outcome.REFUSED, Held(error.message, error.hint, Passes.SOON)
        )
    except MdtmuxError as error:
        result = _receipt(target, Outcome.UNPROVEN, Held(error.message, error.hint))
    else:
        result = _receipt(target, Outcome.SUBMITTED, Held(f"pressed {' '.join(keys)}"))
    receipts.append(target.state, result)
    return result


def _press(tmux: Tmux, target: Target, keys: Sequence[str]) -> None:
    looker = Looker(tmux, target.pane)
    look = look_at(looker, target)
    held = admit.unreachable(target, facts_of(target, look))
    if held is not None:
        raise refused(held)
    if look.pane.in_mode:
        tmux.leave_mode(target.pane)
    for number, key in enumerate(keys):
        if number:
            # Keys that come in one read may be taken for a paste.
            looker.wait(_APART)
        tmux.keys(target.pane, key, run=target.run)
    # Whoever presses keys takes over what may still stand on the input line.
    spool.drop_note(target.state, target.agent)


def _receipt(target: Target, outcome: Outcome, held: Held) -> Receipt:
    return receipts.make(target.agent, target.run, outcome, held, Content(0, ""))
