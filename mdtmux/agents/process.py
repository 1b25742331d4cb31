"""Side processes (a dev server, a gateway): started and stopped, never typed into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mdtmux.agents.base import Kind, Reading
from mdtmux.agents.command import command_line
from mdtmux.agents.reading import UNKNOWN
from mdtmux.office.model import Agent
from mdtmux.system.screen import Screen


@dataclass(frozen=True, slots=True)
class _Process:
    name: str = "process"
    program: str | None = None
    scrub: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    stop_keys: tuple[str, ...] = ("C-c",)
    reads_screen: bool = False
    bracketed: bool | None = None

    def argv(self, agent: Agent) -> tuple[str, ...]:
        """Return the process's own command."""
        return command_line(agent, None)

    def read(self, screen: Screen) -> Reading:
        """Say unknown: a process has no input line."""
        return UNKNOWN

    def literal(self, text: str) -> str:
        """Return the text as it is."""
        return text

    def settle(self, text: str) -> float:
        """Return no time."""
        return 0.0

    def holds(self, screen: Screen, text: str) -> bool | None:
        """Say that the screen does not tell."""
        return None


PROCESS: Kind = _Process()
