"""What one agent needs before its pane can start, checked before anything is made."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mdtmux.agents.base import Kind
from mdtmux.agents.kinds import kind_of
from mdtmux.errors import MdtmuxError
from mdtmux.names import RunId, new_run_id
from mdtmux.office.model import Agent, Isolation, Office
from mdtmux.running import environment
from mdtmux.running.offices import OfficeRef
from mdtmux.worktrees.checkout import fault_of


@dataclass(frozen=True, slots=True)
class Job:
    """One start of an agent: everything known before the first act.

    `top` is the folder it works in (its worktree, another's, or the repository),
    `directory` the one its process starts in.
    """

    agent: Agent
    kind: Kind
    run: RunId
    argv: tuple[str, ...]
    env: Mapping[str, str]
    top: Path
    directory: Path
    branch: str | None
    private: tuple[str, ...]


def tops(office: Office, repo: Path, trees: Mapping[str, Path]) -> dict[str, Path]:
    """Return the folder each agent works in; `trees` holds the own worktrees."""
    found: dict[str, Path] = {}
    for agent in office.agents:
        if agent.isolation is Isolation.OWN:
            found[agent.name] = trees[agent.name]
        elif agent.isolation is Isolation.SHARE and agent.shares:
            found[agent.name] = trees[agent.shares]
        else:
            found[agent.name] = repo
    return found


def make_job(ref: OfficeRef, agent: Agent, top: Path, caller: Mapping[str, str]) -> Job:
    """Return the job of one agent.

    Raises:
        MdtmuxError: an env file cannot be used.
    """
    kind = kind_of(agent)
    run = new_run_id()
    env = environment.build(ref, agent, kind, run, caller)
    directory = top / agent.dir if agent.dir else top
    branch = agent.branch if agent.isolation is not Isolation.OFFICE else None
    private = tuple(environment.own_variables(agent))
    return Job(agent, kind, run, kind.argv(agent), env, top, directory, branch, private)


def faults(jobs: Sequence[Job]) -> dict[str, str]:
    """Return, by agent, why its program could not run; nothing is touched.

    A relative program (a path with a slash) may only come to be with the checkout
    or the setup, so it is left to the start.
    """
    found: dict[str, str] = {}
    for job in jobs:
        program = job.argv[0]
        if "/" not in program:
            if shutil.which(program, path=job.env.get("PATH", os.defpath)) is None:
                found[job.agent.name] = f"{program}: not found on PATH"
        elif program.startswith("/") and not os.access(program, os.X_OK):
            found[job.agent.name] = f"{program}: not found, or not executable"
    return found


def check_programs(ref: OfficeRef, office: Office, names: Sequence[str]) -> None:
    """Check that the agents' programs are there, before one that runs is stopped.

    Raises:
        MdtmuxError: one is missing.
    """
    agents = [agent for agent in office.agents if agent.name in names]
    found = faults([make_job(ref, agent, ref.repo, os.environ) for agent in agents])
    if found:
        told = "; ".join(f"`{name}`: {fault}" for name, fault in found.items())
        message = f"nothing was stopped: {told}"
        raise MdtmuxError(message, hint="`mdtmux doctor` names what is missing")


def check_places(job: Job, common_dir: Path) -> None:
    """Check that the directory is there and is the one meant, right before the start.

    `common_dir` is the repository's git directory that all worktrees share.

    Raises:
        MdtmuxError: it is missing, or leads out of the agent's folder.
    """
    if job.branch is not None:
        fault = fault_of(common_dir, job.top, job.branch)
        if fault is not None:
            message = f"not started: {fault}"
            raise MdtmuxError(message, hint="`mdtmux up` makes the worktree anew")
    if not job.directory.is_dir():
        message = f"the directory `{job.directory}` does not exist"
        hint = "`dir` is relative to the agent's worktree" if job.agent.dir else None
        raise MdtmuxError(message, hint=hint)
    real = Path(os.path.realpath(job.directory))
    top = Path(os.path.realpath(job.top))
    absolute = job.agent.dir is not None and job.agent.dir.startswith("/")
    if not absolute and real != top and top not in real.parents:
        message = f"the directory `{job.directory}` leads out of `{top}`"
        raise MdtmuxError(message)
