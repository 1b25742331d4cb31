"""Agents in real panes, started without `up`: for tests of what types into them."""

from __future__ import annotations

import json
import secrets
import sys
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from mdtmux.agents.base import Activity, Kind, Reading
from mdtmux.delivery.target import Target
from mdtmux.names import AgentName, RunId
from mdtmux.office.model import Agent, Paste
from mdtmux.system.processes import identify
from mdtmux.system.screen import Pane, Screen
from mdtmux.system.tmux import Socket, Tmux
from tests.support.wait import until

TUI = Path(__file__).with_name("tui.py")
OFFICE = "lab-12345678"
ASKS = b"\x1b[?2004h"


@dataclass(frozen=True, slots=True)
class Plain:
    """A kind that can read nothing: any program that mdtmux does not know."""

    name: str = "plain"
    program: str | None = None
    scrub: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    stop_keys: tuple[str, ...] = ("C-c",)
    reads_screen: bool = False
    bracketed: bool | None = None
    pause: float = 0.05

    def argv(self, agent: Agent) -> tuple[str, ...]:
        """Return what the agent's command says."""
        return agent.command or ()

    def read(self, screen: Screen) -> Reading:
        """Read nothing."""
        return Reading(Activity.UNKNOWN, "", None, None, accepts=False)

    def literal(self, text: str) -> str:
        """Return the text: no first character means anything."""
        return text

    def settle(self, text: str) -> float:
        """Return a short time."""
        return self.pause

    def holds(self, screen: Screen, text: str) -> bool | None:
        """Tell nothing."""
        return None


@dataclass(frozen=True, slots=True)
class Echoing(Plain):
    """A kind that reads the stand-in with `echo`: `> ` and the draft on one row.

    Dots alone are its sign of being busy.
    """

    name: str = "echoing"
    reads_screen: bool = True

    def read(self, screen: Screen) -> Reading:
        """Read the row of the cursor."""
        row = screen.lines[screen.cursor_y] if screen.lines else ""
        draft = row.removeprefix(">").strip()
        if draft and not draft.strip("."):
            return Reading(Activity.BUSY, row, None, None, accepts=False)
        if row.startswith(">"):
            return Reading(Activity.IDLE, row, None, draft, accepts=True)
        return Reading(Activity.UNKNOWN, "", None, None, accepts=False)

    def holds(self, screen: Screen, text: str) -> bool | None:
        """Tell whether the one-line text is the draft."""
        return self.read(screen).draft == text


class Desk:
    """A tmux server of its own with agents in its panes, and their log of events."""

    def __init__(self, base: Path) -> None:
        self.tmux = Tmux(Socket("own"))
        self.state = base / "state"
        self.log = base / "fx.log"
        self.base = base

    def sit(
        self,
        name: str,
        *options: str,
        argv: tuple[str, ...] = (),
        kind: Kind | None = None,
        started: bool = True,
    ) -> Target:
        """Start the stand-in (or `argv`) in a pane of its own and return it as target."""
        out = self.base / f"{name}.out"
        run = RunId(secrets.token_hex(6))
        command = argv or (sys.executable, str(TUI), name, *options)
        pane = self._pane(name, run, command, out)
        if started and not argv:
            self._wait_started(name, options, pane)
        identity = identify(pane.pid)
        assert identity is not None
        return Target(
            office=OFFICE,
            agent=AgentName(name),
            kind=kind or Plain(),
            pane=pane.pane,
            run=run,
            process=identity,
            server_pid=pane.server_pid,
            state=self.state,
            bracketed=partial(_asked, out),
            paste=Paste.AUTO,
        )

    def _pane(self, name: str, run: str, command: tuple[str, ...], out: Path) -> Pane:
        new = ["new-window"] if self.tmux.socket.listens() else ["new-session", "-d"]
        size = [] if new == ["new-window"] else ["-x", "100", "-y", "30"]
        marks = {"office": OFFICE, "agent": name, "run": run}
        # One client, so that the pipe is there before the first byte is read.
        self.tmux.commands(
            (*new, *size, "--", *command),
            ("set-option", "-p", "remain-on-exit", "on"),
            *(("set-option", "-p", f"@mdtmux_{k}", v) for k, v in marks.items()),
            ("pipe-pane", "-o", f"cat >> '{out}'"),
        )
        return next(one for one in self.tmux.panes() if one.run == run)

    def _wait_started(self, name: str, options: tuple[str, ...], pane: Pane) -> None:
        wanted = "2. No" if any(o.startswith("dialog") for o in options) else ">"
        until(
            lambda: wanted in self.tmux.screen(pane.pane).text(),
            what=f"first screen of {name}",
        )

    def events(self, name: str, event: str) -> list[dict[str, object]]:
        """Return the events of one sort that the agent has logged, oldest first."""
        if not self.log.exists():
            return []
        rows = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [row for row in rows if row["agent"] == name and row["ev"] == event]

    def submitted(self, name: str) -> list[str]:
        """Return the texts that the agent was given, oldest first."""
        return [str(row["text"]) for row in self.events(name, "submit")]

    def buffers(self) -> str:
        """Return tmux's list of paste buffers."""
        return self.tmux.call("list-buffers")


def _asked(out: Path) -> bool | None:
    return ASKS in out.read_bytes() if out.exists() else None
