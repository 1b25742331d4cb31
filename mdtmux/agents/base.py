"""What mdtmux knows of an agent CLI: how to start, read, type into and stop it.

A kind is a value that satisfies `Kind`; it holds no state. Everything it decides is
a pure function of the screen or the text, so that recorded screens are its tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from mdtmux.office.model import Agent
from mdtmux.system.screen import Screen


class Activity(StrEnum):
    """What an agent does, as far as its screen shows it.

    `WAITING`: a question or dialog is open that a human or a policy must answer.
    `UNKNOWN` is the honest answer whenever nothing proves another one.
    """

    IDLE = "idle"
    BUSY = "busy"
    WAITING = "waiting"
    LIMITED = "limited"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Reading:
    """What one screen shows.

    `evidence` is the row that proves the activity (empty for unknown). `dialog`
    names an open dialog: `trust`, `approval`, `question`, `login`, … `draft` is the
    text that stands on the input line: "" when the line is empty, None when the
    screen does not tell. `accepts` is true when the CLI's input line is on screen
    and no dialog covers it (the kind's own sign of readiness).
    """

    activity: Activity
    evidence: str
    dialog: str | None
    draft: str | None
    accepts: bool


class Kind(Protocol):
    """One agent CLI. Attributes are constants; methods are pure."""

    @property
    def name(self) -> str:
        """The word that the office file uses."""

    @property
    def program(self) -> str | None:
        """The executable started when the file gives no command."""

    @property
    def scrub(self) -> tuple[str, ...]:
        """Environment variables that must not reach it from the caller."""

    @property
    def env(self) -> Mapping[str, str]:
        """Environment variables set for it unless the office file sets them."""

    @property
    def stop_keys(self) -> tuple[str, ...]:
        """Keys that make it quit by itself, in tmux's names."""

    @property
    def reads_screen(self) -> bool:
        """Whether `read` can tell idle from the rest; if not, it says unknown."""

    @property
    def bracketed(self) -> bool | None:
        """Whether it asks for bracketed paste when ready; None: look at its output."""

    def argv(self, agent: Agent) -> tuple[str, ...]:
        """Return the full argument vector that starts the agent."""

    def read(self, screen: Screen) -> Reading:
        """Read one screen; total: any screen gives a reading."""

    def literal(self, text: str) -> str:
        """Return the text in a form that the CLI takes as text, not as a command.

        Raises:
            Refused: its first character is a command and nothing escapes it.
        """

    def settle(self, text: str) -> float:
        """Return the seconds to wait between the paste and Enter."""

    def holds(self, screen: Screen, text: str) -> bool | None:
        """Tell whether the pasted text (or its placeholder) stands in the input.

        None when the screen does not tell.
        """
