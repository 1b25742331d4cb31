"""Folders, files, links and submodules in each other's place: nothing goes unseen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mdtmux.errors import Refused
from mdtmux.worktrees import trash
from mdtmux.worktrees.discard import discard
from mdtmux.worktrees.merge import Way, Wish, merge
from mdtmux.worktrees.record import Record
from mdtmux.worktrees.repository import inspect
from mdtmux.worktrees.safety import Kind, risks
from mdtmux.worktrees.undo import undo
from tests.support.repos import git, make_repo
from tests.support.trees import add_submodule, all_of, commit, picture, tree

Change = Callable[[Path], None]


@pytest.fixture
def inner(world: Path) -> Path:
    """Return a repository to be a submodule of others."""
    return make_repo(world / "inner", {"f": "x\n"})


def _to_file(path: Path) -> None:
    path.write_text("a file\n")


def _to_link(path: Path) -> None:
    path.symlink_to("README.md")


def _to_folder(path: Path) -> None:
    path.mkdir()
    (path / "f").write_text("a file in a folder\n")


def _replace(record: Record, name: str, change: Change) -> None:
    """Let the agent commit something else in the place of what is tracked."""
    git(record.path, "rm", "-q", "-r", name)
    change(record.path / name)
    git(record.path, "add", "-A")
    git(record.path, "commit", "-q", "-m", "change")


def _as_it_is(_: Path) -> None:
    """Leave a checked out submodule alone."""


def _with_its_git_folder(path: Path) -> None:
    """Give it a git folder in itself, as an older git did: it would go along."""
    folder = path.parent / ".git/modules/sub"
    git(path, "config", "--unset", "core.worktree")
    (path / ".git").unlink()
    folder.rename(path / ".git")


def _not_checked_out(path: Path) -> None:
    """Git looks at nothing in the place of one that is not checked out."""
    git(path.parent, "submodule", "deinit", "-q", "-f", "sub")
    (path / "notes").write_text("PRECIOUS\n")


@pytest.mark.parametrize("way", list(Way))
@pytest.mark.parametrize("change", [_to_file, _to_link, _to_folder])
@pytest.mark.parametrize("has", [_as_it_is, _with_its_git_folder, _not_checked_out])
def test_a_merge_does_not_replace_a_submodules_folder(
    repo: Path, inner: Path, way: Way, change: Change, has: Change
) -> None:
    """What is in there may be nowhere else, and git would delete it without a word."""
    add_submodule(repo, inner, "sub")
    record = tree(repo)
    _replace(record, "sub", change)
    commit(repo, "theirs")
    has(repo / "sub")
    before = all_of(repo), picture(repo, record.path)
    wish = Wish(record, way)

    if has is _not_checked_out and change is _to_folder:
        merge(inspect(repo), wish)
        assert (repo / "sub/notes").read_text() == "PRECIOUS\n"
        return
    with pytest.raises(Refused, match=r"would overwrite: `sub/(notes)?`"):
        merge(inspect(repo), wish)

    assert (all_of(repo), picture(repo, record.path)) == before


def test_an_empty_folder_of_a_submodule_is_no_obstacle(repo: Path, inner: Path) -> None:
    """Of a submodule that was not checked out nothing can be lost."""
    add_submodule(repo, inner, "sub")
    record = tree(repo)
    _replace(record, "sub", _to_file)
    git(repo, "submodule", "deinit", "-q", "-f", "sub")

    merge(inspect(repo), Wish(record))

    assert (repo / "sub").read_text() == "a file\n"


def test_a_merge_leaves_a_new_file_in_a_folder_that_becomes_a_file(repo: Path) -> None:
    """It is staged, so it is no untracked one, and in no commit either."""
    commit(repo, "data/known")
    record = tree(repo)
    _replace(record, "data", _to_file)
    (repo / "data/new").write_text("PRECIOUS\n")
    git(repo, "add", "-N", "data/new")
    before = all_of(repo), picture(repo, repo, record.path)

    with pytest.raises(Refused, match=r"would overwrite: `data/new`"):
        merge(inspect(repo), Wish(record))

    assert (all_of(repo), picture(repo, repo, record.path)) == before


def test_a_discard_does_not_replace_a_submodules_folder(
    repo: Path, world: Path, inner: Path
) -> None:
    """The agent's branch has one where the base has a file."""
    commit(repo, "lib", "base\n")
    record = tree(repo)
    git(record.path, "rm", "-q", "lib")
    add_submodule(record.path, inner, "lib")
    (record.path / "lib/mine").write_text("PRECIOUS\n")
    before = all_of(record.path), picture(repo, record.path)

    with pytest.raises(Refused, match=r"`lib/`"):
        discard(inspect(repo), record, world / "state")

    assert (all_of(record.path), picture(repo, record.path)) == before
    assert trash.records(world / "state") == ()


