"""Records survive the disk, and a torn or foreign file is no crash."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from mdtmux.worktrees.record import Placed, Record, Store, from_json, to_json

_TEXT = st.text(max_size=20)
_RECORDS = st.builds(
    Record,
    agent=_TEXT,
    path=_TEXT.filter(lambda text: "\0" not in text).map(lambda text: Path("/", text)),
    branch=_TEXT,
    base_sha=_TEXT,
    base_ref=st.none() | _TEXT,
    merged=st.none() | _TEXT,
    made_branch=st.booleans(),
    made_worktree=st.booleans(),
    placed=st.lists(st.builds(Placed, _TEXT, _TEXT, _TEXT), max_size=3).map(tuple),
)


@given(_RECORDS)
def test_a_record_reads_as_it_was_written(record: Record) -> None:
    """JSON carries every field."""
    assert from_json(to_json(record)) == record


def test_what_is_no_record_reads_as_none() -> None:
    """Another version's or a broken value is left out, not a crash."""
    values: list[object] = [None, [], {}, {"agent": "a"}]

    assert [from_json(value) for value in values] == [None] * 4


def test_the_store_adds_replaces_notes_and_drops(world: Path) -> None:
    """Records are by agent; the noted merge stays with its agent."""
    store = Store(world / "state")
    one = Record("a", world / "a", "ag/a", "0" * 40)
    two = Record("b", world / "b", "ag/b", "0" * 40)
    store.put([one, two])
    store.set_merged("a", "1" * 40, "main")
    store.set_merged("nobody", "1" * 40, "main")
    store.drop(["b", "nobody"])

    assert store.read() == {
        "a": Record(
            "a", world / "a", "ag/a", "0" * 40, merged="1" * 40, merged_into="main"
        )
    }
    store.file.write_text("{")
    assert store.read() == {}
