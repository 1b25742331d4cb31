"""`rm` beside an `up`, and what counts as living in a worktree."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mdtmux.errors import Refused
from mdtmux.running.clearing import remove_trees
from mdtmux.running.life import remove
from mdtmux.running.offices import OfficeRef, read_ref
from mdtmux.running.stopping import Survivor
from tests.support.office import Lab, make_lab, pair, tui

pytestmark = pytest.mark.usefixtures("tidy")


@pytest.fixture
def lab(world: Path) -> Lab:
    """Return a lab with a small repository."""
    return make_lab(world)


def _ref(lab: Lab) -> OfficeRef:
    ref = read_ref(lab.state())
    assert ref is not None
    return ref


def test_rm_leaves_alone_whom_somebody_started_meanwhile(lab: Lab) -> None:
    """An `up` between the steps of `rm` wins: nobody is hung up without a ladder."""
    pair(lab)
    lab.ok("up")
    with pytest.raises(Refused, match="started again"):
        remove(_ref(lab), "a", lambda: assert_up(lab), timeout=None)

    assert lab.rows()["a"]["state"] == "running"
    assert len(lab.starts("a")) == 2


def assert_up(lab: Lab) -> None:
    """Bring the office up, as somebody else."""
    lab.ok("up")


def test_restart_stops_nobody_whom_it_could_not_start(lab: Lab) -> None:
    """A file with a fault, or without the agent, is told before anything is stopped."""
    pair(lab)
    lab.ok("up")
    good = lab.file.read_text()
    for text in (good + "}", good.replace('"name": "a"', '"name": "c"')):
        lab.file.write_text(text)
        assert lab.run("restart", "a").code == 2
    lab.file.write_text(good)

    assert lab.rows()["a"]["state"] == "running"
    assert len(lab.starts("a")) == 1


def test_work_of_a_run_without_a_record_is_not_discarded(lab: Lab) -> None:
    """An agent whose `up` was killed before it wrote lives in its worktree all the same."""
    pair(lab)
    lab.ok("up")
    tree = Path(str(lab.rows()["a"]["worktree"]))
    (tree / "work").write_text("only here")
    (lab.state() / "runs" / "a.json").unlink()
    refused = lab.run("discard", "a", "--yes")

    assert refused.code == 4
    assert "is running" in refused.err
    assert (tree / "work").exists()


def test_the_worktree_of_a_process_that_would_not_end_stays(lab: Lab) -> None:
    """Nothing is taken away under a survivor of `down`, force or not."""
    pair(lab)
    lab.ok("up")
    trees = {name: Path(str(lab.rows()[name]["worktree"])) for name in "ab"}
    lab.ok("down")
    left = [Survivor("a", 1, ())]
    words = remove_trees(_ref(lab), (), force=True, survivors=left)

    assert "works in it" in words["a"].why
    assert trees["a"].is_dir()
    assert words["b"].why == ""
    assert not trees["b"].exists()


def test_a_prompt_without_a_receipt_is_not_typed_twice(lab: Lab) -> None:
    """When the receipt cannot be written, the prompt may have arrived all the same."""
    lab.write([{"name": "a", "command": tui("a")}])
    lab.ok("up")
    lab.ok("down")
    (lab.state() / "receipts.jsonl").unlink(missing_ok=True)
    (lab.state() / "receipts.jsonl").mkdir()
    lab.write([{"name": "a", "command": tui("a"), "prompt": "do it"}])
    first = lab.run("up")
    (lab.state() / "receipts.jsonl").rmdir()
    again = lab.run("up")

    assert (first.code, again.code) == (1, 1)
    assert "prompt unproven" in again.out
    assert lab.submits("a") == ["do it"]
    record = json.loads((lab.state() / "runs" / "a.json").read_text())
    assert record["prompt"] == "unproven"
