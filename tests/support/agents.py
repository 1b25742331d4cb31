"""Make agents and offices as values, for tests that need no file."""

from __future__ import annotations

from pathlib import Path

from mdtmux.names import AgentName, OfficeName
from mdtmux.office.model import Agent, Office, TmuxOptions


def agent(name: str) -> Agent:
    """Return an agent that runs `sleep` in its own worktree."""
    return Agent(
        name=AgentName(name),
        kind="custom",
        command=("sleep", "99"),
        branch=f"lab/{name}",
    )


def office(folder: Path, *agents: Agent) -> Office:
    """Return an office of these agents; its repository is `folder/repo`."""
    return Office(
        name=OfficeName("lab"),
        version=None,
        file=folder / "office.yaml",
        repo=folder / "repo",
        base="HEAD",
        worktrees="../{repo}__worktrees/{office}/{agent}",
        buffer=2_000_000,
        tmux=TmuxOptions(),
        agents=agents,
    )
