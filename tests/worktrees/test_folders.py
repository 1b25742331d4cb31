"""Which folders above worktrees are ours to remove."""

from __future__ import annotations

from pathlib import Path

from mdtmux.worktrees.folders import made, note, remove_empty
from mdtmux.worktrees.make import repository_state
from mdtmux.worktrees.repository import inspect
from tests.support.trees import make_trees


def test_the_innermost_comes_first_and_what_is_gone_is_forgotten(world: Path) -> None:
    """In that order one pass removes a chain of empty folders, and no other."""
    place, outer, inner = world / "state", world / "a", world / "a/b"
    inner.mkdir(parents=True)

    note(place, (outer,))
    note(place, (inner, world / "nonesuch"))

    assert made(place) == (inner, outer)
    (outer / "file").touch()
    remove_empty(made(place))
    assert made(place) == (outer,)


def test_making_worktrees_notes_what_was_made_on_the_way(repo: Path) -> None:
    """A folder that was there before is not noted."""
    trees = repo.parent / "repo__worktrees"
    trees.mkdir()

    make_trees(repo, ["a", "b"])

    assert made(repository_state(inspect(repo).common_dir)) == (trees / "ag",)