def test_a_submodule_of_the_branch_stays_through_discard_and_undo(
    repo: Path, world: Path, inner: Path
) -> None:
    """Nothing comes in its place: its folder is left, and is there for undo."""
    record = tree(repo)
    add_submodule(record.path, inner, "lib")
    (record.path / "lib/mine").write_text("PRECIOUS\n")
    before = all_of(record.path), picture(repo, record.path)

    discard(inspect(repo), record, world / "state")
    assert (record.path / "lib/mine").read_text() == "PRECIOUS\n"
    undo(inspect(repo), world / "state")

    assert (all_of(record.path), picture(repo, record.path)) == before


def test_a_repository_in_the_place_of_a_file_stays_through_discard_and_undo(
    repo: Path, world: Path, inner: Path
) -> None:
    """The base has nothing there: it is left, and no obstacle for undo."""
    record = tree(repo)
    commit(record.path, "new")
    (record.path / "new").unlink()
    git(world, "clone", "-q", str(inner), str(record.path / "new"))
    before = all_of(record.path), picture(repo, record.path)

    assert discard(inspect(repo), record, world / "state").left == ("new",)
    assert (record.path / "new/.git").is_dir()
    undo(inspect(repo), world / "state")

    assert (all_of(record.path), picture(repo, record.path)) == before


def test_a_repository_made_in_a_folder_of_the_branch_is_no_obstacle_for_undo(
    repo: Path, world: Path
) -> None:
    """Undo writes into it only what is not there; what is there it names."""
    record = tree(repo)
    commit(record.path, "lib/k")
    (record.path / "lib/k").write_text("changed\n")
    git(record.path / "lib", "init", "-q")
    before = all_of(record.path), picture(repo, record.path)

    discard(inspect(repo), record, world / "state")
    (record.path / "lib/k").write_text("LATER\n")
    with pytest.raises(Refused, match=r"overwrite: `lib/k`"):
        undo(inspect(repo), world / "state")
    (record.path / "lib/k").unlink()
    undo(inspect(repo), world / "state")

    assert (all_of(record.path), picture(repo, record.path)) == before


def test_undo_does_not_replace_a_submodules_folder(
    repo: Path, world: Path, inner: Path
) -> None:
    """Checked out after the discard, where the discarded work has a file."""
    add_submodule(repo, inner, "sub")
    record = tree(repo)
    _replace(record, "sub", _to_file)
    discard(inspect(repo), record, world / "state")
    allow = ("-c", "protocol.file.allow=always")
    git(record.path, *allow, "submodule", "update", "-q", "--init")
    before = all_of(record.path), picture(repo, record.path)

    with pytest.raises(Refused, match=r"`sub/`"):
        undo(inspect(repo), world / "state")

    assert (all_of(record.path), picture(repo, record.path)) == before


def _ignored_folder(path: Path) -> None:
    (path / "x").unlink()
    (path / "x").mkdir()
    (path / "x/data.o").write_text("PRECIOUS\n")


def _ignored_and_new(path: Path) -> None:
    _ignored_folder(path)
    (path / "x/new").write_text("new\n")


def _ignored_and_staged(path: Path) -> None:
    _ignored_and_new(path)
    git(path, "add", "-A")


def _repository(path: Path) -> None:
    (path / "x").unlink()
    make_repo(path / "x", {"f": "PRECIOUS\n"})


def _empty_repository(path: Path) -> None:
    (path / "x").unlink()
    git(path, "init", "-q", "x")
    (path / "x/f").write_text("PRECIOUS\n")


def _ignored_link(path: Path) -> None:
    git(path, "rm", "-q", "-r", "d.o")
    (path / "d.o").symlink_to(path.parent)
    (path.parent / "f").write_text("outside\n")


