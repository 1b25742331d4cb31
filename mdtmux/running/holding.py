"""The locks of an office and of a tmux server: one at a time may change what runs."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager

from mdtmux.running.offices import OfficeRef
from mdtmux.system.files import sha256, state_root
from mdtmux.system.locks import hold
from mdtmux.system.tmux import Socket


def held(ref: OfficeRef) -> AbstractContextManager[None]:
    """Hold the office for the block: one command at a time may change what runs.

    Raises:
        Busy: another `up`, `down` or the like holds it.
    """
    lock = ref.state / "locks" / "office.lock"
    return hold(lock, wait=1.0, what=f"office `{ref.name}`")


def server_held(socket: Socket) -> AbstractContextManager[None]:
    """Hold a tmux server against the other offices: who starts it, who sees its end.

    A pane made on a server that another `up` has just started would inherit that
    caller's environment, and one made on a server that is going away is lost.

    Raises:
        Busy: another mdtmux starts or ends panes there for a minute.
    """
    name = sha256(os.fsencode(socket.path()))[:12]
    path = state_root() / ".servers" / f"{name}.lock"
    return hold(path, wait=60.0, what=f"the tmux server on `{socket.path()}`")
