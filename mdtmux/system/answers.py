"""Read tmux's answers: a pane's row, and a screen with and without its colours."""

from __future__ import annotations

import re

from mdtmux.errors import TmuxError
from mdtmux.names import PaneId
from mdtmux.system.screen import Pane, Screen

_FIELDS = (
    "session_name", "window_id", "pane_id", "pane_pid", "pane_dead",
    "pane_dead_status", "pane_dead_signal", "pane_dead_time", "pane_in_mode",
    "pane_width", "pane_height", "cursor_x", "cursor_y", "history_size",
    "alternate_on", "pane_tty", "pane_active", "window_active",
    "pid", "pane_pipe", "@mdtmux_buffer", "pane_current_command", "@mdtmux_office", "@mdtmux_agent",
    "@mdtmux_run", "pane_title",
)  # fmt: skip
# `|` cannot stand in any field but the last two kinds: the current command and the
# title are free text, so the title is last and the split is bounded.
_SEPARATOR = "|~|"
PANE_FORMAT = _SEPARATOR.join(f"#{{{field}}}" for field in _FIELDS)
_SGR = re.compile(
    r"\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9]|.)"
)


def parse_pane(row: str) -> Pane:
    """Read one row of `PANE_FORMAT`.

    Raises:
        TmuxError: the row has not the fields asked for.
    """
    parts = row.split(_SEPARATOR, len(_FIELDS) - 1)
    if len(parts) != len(_FIELDS):
        message = f"tmux answered a pane row that cannot be read: {row[:200]!r}"
        raise TmuxError(message)
    value = dict(zip(_FIELDS, parts, strict=True))
    dead = value["pane_dead"] == "1"
    signal = _maybe(value["pane_dead_signal"])
    return Pane(
        session=value["session_name"],
        window_id=value["window_id"],
        pane=PaneId(value["pane_id"]),
        pid=_number(value["pane_pid"]),
        dead=dead,
        status=_maybe(value["pane_dead_status"]) if dead and signal is None else None,
        signal=signal if dead else None,
        dead_time=_maybe(value["pane_dead_time"]),
        in_mode=_number(value["pane_in_mode"]) > 0,
        width=_number(value["pane_width"]),
        height=_number(value["pane_height"]),
        cursor_x=_number(value["cursor_x"]),
        cursor_y=_number(value["cursor_y"]),
        history_size=_number(value["history_size"]),
        alternate=value["alternate_on"] == "1",
        tty=value["pane_tty"],
        active=value["pane_active"] == "1",
        window_active=value["window_active"] == "1",
        server_pid=_number(value["pid"]),
        piped=value["pane_pipe"] == "1",
        buffer=_maybe(value["@mdtmux_buffer"]) or 0,
        command=value["pane_current_command"],
        office=value["@mdtmux_office"],
        agent=value["@mdtmux_agent"],
        run=value["@mdtmux_run"],
        title=value["pane_title"],
    )


def _number(text: str) -> int:
    return int(text or 0)


def _maybe(text: str) -> int | None:
    return int(text) if text.isdigit() else None


def plain(styled: str) -> str:
    """Strip escape sequences from one row of `capture-pane -e`."""
    return _SGR.sub("", styled).replace("\x0e", "").replace("\x0f", "").rstrip()


def screen_of(row: Pane, body: str) -> Screen:
    """Build a screen from the output of `capture-pane -e`."""
    styled = tuple(body.split("\n")[:-1] if body.endswith("\n") else body.split("\n"))
    return Screen(
        lines=tuple(plain(one) for one in styled),
        styled=styled,
        cursor_x=row.cursor_x,
        cursor_y=row.cursor_y,
        width=row.width,
        height=row.height,
        history_size=row.history_size,
        title=row.title,
        dead=row.dead,
    )
