"""Members that the office file does not name: added by `spawn`, kept until `rm`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from mdtmux.names import AgentName
from mdtmux.office.model import Agent, Office
from mdtmux.running import offices
from mdtmux.running.records import agent_from_json, agent_to_json
from mdtmux.system.files import read_json, write_json
from mdtmux.system.locks import hold


def new_member(
    office: Office, name: str, kind: str, command: tuple[str, ...] | None
) -> Agent:
    """Return an agent of its own worktree with the office's defaults."""
    return Agent(
        name=AgentName(name),
        kind=kind,
        command=command,
        branch=f"{office.name}/{name}",
        base=office.base,
    )


def add_members(office: Office) -> Office:
    """Return the office with the members that were spawned into it.

    A name that the file has by now is the file's.
    """
    ref = offices.by_file(office.file)
    if ref is None or ref.name != office.name:
        return office
    members = [one for one in read_members(ref.state) if office.agent(one.name) is None]
    agents = [one for one in office.agents if not one.is_process]
    processes = [one for one in office.agents if one.is_process]
    return dataclasses.replace(office, agents=(*agents, *members, *processes))


def read_members(state: Path) -> list[Agent]:
    """Return the spawned members of an office, in the order they came."""
    value = read_json(state / "members.json")
    found: list[Agent] = []
    for entry in value if isinstance(value, list) else []:
        try:
            found.append(_from_json(entry))
        except (KeyError, TypeError, ValueError):
            continue
    return found


def keep_member(state: Path, agent: Agent) -> None:
    """Add a member (or replace the one of its name)."""
    with _held(state):
        rest = [one for one in read_members(state) if one.name != agent.name]
        _write(state, [*rest, agent])


def drop_member(state: Path, name: str) -> bool:
    """Forget a member; tell whether there was one of that name."""
    with _held(state):
        members = read_members(state)
        rest = [one for one in members if one.name != name]
        if len(rest) == len(members):
            return False
        _write(state, rest)
        return True


def _held(state: Path) -> AbstractContextManager[None]:
    # The office's own lock is taken for the whole of the `up` that follows a spawn.
    lock = state / "locks" / "members.lock"
    return hold(lock, wait=10.0, what="the list of spawned agents")


def _write(state: Path, members: Sequence[Agent]) -> None:
    write_json(state / "members.json", [_to_json(one) for one in members])


def _to_json(agent: Agent) -> dict[str, object]:
    return agent_to_json(agent) | {"prompt": agent.prompt}


def _from_json(entry: dict[str, object]) -> Agent:
    prompt = entry["prompt"]
    text = prompt if isinstance(prompt, str) else None
    return dataclasses.replace(agent_from_json(entry), prompt=text)
