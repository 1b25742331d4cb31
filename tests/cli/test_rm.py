"""`mdtmux rm`, `down --remove-worktrees` and who else lives in a worktree."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.office import Lab, make_lab, tui
from tests.support.repos import git
from tests.support.tree_office import tree_office
from tests.support.wait import until


@pytest.fixture
def lab(tidy: Path) -> Lab:
    """Give an office of `a`, of `b` in a's worktree, and of `c` in the repository."""
    lab = make_lab(tidy)
    agents = [
        {"name": "a", "command": tui("a")},
        {"name": "b", "command": tui("b"), "worktree": {"share": "a"}},
        {"name": "c", "command": tui("c"), "worktree": False},
    ]
    lab.write(agents)
    lab.ok("up")
    return lab


def test_who_lives_in_a_shared_worktree_is_named(lab: Lab) -> None:
    """Neither `discard` nor `rm` blames the owner, who is stopped, for the sharer."""
    lab.ok("stop", "a")
    tree = lab.home / "repo__worktrees/lab/a"
    (tree / "new").write_text("x\n")

    for args in (("discard", "a", "-y"), ("merge", "a", "--rebase")):
        done = lab.run(*args)
        assert done.code == 4
        assert "agent `b` is running in" in done.err
        assert "`mdtmux stop b`" in done.err
    removed = lab.run("rm", "a", "--force")

    assert removed.code == 4
    assert "agent `b` works in it" in removed.err
    assert "`mdtmux stop b`" in removed.err
    assert "--force" not in removed.err
    assert (tree / "new").exists()


def test_files_do_not_change_under_an_agent_at_work(lab: Lab) -> None:
    """A merge into its branch is refused, unless it is the one that merges."""
    lab.ok("spawn", "--name", "d", "--command", " ".join(tui("d")))
    tree = lab.home / "repo__worktrees/lab/d"
    (tree / "new").write_text("x\n")
    git(tree, "add", "new")
    git(tree, "commit", "-q", "-m", "new")

    done = lab.run("merge", "d", "--into", "lab/a")

    assert done.code == 4
    assert "agents `a` and `b` are running in" in done.err
    assert "`mdtmux stop a b`" in done.err
    lab.ok("stop", "b")
    inside = {"MDTMUX_STATE": str(lab.state()), "MDTMUX_AGENT": "a"}
    lab.ok("merge", "d", "--into", "lab/a", env=inside)
    assert (lab.home / "repo__worktrees/lab/a/new").exists()


def test_only_a_branch_that_there_is_is_kept(lab: Lab) -> None:
    """An agent without a worktree of its own has no branch that `rm` could keep."""
    assert lab.ok("rm", "b").out == "b: removed; the worktree of `a` stays\n"
    assert lab.ok("rm", "c").out == "c: removed\n"
    assert lab.ok("rm", "a").out == "a: removed; its branch `lab/a` is kept\n"


def test_forced_removals_say_what_they_took_and_how_to_undo(lab: Lab) -> None:
    """`rm --force` and `down --remove-worktrees --force` print what `undo` takes."""
    lab.ok("stop", "b")
    tree = lab.home / "repo__worktrees/lab/a"
    (tree / "new").write_text("x\n")
    (tree / "office.txt").write_text("x\n")

    down = lab.ok("down", "--remove-worktrees", "--force").out

    told = "taken: untracked files: `new`, `office.txt`; bring back: mdtmux undo a-"
    assert told in down
    lab.ok("undo", down.split()[-1])
    assert (tree / "new").read_text() == "x\n"
    value = lab.ok("rm", "a", "--force", "--json").json()
    assert isinstance(value, dict)
    assert value["taken"] == ["untracked files: `new`, `office.txt`"]
    lab.ok("undo", str(value["undo"]))
    assert (tree / "new").exists()


def test_an_agent_named_twice_is_stopped_once(lab: Lab) -> None:
    """`stop a a` tells of one agent."""
    assert lab.ok("stop", "a", "a").out == "stopped a\n"


def test_one_queued_text_is_one_text(lab: Lab) -> None:
    """`why` counts as people do."""
    lab.ok("stop", "a")
    lab.ok("send", "a", "--queue", "hello")
    assert "1 text waits;" in lab.ok("why", "a").out
    lab.ok("send", "a", "--queue", "hello")
    assert "2 texts wait;" in lab.ok("why", "a").out


def test_what_was_never_typed_is_named_and_kept(lab: Lab) -> None:
    """`rm` throws no queued text away: the next agent of that name gets it."""
    command = " ".join(tui("d"))
    lab.ok("spawn", "--name", "d", "--command", command)
    lab.ok("stop", "d")
    kept = lab.ok("send", "d", "--queue", "--json", "do it later").json()
    assert isinstance(kept, dict)

    assert (
        f"kept for the next agent of that name: {kept['id']}" in lab.ok("rm", "d").err
    )
    lab.ok("spawn", "--name", "d", "--command", command)
    until(lambda: lab.submits("d"), seconds=20, what="the text")

    assert lab.submits("d") == ["do it later"]


def test_spawn_does_not_offer_what_it_does_not_take(lab: Lab) -> None:
    """A side process is no kind of agent."""
    done = lab.run("spawn", "--name", "d", "--kind", "xyz")

    assert done.code == 2
    assert "kinds: " in done.err
    assert "process" not in done.err


def test_folders_that_were_made_for_worktrees_go_with_the_last(world: Path) -> None:
    """What `up` made on the way goes when it is empty, and nothing else."""
    lab = make_lab(world)
    lab.write([{"name": n, "command": tui(n)} for n in "ab"])
    trees = lab.home / "repo__worktrees"
    lab.ok("up")

    lab.ok("down", "a", "--remove-worktrees")
    assert trees.is_dir()
    lab.ok("down", "--remove-worktrees")

    until(lambda: not trees.exists(), what="end of the empty folders")


def test_a_folder_that_was_there_before_stays(world: Path) -> None:
    """The user's own empty folder is not ours to remove."""
    lab = make_lab(world)
    lab.write([{"name": "a", "command": tui("a")}])
    trees = lab.home / "repo__worktrees"
    trees.mkdir()
    lab.ok("up")

    lab.ok("down", "--remove-worktrees")

    until(lambda: not (trees / "lab").exists(), what="end of the empty folder")
    assert trees.is_dir()


def test_purge_counts_what_it_gives_up(repo: Path) -> None:
    """One removal is not `1 removals and discards`."""
    office = tree_office(repo, "a")
    (office.records["a"].path / "new").write_text("mine\n")
    office.ok("discard", "a", "-y")

    assert "give up 1 discard for good?" in office.refused("undo", "--purge")
