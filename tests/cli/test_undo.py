"""`mdtmux undo`."""

from __future__ import annotations

from pathlib import Path

from mdtmux.worktrees.remove import remove
from mdtmux.worktrees.repository import inspect
from tests.support.repos import git
from tests.support.tree_office import TreeOffice, tree_office
from tests.support.trees import commit, files_of


def _removed(repo: Path) -> tuple[TreeOffice, str, dict[str, bytes | str]]:
    office = tree_office(repo, "a")
    record = office.records["a"]
    (record.path / "new").write_text("mine\n")
    before = files_of(record.path)
    identifier = remove(inspect(repo), record, office.state, force=True).undo
    return office, identifier, before


def test_a_removed_worktree_comes_back(repo: Path) -> None:
    """The last removal, without an id."""
    office, _, before = _removed(repo)
    path = office.records["a"].path

    done = office.ok("undo")

    assert (
        done.out == f"brought back: worktree `{path}` on `ag/a` with everything in it\n"
    )
    assert files_of(path) == before
    nothing = office.run("undo")
    assert (nothing.code, "nothing to undo" in nothing.err) == (2, True)


def test_the_list_shows_ids_ages_and_what_is_kept(repo: Path) -> None:
    """As a table and as JSON; an empty list is said on stderr."""
    office, identifier, _ = _removed(repo)

    shown = office.ok("undo", "--list").out
    value = office.ok("undo", "--list", "--json").json()

    assert identifier in shown
    assert "untracked files: `new`" in shown
    assert isinstance(value, list)
    assert [(one["id"], one["kind"]) for one in value] == [(identifier, "removed")]
    office.ok("undo", identifier, "--json")
    done = office.ok("undo", "--list")
    assert (done.out, "nothing to undo" in done.err) == ("", True)


def test_a_place_that_is_taken_exits_4(repo: Path) -> None:
    """Nothing is touched, and the kept work stays."""
    office, identifier, _ = _removed(repo)
    office.records["a"].path.mkdir()

    assert "is taken" in office.refused("undo")
    assert identifier in office.ok("undo", "--list").out


def test_purge_asks_first(repo: Path) -> None:
    """Giving up for good needs `--yes`."""
    office, _, _ = _removed(repo)

    assert "for good?" in office.refused("undo", "--purge")
    assert office.ok("undo", "--purge", "--yes").out == "purged 1\n"
    assert "refs/mdtmux" not in git(repo, "for-each-ref")


def test_work_that_was_discarded_comes_back(repo: Path) -> None:
    """The same command for both kinds."""
    office = tree_office(repo, "a")
    path = office.records["a"].path
    tip = commit(path, "one")
    office.ok("discard", "a", "--yes")

    assert office.ok("undo").out == "brought back: work of `a` on `ag/a`\n"
    assert git(path, "rev-parse", "HEAD") == tip
