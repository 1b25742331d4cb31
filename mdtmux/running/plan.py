"""What `up` would do: a pure decision from the office file and what is seen."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from mdtmux.office.model import Agent, Office
from mdtmux.running.observe import Standing, State
from mdtmux.running.records import PromptState
from mdtmux.system.files import sha256

# Where the office file has another word for what an agent's field holds.
_KEYS = {
    "isolation": "worktree",
    "shares": "worktree",
    "marks": "screen",
    "is_process": "processes",
}


class Act(StrEnum):
    """What is to be done with one agent.

    `FOREIGN`: it has a pane, but the file does not name it; it is left alone.
    """

    START = "start"
    KEEP = "keep"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One agent's part of the plan; `drift` names the file's keys where it differs."""

    name: str
    act: Act
    why: str
    drift: tuple[str, ...]
    owes_prompt: bool


def digest(agent: Agent) -> str:
    """Return hashes of what shapes the agent's process and work, joined by dashes.

    The first is of everything, the others of the environment and of the prompt, of
    which no value is kept.
    """
    parts = (dataclasses.replace(agent, line=0), agent.env, agent.prompt)
    texts = (repr(part).encode("utf-8", "surrogateescape") for part in parts)
    return "-".join(sha256(text)[:16] for text in texts)


def decide(
    office: Office, standings: Mapping[str, Standing], only: Collection[str]
) -> tuple[PlanRow, ...]:
    """Return the plan: the file's agents in its order, then those it does not name.

    `only` limits it to some agents; empty means all.
    """
    rows = [
        _row(agent, standings.get(agent.name))
        for agent in office.agents
        if not only or agent.name in only
    ]
    named = {agent.name for agent in office.agents}
    strangers = [s for name, s in standings.items() if name not in named and s.pane]
    if not only:
        rows += [
            PlanRow(
                s.name, Act.FOREIGN, f"not in the file; {s.why}", (), owes_prompt=False
            )
            for s in strangers
        ]
    return tuple(rows)


def _row(agent: Agent, standing: Standing | None) -> PlanRow:
    if standing is None or not standing.lives:
        why = standing.why if standing else "it was never started"
        return PlanRow(agent.name, Act.START, why, (), owes_prompt=False)
    record = standing.record
    owes = (
        agent.prompt is not None
        and record is not None
        and standing.pane is not None
        and record.run == standing.pane.run
        and record.prompt in (PromptState.PENDING, PromptState.TYPING)
    )
    return PlanRow(agent.name, Act.KEEP, standing.why, drift(agent, standing), owes)


def drift(agent: Agent, standing: Standing) -> tuple[str, ...]:
    """Name the file's keys in which a running agent differs from it; empty if none."""
    record = standing.record
    if record is None or standing.state is State.STOPPED:
        return ()
    old, new = record.digest.split("-"), digest(agent).split("-")
    if old[0] == new[0]:
        return ()
    mine, theirs = dataclasses.asdict(agent), dataclasses.asdict(record.agent)
    hidden = ("env", "prompt")
    changed = [
        key for key in mine if key not in (*hidden, "line") and mine[key] != theirs[key]
    ]
    if len(old) == len(new):
        pairs = zip(hidden, old[1:], new[1:], strict=True)
        changed += [key for key, before, now in pairs if before != now]
    keys = dict.fromkeys(_KEYS.get(name, name) for name in changed)
    # What an older mdtmux has started has one hash of it all.
    return tuple(keys) or ("env or prompt",)
