"""Records of runs: written whole, read back, without secrets."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from mdtmux.names import PaneId, RunId
from mdtmux.office.model import Isolation, Marks, Paste, Ready, Stop
from mdtmux.running import records
from mdtmux.running.records import (
    PromptState,
    RunRecord,
    agent_from_json,
    agent_to_json,
)
from tests.support.agents import agent

_TEXT = st.text(max_size=20)
_TEXTS = st.lists(_TEXT, max_size=3).map(tuple)
_MAYBE = st.none() | _TEXT


@given(
    command=st.none() | _TEXTS,
    model=_MAYBE,
    copy=_TEXTS,
    keys=st.none() | _TEXTS,
    pattern=_MAYBE,
    isolation=st.sampled_from(Isolation),
    paste=st.sampled_from(Paste),
    waiting=_MAYBE,
)
def test_an_agent_reads_back(
    command: tuple[str, ...] | None,
    model: str | None,
    copy: tuple[str, ...],
    keys: tuple[str, ...] | None,
    pattern: str | None,
    isolation: Isolation,
    paste: Paste,
    waiting: str | None,
) -> None:
    """Whatever an agent is, its JSON gives the same agent."""
    one = replace(
        agent("a"),
        command=command,
        model=model,
        copy=copy,
        stop=Stop(keys, 3.5),
        ready=Ready(pattern, 7.0),
        isolation=isolation,
        paste=paste,
        marks=Marks(waiting=waiting),
    )

    assert agent_from_json(json.loads(json.dumps(agent_to_json(one)))) == one


def _record(name: str, started: float = 1.0) -> RunRecord:
    secret = replace(agent(name), env=(("KEY", "s3cr3t"),), prompt="the prompt")
    return RunRecord(
        run=RunId("abc"),
        agent=secret,
        pane=PaneId("%1"),
        server_pid=10,
        pid=20,
        created=30.5,
        directory=Path("/somewhere"),
        worktree=None,
        branch="lab/a",
        started=started,
        ready=True,
        prompt=PromptState.PENDING,
        digest="x",
    )


def test_a_record_keeps_no_secret(world: Path) -> None:
    """Neither the environment's values nor the prompt are written."""
    records.save(world, _record("a"))
    text = (world / "runs" / "a.json").read_text()
    found = records.load(world, "a")

    assert "s3cr3t" not in text
    assert "the prompt" not in text
    assert found is not None
    assert (found.run, found.pid, found.created, found.ready) == ("abc", 20, 30.5, True)


def test_what_cannot_be_read_is_no_record(world: Path) -> None:
    """A torn file, another version's file and a missing one are no record."""
    (world / "runs").mkdir()
    (world / "runs" / "torn.json").write_text('{"run":')
    (world / "runs" / "other.json").write_text('{"run": 5}')

    assert records.load(world, "torn") is None
    assert records.load(world, "other") is None
    assert records.load(world, "none") is None
    assert records.load_all(world) == {}


def test_records_come_in_the_order_of_their_starts(world: Path) -> None:
    """The first started comes first; a forgotten one is gone."""
    for name, started in (("a", 3.0), ("b", 1.0), ("c", 2.0)):
        records.save(world, _record(name, started))
    assert list(records.load_all(world)) == ["b", "c", "a"]
    records.forget(world, "c")
    records.forget(world, "c")
    assert list(records.load_all(world)) == ["b", "a"]
