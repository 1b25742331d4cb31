"""What of an office file this machine does not bear out; looks, starts nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable

from mdtmux.errors import MdtmuxError
from mdtmux.office.model import Agent, Isolation, Office
from mdtmux.running.jobs import faults, make_job
from mdtmux.running.offices import make_ref
from mdtmux.running.surveying import UpPlan, repository_of
from mdtmux.worktrees.base import resolve_all
from mdtmux.worktrees.repository import Repository


def doubts(office: Office) -> list[str]:
    """Return what `up` would stumble over here: repository, bases, env files, programs.

    A program given by a relative path is not looked for: it may come with the setup.
    """
    try:
        repository = repository_of(office)
    except MdtmuxError as error:
        return [f"{error.message}; bases and programs were not looked for"]
    return [*_bases(office.agents, repository), *_programs(office, repository)]


def base_doubts(plan: UpPlan) -> list[str]:
    """Return what is wrong with bases that the file gives to agents which run already."""
    changed = {row.name for row in plan.rows if "base" in row.drift}
    agents = [agent for agent in plan.office.agents if agent.name in changed]
    return _bases(agents, plan.repository) if agents else []


def _bases(agents: Iterable[Agent], repository: Repository) -> list[str]:
    bases = [one.base for one in agents if one.isolation is Isolation.OWN]
    try:
        resolve_all(repository, bases)
    except MdtmuxError as error:
        return [error.message]
    return []


def _programs(office: Office, repository: Repository) -> list[str]:
    ref = make_ref(office, repository.top, repository.common_dir)
    found: list[str] = []
    for agent in office.agents:
        try:
            job = make_job(ref, agent, repository.top, os.environ)
        except MdtmuxError as error:
            found.append(f"`{agent.name}`: {error.message}")
            continue
        found += [f"`{agent.name}`: {fault}" for fault in faults([job]).values()]
    return found
