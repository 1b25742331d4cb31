"""Make agents and offices as values, for tests that need no file."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from mdtmux.names import AgentName, OfficeName
from mdtmux.office.model import (
    Agent,
    Isolation,
    Marks,
    Office,
    Paste,
    Ready,
    Stop,
    TmuxOptions,
)

_PLAIN = Agent(
    name=AgentName("a"),
    role="worker",
    kind="custom",
    command=("sleep", "99"),
    shell=None,
    args=(),
    model=None,
    branch="lab/a",
    base="HEAD",
    isolation=Isolation.OWN,
    shares=None,
    dir=None,
    copy=(),
    link=(),
    setup=(),
    env=(),
    env_file=(),
    unset=(),
    prompt=None,
    ready=Ready(),
    stop=Stop(),
    marks=Marks(),
    paste=Paste.AUTO,
    depends_on=(),
    is_process=False,
    line=1,
)


def agent(name: str, **changes: object) -> Agent:
    """Return an agent that runs `sleep`, with changes."""
    base = {"name": AgentName(name), "branch": f"lab/{name}"}
    return dataclasses.replace(_PLAIN, **{**base, **changes})


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
