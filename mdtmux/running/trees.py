"""The worktrees of an office: decided for all agents, then made, then filled in."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mdtmux.errors import MdtmuxError
from mdtmux.office.model import Isolation, Office
from mdtmux.running.offices import OfficeRef
from mdtmux.worktrees.base import Base, resolve_all, short
from mdtmux.worktrees.furnish import Furnished, place
from mdtmux.worktrees.make import Made, make
from mdtmux.worktrees.plan import Action, Step, Want, refusal
from mdtmux.worktrees.prepare import place_for, plan
from mdtmux.worktrees.record import Record, Store
from mdtmux.worktrees.repository import Repository, inspect
from mdtmux.worktrees.supplies import Supplies, gather

_WORDS = {
    Action.CREATE: "create on a new branch",
    Action.USE_BRANCH: "create on its branch",
    Action.ADOPT: "keep",
    Action.REPAIR: "create again on its branch",
}


@dataclass(frozen=True, slots=True)
class TreePlan:
    """What is to be done for the worktrees.

    `paths` has every agent with a worktree of its own; `words` says per agent what
    happens; `bases` is one line per distinct base, for people.
    """

    office: Office
    ref: OfficeRef
    repository: Repository
    paths: Mapping[str, Path]
    resolved: Mapping[str, Base]
    steps: tuple[Step, ...]
    words: Mapping[str, str]
    bases: tuple[str, ...]


def plan_trees(
    office: Office, ref: OfficeRef, repository: Repository, starting: Collection[str]
) -> TreePlan:
    """Decide for the worktrees that the starting agents need; changes nothing.

    Raises:
        Refused: some cannot be made; one error tells of all of them.
        MdtmuxError: a base does not exist, or the repository has no commit.
    """
    owners = [agent for agent in office.agents if agent.isolation is Isolation.OWN]
    paths: dict[str, Path] = {
        agent.name: place_for(office.worktrees, repository, office.name, agent.name)
        for agent in owners
    }
    needed = _needed(office, starting)
    wanted = [agent for agent in owners if agent.name in needed]
    resolved = (
        resolve_all(repository, {agent.base for agent in wanted}) if wanted else {}
    )
    known = Store(ref.state).read()
    wants = [
        Want(
            agent.name,
            paths[agent.name],
            agent.branch,
            resolved[agent.base].sha,
            known.get(agent.name),
        )
        for agent in wanted
    ]
    steps = plan(repository, wants) if wants else ()
    refused = refusal(steps)
    if refused is not None:
        raise refused
    return TreePlan(
        office=office,
        ref=ref,
        repository=repository,
        paths=paths,
        resolved=resolved,
        steps=steps,
        words=_words(office, steps),
        bases=tuple(_base_line(base) for base in resolved.values()),
    )


def check_trees(office: Office, ref: OfficeRef, agents: Collection[str]) -> None:
    """Check that agents which are about to be stopped could work in their worktrees again.

    Raises:
        MdtmuxError: one could not; says that nothing was stopped.
    """
    try:
        plan_trees(office, ref, inspect(ref.repo), agents)
    except MdtmuxError as error:
        error.message = f"nothing was stopped: {error.message}"
        raise


def _needed(office: Office, starting: Collection[str]) -> set[str]:
    """The owners of the worktrees in which the starting agents work."""
    found: set[str] = set()
    for agent in office.agents:
        if agent.name in starting:
            shared = agent.shares if agent.isolation is Isolation.SHARE else None
            found.add(shared or agent.name)
    return found


def _words(office: Office, steps: Sequence[Step]) -> dict[str, str]:
    words = {
        step.agent: f"{_WORDS[step.action]} {step.branch}"
        + (f" ({step.note})" if step.note else "")
        for step in steps
    }
    for agent in office.agents:
        if agent.isolation is Isolation.OFFICE:
            words[agent.name] = "none: works in the repository"
        elif agent.isolation is Isolation.SHARE:
            words[agent.name] = f"shares that of {agent.shares}"
    return words


def _base_line(base: Base) -> str:
    name = f" ({short(base.ref)})" if base.ref and short(base.ref) != base.asked else ""
    line = f"base {base.asked}{name} is {base.sha[:12]}"
    if base.upstream and base.behind:
        line += f", {base.behind} commits behind {base.upstream}"
    return f"{line}; {base.note}" if base.note else line


def build_trees(
    tree_plan: TreePlan, agents: Sequence[str], note: Callable[[str], None]
) -> dict[str, MdtmuxError]:
    """Make the worktrees that the agents need; return the error of each that failed.

    `note` is told the bases of new branches and what people should know of a
    worktree. An agent that shares a worktree fails with the one whose it is.
    """
    needed = _needed(tree_plan.office, agents)
    steps = [step for step in tree_plan.steps if step.agent in needed]
    if not steps:
        return {}
    if any(step.action is Action.CREATE for step in steps):
        for line in tree_plan.bases:
            note(line)
    store = Store(tree_plan.ref.state)
    known = store.read()
    # Before they are made: after a kill the next `up` still knows the bases.
    store.put(_record(tree_plan, step, known.get(step.agent)) for step in steps)
    supplies = _supplies(tree_plan, steps)
    placed: dict[str, Furnished] = {}

    def furnish(made: Made) -> None:
        placed[made.agent] = place(supplies[made.agent], made.path)

    made = make(tree_plan.repository, steps, furnish)
    return _settle(tree_plan, agents, made, placed, note)


def _settle(
    tree_plan: TreePlan,
    agents: Sequence[str],
    made: Mapping[str, Made | MdtmuxError],
    placed: Mapping[str, Furnished],
    note: Callable[[str], None],
) -> dict[str, MdtmuxError]:
    """Remember what stands, tell the notes, and return the failures."""
    store = Store(tree_plan.ref.state)
    known = store.read()
    stands: list[Record] = []
    failed: dict[str, MdtmuxError] = {}
    for name, result in made.items():
        if isinstance(result, MdtmuxError):
            failed[name] = result
            continue
        furnished = placed.get(name, Furnished())
        for text in (*result.notes, *furnished.notes):
            note(f"{name}: {text}")
        stands.append(_with_made(known[name], result, furnished))
    store.put(stands)
    store.drop(name for name in failed if _is_nothing(known[name]))
    for agent in tree_plan.office.agents:
        if agent.shares in failed and agent.name in agents:
            failed[agent.name] = failed[agent.shares]
    return failed


def _is_nothing(record: Record) -> bool:
    """Tell whether a record is of a worktree that never came to be."""
    return not (record.made_branch or record.made_worktree or record.path.exists())


def _supplies(tree_plan: TreePlan, steps: Sequence[Step]) -> dict[str, Supplies]:
    """Read what is to be placed, once for all agents that ask for the same."""
    top = tree_plan.repository.top
    gathered: dict[tuple[tuple[str, ...], tuple[str, ...]], Supplies] = {}
    found: dict[str, Supplies] = {}
    for step in steps:
        agent = tree_plan.office.agent(step.agent)
        asked = (agent.copy, agent.link) if agent is not None else ((), ())
        if asked not in gathered:
            gathered[asked] = gather(top, *asked)
        found[step.agent] = gathered[asked]
    return found


def _record(tree_plan: TreePlan, step: Step, known: Record | None) -> Record:
    if known is not None and known.path == step.path and known.branch == step.branch:
        return known
    agent = tree_plan.office.agent(step.agent)
    assert agent is not None
    base = tree_plan.resolved[agent.base]
    return Record(
        agent=step.agent,
        path=step.path,
        branch=step.branch,
        base_sha=base.sha,
        base_ref=base.ref,
    )


def _with_made(record: Record, made: Made, furnished: Furnished) -> Record:
    latest = {one.path: one for one in (*record.placed, *furnished.placed)}
    return dataclasses.replace(
        record,
        made_branch=record.made_branch or made.made_branch,
        made_worktree=record.made_worktree or made.made_worktree,
        placed=tuple(latest.values()),
    )
