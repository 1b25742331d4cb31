"""The office's lock: one command at a time may change what runs."""

from __future__ import annotations

from contextlib import AbstractContextManager

from mdtmux.running.offices import OfficeRef
from mdtmux.system.locks import hold


def held(ref: OfficeRef) -> AbstractContextManager[None]:
    """Hold the office for the block: one command at a time may change what runs.

    Raises:
        Busy: another `up`, `down` or the like holds it.
    """
    lock = ref.state / "locks" / "office.lock"
    return hold(lock, wait=1.0, what=f"office `{ref.name}`")
