"""Repositories inside a worktree: what is only there is found before it goes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from mdtmux.worktrees.record import Record
from mdtmux.worktrees.safety import Kind, risks
from tests.support.repos import git, make_repo
from tests.support.trees import commit, tree

_ALLOW = ("-c", "protocol.file.allow=always")


@pytest.fixture
def record(repo: Path, world: Path) -> Record:
    """Return a worktree with a submodule `sub`, checked out, at a tag of its own."""
    inner = make_repo(world / "inner", {"f": "x\n"})
    git(inner, "tag", "v1")
    git(repo, *_ALLOW, "submodule", "add", "-q", str(inner), "sub")
    git(repo, "commit", "-q", "-m", "sub")
    found = tree(repo)
    git(found.path, *_ALLOW, "submodule", "update", "-q", "--init")
    return found


def _tagged(path: Path) -> None:
    git(path / "sub", "switch", "-q", "-c", "x")
    commit(path / "sub", "new")
    git(path / "sub", "tag", "mine")
    git(path / "sub", "switch", "-q", "--detach", "HEAD~1")
    git(path / "sub", "branch", "-q", "-D", "x")


def _only_in_the_reflog(path: Path) -> None:
    commit(path / "sub", "new")
    git(path, *_ALLOW, "submodule", "update", "-q")


def _not_checked_out(path: Path) -> None:
    git(path / "sub", "switch", "-q", "-c", "x")
    commit(path / "sub", "new")
    git(path, "submodule", "-q", "deinit", "-f", "sub")


def _no_longer_a_submodule(path: Path) -> None:
    git(path / "sub", "switch", "-q", "-c", "x")
    commit(path / "sub", "new")
    git(path, "rm", "-q", "-f", "sub")
    git(path, "commit", "-q", "-m", "away")


def _flagged(path: Path) -> None:
    git(path / "sub", "update-index", "--assume-unchanged", "f")
    (path / "sub/f").write_text("changed\n")


def _tagged_with_a_note(path: Path) -> None:
    git(path / "sub", "tag", "-a", "-m", "precious", "mine")


def _note_of_one_not_checked_out(path: Path) -> None:
    _tagged_with_a_note(path)
    git(path, "submodule", "-q", "deinit", "-f", "sub")


def _tag_of_a_file(path: Path) -> None:
    (path / "notes").write_text("precious\n")
    blob = git(path / "sub", "hash-object", "-w", str(path / "notes"))
    (path / "notes").unlink()
    git(path / "sub", "tag", "mine", blob)


def _reference_to_a_folder(path: Path) -> None:
    tree = git(path / "sub", "rev-parse", "HEAD^{tree}")
    git(path / "sub", "update-ref", "refs/mine/x", tree)


def _stashed(path: Path) -> None:
    (path / "sub/f").write_text("precious\n")
    git(path / "sub", "stash", "-q")


def _known_to_orig_head(path: Path) -> None:
    module = path / "sub"
    git(module, "config", "core.logAllRefUpdates", "false")
    commit(module, "new")
    git(module, "reset", "-q", "--hard", "HEAD~1")
    shutil.rmtree(Path(git(module, "rev-parse", "--absolute-git-dir"), "logs"))


def _nested(path: Path) -> None:
    """Add a submodule to the submodule, publish both, and tag the innermost."""
    module, origin = path / "sub", git(path / "sub", "remote", "get-url", "origin")
    nested = make_repo(Path(origin).parent / "nested")
    git(module, *_ALLOW, "submodule", "add", "-q", str(nested), "deep")
    git(module, "commit", "-q", "-m", "deep")
    git(module, "push", "-q", "origin", "HEAD:refs/heads/x")
    git(path, "commit", "-q", "-a", "-m", "deeper")
    git(module / "deep", "tag", "-a", "-m", "precious", "mine")


CASES = [
    _tagged, _only_in_the_reflog, _not_checked_out, _no_longer_a_submodule, _flagged,
    _tagged_with_a_note, _note_of_one_not_checked_out, _tag_of_a_file,
    _reference_to_a_folder, _stashed, _known_to_orig_head, _nested,
]  # fmt: skip


@pytest.mark.parametrize("nested", [False, True])
def test_notes_that_the_main_checkout_has_too_are_no_risk(
    repo: Path, world: Path, nested: bool
) -> None:
    """A release that was fetched looks like an own tag; the other copy proves it."""
    inner = make_repo(world / "inner", {"f": "x\n"})
    if nested:
        deep = make_repo(world / "deep", {"f": "x\n"})
        git(deep, "tag", "-a", "-m", "release", "v2")
        git(inner, *_ALLOW, "submodule", "add", "-q", str(deep), "deep")
        git(inner, "commit", "-q", "-m", "deep")
    git(inner, "tag", "-a", "-m", "release", "v1")
    git(repo, *_ALLOW, "submodule", "add", "-q", str(inner), "sub")
    git(repo, "commit", "-q", "-m", "sub")
    update = ("submodule", "update", "-q", "--init", "--recursive")
    git(repo, *_ALLOW, *update)
    found = tree(repo)
    git(found.path, *_ALLOW, *update)

    assert risks(found.path, found.branch, found, repo) == ()


def test_what_is_published_is_no_risk(repo: Path, record: Record) -> None:
    """A submodule as it was cloned, at the commit that the base names."""
    assert risks(record.path, record.branch, record, repo) == ()


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.__name__))
def test_own_work_inside_is_a_risk(
    repo: Path, record: Record, case: Callable[[Path], None]
) -> None:
    """Tags, logs, folders that git keeps, and flags (C52)."""
    case(record.path)
    git(repo, "merge", "-q", "--ff-only", record.branch)

    found = {one.kind for one in risks(record.path, record.branch, record, repo)}

    assert Kind.SUBMODULE in found


def test_a_link_without_a_word_is_a_risk(repo: Path) -> None:
    """A repository that was added like a file has no `.gitmodules` and no remote."""
    record = tree(repo)
    make_repo(record.path / "nested", {"p": "precious\n"})
    git(record.path, "-c", "advice.addEmbeddedRepo=false", "add", "nested")
    git(record.path, "commit", "-q", "-m", "link")
    git(repo, "merge", "-q", "--ff-only", record.branch)

    (found,) = risks(record.path, record.branch, record, repo)

    assert (found.kind, found.what) == (Kind.SUBMODULE, ("nested",))


def test_a_file_in_the_place_of_a_submodule_is_a_risk(repo: Path, world: Path) -> None:
    """Git is blind in the folder of a submodule that is not checked out."""
    inner = make_repo(world / "inner", {"f": "x\n"})
    git(repo, *_ALLOW, "submodule", "add", "-q", str(inner), "sub")
    git(repo, "commit", "-q", "-m", "sub")
    record = tree(repo)
    assert risks(record.path, record.branch, record, repo) == ()
    (record.path / "sub/notes").write_text("precious\n")

    (found,) = risks(record.path, record.branch, record, repo)

    assert (found.kind, found.what) == (Kind.SUBMODULE, ("sub",))
