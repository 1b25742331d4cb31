"""The decision for every agent, from facts alone."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtmux.worktrees.plan import (
    Action,
    Place,
    Situation,
    Step,
    Want,
    decide,
    refusal,
)
from mdtmux.worktrees.record import Record
from mdtmux.worktrees.repository import Worktree

PATH = Path("/w/ag/a")
OTHER = Path("/elsewhere/x")
BASE = "b" * 40
TIP = "c" * 40
WANT = Want("a", PATH, "ag/a", BASE)
KNOWN = dataclasses.replace(WANT, known=Record("a", PATH, "ag/a", BASE))
HERE = Worktree(PATH, TIP, "ag/a")
THERE = Worktree(OTHER, TIP, "ag/a")


def _step(want: Want, situation: Situation) -> Step:
    return decide([want], {want.agent: situation})[0]


def test_nothing_there_is_made_on_a_new_branch() -> None:
    """A free place and a free name: create at the base."""
    step = _step(WANT, Situation())

    assert (step.action, step.sha, step.note) == (Action.CREATE, BASE, "")


def test_a_branch_that_exists_is_used_and_said() -> None:
    """An existing free branch keeps its commits; the note tells where it is."""
    step = _step(WANT, Situation(branch_sha=TIP))

    assert (step.action, step.sha) == (Action.USE_BRANCH, TIP)
    assert "used as it is, at cccccccc" in step.note


def test_a_remote_branch_of_that_name_is_said() -> None:
    """The new branch does not follow it, which the note tells."""
    assert (
        "`origin/ag/a` exists too" in _step(WANT, Situation(remote="origin/ag/a")).note
    )


def test_what_stands_rightly_is_adopted() -> None:
    """Right place, right branch: used again, and said when it was not ours."""
    situation = Situation(Place.FULL, HERE, "ag/a", row_alive=True, branch_sha=TIP)

    assert _step(KNOWN, situation).action is Action.ADOPT
    assert _step(KNOWN, situation).note == ""
    assert "stood here already" in _step(WANT, situation).note


@pytest.mark.parametrize("place", [Place.FREE, Place.EMPTY])
def test_a_missing_folder_is_repaired_on_its_branch(place: Place) -> None:
    """Registered and gone: that registration goes, the branch is used again (C27)."""
    step = _step(KNOWN, Situation(place, HERE, "ag/a", branch_sha=TIP))

    assert (step.action, step.stale, step.sha) == (Action.REPAIR, PATH, TIP)


def test_our_own_missing_folder_elsewhere_is_repaired_too() -> None:
    """`worktrees:` changed after the old folder was deleted by hand."""
    want = dataclasses.replace(WANT, known=Record("a", OTHER, "ag/a", BASE))

    step = _step(want, Situation(holder=THERE, branch_sha=TIP))

    assert (step.action, step.stale) == (Action.REPAIR, OTHER)


LOCKED = dataclasses.replace(HERE, locked="on a stick")
REFUSALS = {
    "elsewhere": (
        WANT,
        Situation(holder=THERE, holder_alive=True),
        "checked out at `/elsewhere/x`",
    ),
    "agent": (
        WANT,
        Situation(holder=THERE, holder_alive=True, owner="jim"),
        "`/elsewhere/x` (agent `jim`)",
    ),
    "gone": (
        WANT,
        Situation(holder=THERE),
        "belongs to a worktree `/elsewhere/x` that is gone",
    ),
    "moved": (
        dataclasses.replace(WANT, known=Record("a", OTHER, "ag/a", BASE)),
        Situation(holder=THERE, holder_alive=True, owner="a"),
        "is checked out at",
    ),
    "full": (WANT, Situation(Place.FULL), "a folder that is not empty and no worktree"),
    "file": (WANT, Situation(Place.FILE), "is a file and no worktree"),
    "link": (WANT, Situation(Place.LINK), "is a symbolic link"),
    "blocked": (
        WANT,
        Situation(Place.BLOCKED, blocked="`/w` is a file"),
        "`/w` is a file",
    ),
    "branch": (
        WANT,
        Situation(Place.FULL, HERE, "main", row_alive=True),
        "is on branch `main`, not on branch `ag/a`",
    ),
    "detached": (
        WANT,
        Situation(Place.FULL, HERE, None, row_alive=True),
        "no branch (detached",
    ),
    "replaced": (
        KNOWN,
        Situation(Place.FULL, HERE, "ag/a"),
        "not the worktree that git knows",
    ),
    "locked": (
        KNOWN,
        Situation(row=LOCKED, row_branch="ag/a"),
        "is locked, and its folder is gone",
    ),
    "foreign": (
        WANT,
        Situation(row=HERE, row_branch="x"),
        "on branch `x`, whose folder is gone",
    ),
    "inside": (
        WANT,
        Situation(inside=Path("/w")),
        "would lie inside the checkout `/w`",
    ),
    "clash": (WANT, Situation(clash="ag"), "cannot be made beside the branch `ag`"),
    "name": (
        dataclasses.replace(WANT, branch="a..b"),
        Situation(),
        "cannot stand in a branch",
    ),
    "newline": (
        dataclasses.replace(WANT, path=Path("/w/a\nb")),
        Situation(),
        "line break",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_would_be_wrong_is_refused(name: str) -> None:
    """Each danger is refused with its reason, naming the culprit."""
    want, situation, reason = REFUSALS[name]

    step = _step(want, situation)

    assert step.action is Action.REFUSE
    assert reason in step.reason


def test_our_own_worktree_at_the_old_place_tells_how_to_move_it() -> None:
    """After `worktrees:` changed, the hint is the one git command."""
    want, situation, _ = REFUSALS["moved"]

    assert (
        _step(want, situation).hint
        == "move it: git worktree move '/elsewhere/x' '/w/ag/a'"
    )


def test_agents_that_collide_are_refused() -> None:
    """One branch twice, a branch as another's folder, one path twice, nested paths."""
    wants = [
        Want("a", Path("/w/a"), "ag/a", BASE),
        Want("b", Path("/w/b"), "ag/a", BASE),
        Want("c", Path("/w/c"), "ag/a/c", BASE),
        Want("d", Path("/w/a"), "ag/d", BASE),
        Want("e", Path("/w/a/e"), "ag/e", BASE),
        Want("f", Path("/w"), "ag/f", BASE),
    ]

    steps = decide(wants, {want.agent: Situation() for want in wants})

    reasons = {step.agent: step.reason for step in steps if step.reason}
    assert set(reasons) == {"b", "c", "d", "e", "f"}
    assert "agent `a` has branch `ag/a`" in reasons["b"]
    assert "same worktree path" in reasons["d"]
    assert "overlap" in reasons["e"]


