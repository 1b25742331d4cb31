"""What `up` is asked, where it speaks, and what it answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UpOptions:
    """What `up` was asked. `timeout` (seconds) replaces the agents' own for readiness."""

    agents: tuple[str, ...] = ()
    timeout: float | None = None
    prompts: bool = True
    as_kind: str | None = None


@dataclass(frozen=True, slots=True)
class Voice:
    """Where `up` speaks: `tell` each step, `note` what people should know."""

    tell: Callable[[str], None]
    note: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one agent; `tail` is its last lines when it is not up."""

    agent: str
    up: bool
    word: str
    detail: str
    tail: tuple[str, ...] = ()
