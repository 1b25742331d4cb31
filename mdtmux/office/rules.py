"""What must hold between the members of one office: names, branches, dependencies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter

from mdtmux.names import nearest
from mdtmux.office import schema
from mdtmux.office.branches import Claims
from mdtmux.office.fields import Record
from mdtmux.office.members import Member
from mdtmux.office.model import Agent, Isolation
from mdtmux.office.nodes import shown
from mdtmux.office.report import Where

# The sender of mail that a person writes.
RESERVED_NAMES = {
    "human": "mail from people bears this name",
    "office": "mail of the office itself bears this name",
    "all": "mail to everybody bears this name",
}


def check_names(records: Sequence[Record]) -> None:
    """Note names that are reserved or stand twice; case does not tell them apart."""
    seen: dict[str, tuple[str, int]] = {}
    for record in records:
        name = record.get(schema.NAME)
        if name is None:
            continue
        where = record.at(schema.NAME)
        folded = name.casefold()
        if folded in RESERVED_NAMES:
            where.fault(f"`{name}` is reserved: {RESERVED_NAMES[folded]}")
        if folded in seen:
            other, line = seen[folded]
            if other == name:
                where.fault(f"`{name}` is the name of the one on line {line} too")
            else:
                where.fault(
                    f"`{name}` and `{other}` on line {line} differ only in case"
                )
        else:
            seen[folded] = (name, where.line)


def check_branches(members: Sequence[Member]) -> None:
    """Note branches of two agents that cannot exist side by side."""
    claims = Claims()
    owners: dict[str, Member] = {}
    for member in members:
        agent = member.agent
        if agent.isolation is not Isolation.OWN:
            continue
        other = claims.claim(agent.branch)
        owners.setdefault(agent.branch, member)
        if other is None:
            continue
        owner = owners[other]
        # Default branches collide only with the names, which has been noted.
        if member.keys.owns(schema.BRANCH) or owner.keys.owns(schema.BRANCH):
            place = f"`{owner.agent.name}` on line {owner.agent.line}"
            both = f"{shown(agent.branch)} and {shown(other)} of {place}"
            member.keys.at(schema.BRANCH).fault(
                f"the branches {both} cannot exist side by side",
                "git keeps a branch as a file; every agent needs its own",
            )


def share_worktrees(members: Sequence[Member]) -> list[Agent]:
    """Return the agents, those that share a worktree with its owner's branch."""
    named: dict[str, Agent] = {member.agent.name: member.agent for member in members}
    agents: list[Agent] = []
    for member in members:
        agent = member.agent
        if agent.shares is not None:
            owner = named.get(agent.shares)
            where = member.keys.at(schema.WORKTREE)
            if owner is None:
                _unknown(agent.shares, named, where)
            elif owner.isolation is not Isolation.OWN:
                where.fault(f"`{owner.name}` has no worktree of its own to share")
            else:
                agent = replace(agent, branch=owner.branch, base=owner.base)
        agents.append(agent)
    return agents


def check_dependencies(members: Sequence[Member]) -> None:
    """Note dependencies on nobody, on oneself, and in a circle."""
    named: dict[str, Member] = {member.agent.name: member for member in members}
    for member in members:
        where = member.keys.at(schema.DEPENDS_ON)
        for name in member.agent.depends_on:
            if name == member.agent.name:
                where.fault(f"`{name}` depends on itself")
            elif name not in named:
                _unknown(name, named, where)
    for circle in _circles(named):
        where = named[circle[0]].keys.at(schema.DEPENDS_ON)
        where.fault(f"a circle: {' → '.join([*circle, circle[0]])}")


def _circles(named: Mapping[str, Member]) -> Iterator[list[str]]:
    """Yield separate circles of dependencies, each from its first agent in the file."""
    graph = {
        name: {other for other in member.agent.depends_on if other != name}
        for name, member in named.items()
    }
    order = {name: number for number, name in enumerate(named)}
    while True:
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            # graphlib lists what is needed before what needs it, the first one twice.
            circle: list[str] = list(reversed(error.args[1][1:]))
            start = circle.index(min(circle, key=lambda name: order[name]))
            yield circle[start:] + circle[:start]
            graph = {
                name: others - set(circle)
                for name, others in graph.items()
                if name not in circle
            }
        else:
            return


def _unknown(name: str, known: Mapping[str, object], where: Where) -> None:
    near = nearest(name, known)
    where.fault(
        f"there is no {shown(name)} in this office",
        f"did you mean `{near}`?" if near else None,
    )