def test_one_error_tells_every_refusal() -> None:
    """Two refusals are in one message; one alone keeps its hint; none is None."""
    wants = [Want(name, Path("/w", name), f"ag/{name}", BASE) for name in "abc"]
    bad = {"a": Situation(Place.FILE), "b": Situation(), "c": Situation(clash="ag")}

    steps = decide(wants, bad)
    error = refusal(steps)

    assert error is not None
    assert error.exit_code == 4
    assert "agent `a`: `/w/a` is a file" in error.message
    assert "agent `c`: branch `ag/c`" in error.message
    assert "agent `b`" not in error.message
    assert "rename the other" in str(getattr(refusal(steps[2:]), "hint", ""))
    assert refusal(steps[1:2]) is None


_BRANCHES = st.lists(
    st.text("ab/", min_size=1, max_size=5).filter(lambda name: "//" not in name),
    max_size=6,
)


@given(_BRANCHES)
def test_what_is_not_refused_can_exist_side_by_side(names: list[str]) -> None:
    """Of any set of branches, those given out never collide as files and folders."""
    wants = [Want(f"{i}", Path(f"/w/{i}"), name, BASE) for i, name in enumerate(names)]

    steps = decide(wants, {want.agent: Situation() for want in wants})

    given_out = [step.branch for step in steps if step.action is Action.CREATE]
    assert len(set(given_out)) == len(given_out)
    assert not any(
        one.startswith(f"{other}/") for one in given_out for other in given_out
    )
