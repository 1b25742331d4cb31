"""Plans are pure: what is to start, what is kept, where it differs."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

from mdtmux.names import AgentName, PaneId, RunId
from mdtmux.office import schema
from mdtmux.office.model import Agent, Isolation, Marks
from mdtmux.running.observe import Standing, State
from mdtmux.running.plan import Act, decide, digest
from mdtmux.running.records import (
    PromptState,
    RunRecord,
    agent_from_json,
    agent_to_json,
)
from tests.support.agents import agent, office


def _running(one: Agent) -> Standing:
    record = RunRecord(
        run=RunId("r1"),
        agent=agent_from_json(agent_to_json(one)),
        pane=PaneId("%1"),
        server_pid=1,
        pid=2,
        created=3.0,
        directory=Path("/"),
        worktree=None,
        branch=one.branch,
        started=4.0,
        ready=True,
        prompt=PromptState.SUBMITTED,
        digest=digest(one),
    )
    state = State.RUNNING
    return Standing(one.name, state, "lives", 4.0, None, None, None, None, record, None)


def test_what_does_not_run_is_started(tmp_path: Path) -> None:
    """Agents without a process are started, in the file's order; the rest is kept."""
    a, b = agent("a"), agent("b")
    rows = decide(office(tmp_path, a, b), {"a": _running(a)}, ())

    assert [(row.name, row.act) for row in rows] == [("a", Act.KEEP), ("b", Act.START)]


def test_planning_what_is_done_changes_nothing(tmp_path: Path) -> None:
    """When everything runs as the file says there is no start and no drift."""
    agents = [replace(agent("a"), env=(("K", "v"),), prompt="p"), agent("b")]
    rows = decide(
        office(tmp_path, *agents), {one.name: _running(one) for one in agents}, ()
    )

    assert [(row.act, row.drift) for row in rows] == [(Act.KEEP, ())] * 2


def test_drift_is_told_in_words(tmp_path: Path) -> None:
    """A changed key is named, environment and prompt too, of which no value is kept."""
    old = replace(agent("a"), env=(("K", "v"),), prompt="p")
    changed = replace(
        agent("a"), env=(("K", "v"),), prompt="p", model="big", args=("-x",)
    )
    secret = replace(agent("a"), env=(("K", "w"),), prompt="p")
    moved = replace(agent("a"), env=(("K", "v"),), prompt="p", line=99)

    def drift(now: Agent) -> tuple[str, ...]:
        return decide(office(tmp_path, now), {"a": _running(old)}, ())[0].drift

    assert set(drift(changed)) == {"model", "args"}
    assert drift(secret) == ("env",)
    assert drift(replace(secret, prompt="q", model="big")) == ("model", "env", "prompt")
    assert drift(moved) == ()


def test_drift_speaks_the_words_of_the_file(tmp_path: Path) -> None:
    """Each is a key that the office file has, so that one can look there."""
    known = {field.key for field in (*schema.AGENT.fields, schema.PROCESSES)}
    a = agent("a")
    words = {
        replace(a, isolation=Isolation.SHARE, shares=AgentName("b")): "worktree",
        replace(a, isolation=Isolation.OFFICE): "worktree",
        replace(a, marks=Marks(idle="> $")): "screen",
        replace(a, is_process=True): "processes",
    }
    for now, word in words.items():
        rows = decide(office(tmp_path, now), {"a": _running(a)}, ())
        assert rows[0].drift == (word,)

    # The other fields are called as their keys are.
    own = {"isolation", "shares", "marks", "is_process", "line"}
    assert {field.name for field in fields(Agent)} - own <= known


def test_only_the_named_are_planned(tmp_path: Path) -> None:
    """Naming agents leaves the others out."""
    plan = office(tmp_path, agent("a"), agent("b"))

    assert [row.name for row in decide(plan, {}, {"b"})] == ["b"]
