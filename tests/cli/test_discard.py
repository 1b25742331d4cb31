"""`mdtmux discard`."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tests.support.office import Lab, make_lab, tui
from tests.support.repos import git
from tests.support.tree_office import tree_office
from tests.support.trees import commit, files_of


def test_it_asks_before_it_throws_away(repo: Path) -> None:
    """Without a terminal and without `--yes` nothing is done."""
    office = tree_office(repo, "a")
    path = office.records["a"].path
    commit(path, "one")
    before = files_of(path)

    err = office.refused("discard", "a")

    assert (
        "nothing was done, for there is nobody to ask: discard 1 commit of agent `a`?"
        in err
    )
    assert "--yes" in err
    assert files_of(path) == before


def test_work_goes_and_undo_brings_it_back(repo: Path) -> None:
    """The printed id is the one that undo takes."""
    office = tree_office(repo, "a")
    path = office.records["a"].path
    commit(path, "one")
    (path / "new").write_text("x\n")
    before = files_of(path)

    done = office.ok("discard", "a", "--yes")

    assert done.out.startswith(
        "discarded 1 commit and 1 file that was not committed of a"
    )
    assert git(path, "status", "--porcelain") == ""
    assert not (path / "one").exists()
    office.ok("undo", done.out.split()[-1])
    assert files_of(path) == before


def test_json_and_nothing_to_discard(repo: Path) -> None:
    """The undo id is in the object; without work it is null."""
    office = tree_office(repo, "a")
    nothing = office.ok("discard", "a", "--json").json()
    commit(office.records["a"].path, "one")
    value = office.ok("discard", "a", "--yes", "--json").json()

    assert isinstance(nothing, dict)
    assert isinstance(value, dict)
    assert nothing["undo"] is None
    assert (value["commits"], value["files"]) == (1, [])
    assert str(value["undo"]).startswith("a-")
    assert "nothing to discard" in office.ok("discard", "a").out


def test_a_running_agent_keeps_its_work(world: Path, tidy: Path) -> None:
    """It must be stopped first; its worktree is not changed under it."""
    lab: Lab = make_lab(world)
    lab.write([{"name": "a", "command": tui("a")}])
    lab.ok("up")
    path = world / "here/repo__worktrees/lab/a"
    (path / "new").write_text("x\n")

    done = lab.run("discard", "a", "--yes")

    assert done.code == 4
    assert "mdtmux stop a" in done.err
    assert (path / "new").exists()
    lab.ok("stop", "a")
    lab.ok("discard", "a", "--yes")
    assert not (path / "new").exists()


def test_names_of_any_bytes_are_told_and_come_back(repo: Path) -> None:
    """A name that is no UTF-8 is an escape in JSON; diff, discard and undo work."""
    office = tree_office(repo, "a")
    name = os.fsdecode(b"bad\xff.txt")
    file = office.records["a"].path / name
    file.write_text("mine\n")

    told = json.loads(office.ok("diff", "a", "--json").out)
    assert told["uncommitted"] == [name]
    assert json.loads(office.ok("discard", "a", "-y", "--json").out)["files"] == [name]
    assert not file.exists()
    office.ok("undo", "--list")
    office.ok("undo", "--json")

    assert file.read_text() == "mine\n"
