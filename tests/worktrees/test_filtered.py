"""What a clean filter hides from git is in no commit: nothing may overwrite it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mdtmux.errors import Refused
from mdtmux.worktrees.discard import discard
from mdtmux.worktrees.merge import Way, Wish, merge
from mdtmux.worktrees.record import Record
from mdtmux.worktrees.repository import inspect
from mdtmux.worktrees.undo import undo
from tests.support.repos import git
from tests.support.trees import commit, tree

HOURS = "code\noutput of hours\n"


@pytest.fixture
def record(repo: Path) -> Record:
    """Return a worktree of a repository that strips outputs from its notebooks."""
    git(repo, "config", "filter.strip.clean", "grep -v output || true")
    commit(repo, ".gitattributes", "*.ipynb filter=strip\n")
    commit(repo, "n.ipynb", "code\n")
    return tree(repo)


def _work(where: Path) -> Path:
    """Give the notebook an output there, in a checkout that git calls clean."""
    place = where / "n.ipynb"
    place.write_text(HOURS)
    git(where, "add", "n.ipynb")
    assert git(where, "status", "--porcelain") == ""
    return place


def test_a_merge_does_not_overwrite_it(repo: Path, record: Record) -> None:
    """The target's checkout has outputs of a notebook that the branch changes."""
    commit(record.path, "n.ipynb", "other code\n")
    place = _work(repo)

    with pytest.raises(Refused, match="would overwrite"):
        merge(inspect(repo), Wish(record, Way.MERGE))

    assert place.read_text() == HOURS


def test_a_rebase_does_not_overwrite_it(repo: Path, record: Record) -> None:
    """The agent's checkout has outputs of a notebook that the target has changed."""
    commit(record.path, "work")
    commit(repo, "n.ipynb", "other code\n")
    place = _work(record.path)

    with pytest.raises(Refused, match="would overwrite"):
        merge(inspect(repo), Wish(record, Way.REBASE))

    assert place.read_text() == HOURS


def test_a_notebook_that_the_branch_does_not_change_is_no_obstacle(
    repo: Path, record: Record
) -> None:
    """Only what the merge would write is looked at."""
    commit(record.path, "work")
    place = _work(repo)

    assert merge(inspect(repo), Wish(record, Way.MERGE)).changed
    assert place.read_text() == HOURS


def test_undo_does_not_overwrite_it(repo: Path, world: Path, record: Record) -> None:
    """Outputs that came after a discard stay."""
    commit(record.path, "n.ipynb", "other code\n")
    discard(inspect(repo), record, world / "state")
    place = _work(record.path)

    with pytest.raises(Refused, match="which undo would overwrite"):
        undo(inspect(repo), world / "state")

    assert place.read_text() == HOURS