def _ignored_file(path: Path) -> None:
    git(path, "rm", "-q", "-r", "d.o")
    (path / "d.o").write_text("PRECIOUS\n")


def _repository_for_a_folder(path: Path) -> None:
    git(path, "rm", "-q", "-r", "d.o")
    make_repo(path / "d.o", {"f": "PRECIOUS\n"})


@pytest.mark.parametrize(
    "change",
    [
        _ignored_folder,
        _ignored_and_new,
        _ignored_and_staged,
        _repository,
        _empty_repository,
        _ignored_link,
        _ignored_file,
        _repository_for_a_folder,
    ],
)
def test_a_discard_takes_nothing_that_no_snapshot_has(
    repo: Path, world: Path, change: Change
) -> None:
    """Something else stands where the base has a tracked file."""
    commit(repo, ".gitignore", "*.o\n")
    commit(repo, "x", "base\n")
    (repo / "d.o").mkdir()
    (repo / "d.o/f").write_text("base\n")
    git(repo, "add", "-f", "d.o/f")
    git(repo, "commit", "-q", "-m", "d.o")
    record = tree(repo)
    (record.path / "README.md").write_text("changed\n")
    change(record.path)
    before = all_of(record.path), picture(repo, record.path)

    with pytest.raises(Refused, match=r"`(x/|x/data\.o|d\.o|d\.o/)`"):
        discard(inspect(repo), record, world / "state")

    assert (all_of(record.path), picture(repo, record.path)) == before
    assert trash.records(world / "state") == ()


def test_a_file_in_the_place_of_a_submodule_is_work(
    repo: Path, world: Path, inner: Path
) -> None:
    """It is seen as a change: kept from removal, taken by discard, brought by undo."""
    add_submodule(repo, inner, "sub")
    record = tree(repo)
    (record.path / "sub").rmdir()
    (record.path / "sub").write_text("PRECIOUS\n")
    before = all_of(record.path), picture(repo, record.path)

    found = risks(record.path, record.branch, record, repo)
    assert [one.kind for one in found] == [Kind.MODIFIED]
    assert discard(inspect(repo), record, world / "state").files == ("sub",)
    assert (record.path / "sub").is_dir()
    undo(inspect(repo), world / "state")

    assert (all_of(record.path), picture(repo, record.path)) == before


CONES = [["in"], ["--sparse-index", "in"], ["--no-cone", "/in/"]]


def _sparse(repo: Path, cone: list[str]) -> Record:
    for name in ("in/k", "out/k", "out/j"):
        commit(repo, name)
    record = tree(repo)
    commit(record.path, "out/committed")
    git(record.path, "sparse-checkout", "set", *cone)
    return record


@pytest.mark.parametrize("cone", CONES)
def test_what_is_outside_of_a_sparse_checkout_comes_back(
    repo: Path, world: Path, cone: list[str]
) -> None:
    """Git itself would take it away for being outside, and not bring it again."""
    record = _sparse(repo, cone)
    out = record.path / "out"
    out.mkdir()
    (out / "k").write_text("PRECIOUS\n")
    (out / "run").write_text("PRECIOUS\n")
    (out / "run").chmod(0o755)
    (out / "link").symlink_to("run")
    before = all_of(record.path), picture(repo, record.path)

    discard(inspect(repo), record, world / "state")
    assert not out.exists()
    undo(inspect(repo), world / "state")

    assert (all_of(record.path), picture(repo, record.path)) == before
    assert (out / "run").stat().st_mode & 0o100


@pytest.mark.parametrize("cone", CONES)
@pytest.mark.parametrize("change", [_to_file, _to_link])
def test_a_file_in_the_place_of_a_folder_outside_refuses(
    repo: Path, world: Path, cone: list[str], change: Change
) -> None:
    """Undo could not keep git from seeing the files of that folder as deleted."""
    record = _sparse(repo, cone)
    change(record.path / "out")
    before = all_of(record.path), picture(repo, record.path)

    with pytest.raises(Refused, match=r"not to look at .*`out/committed`"):
        discard(inspect(repo), record, world / "state")

    assert (all_of(record.path), picture(repo, record.path)) == before
