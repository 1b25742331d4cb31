"""Who calls: an agent from its own pane, or a person."""

from __future__ import annotations

import os

from mdtmux.running.offices import OfficeRef


def me(ref: OfficeRef) -> str | None:
    """Return the agent of this office in whose pane this runs, None elsewhere."""
    here = os.environ.get("MDTMUX_STATE") == str(ref.state)
    return os.environ.get("MDTMUX_AGENT") if here else None
