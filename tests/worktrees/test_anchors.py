"""What only a removed worktree's git folder names outlives every `git gc`."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from mdtmux.worktrees import trash
from mdtmux.worktrees.plan import Action
from mdtmux.worktrees.record import Record
from mdtmux.worktrees.remove import remove
from mdtmux.worktrees.repository import inspect
from mdtmux.worktrees.undo import purge, undo
from tests.support.repos import git
from tests.support.trees import commit, steps, tree


@pytest.fixture
def state(world: Path) -> Path:
    """Return an office's state folder."""
    return world / "state"


@pytest.fixture
def record(repo: Path) -> Record:
    """Return a worktree with work, so that it goes by force only."""
    found = tree(repo)
    (found.path / "new").write_text("mine\n")
    return found


def _loose(path: Path) -> str:
    """Return a commit that no branch and no branch's log has."""
    base = git(path, "rev-parse", "HEAD")
    return git(path, "commit-tree", "-p", base, "-m", "loose", "HEAD^{tree}")


def _blob(path: Path, text: str) -> str:
    (path / "made").write_text(text)
    return git(path, "hash-object", "-w", "made")


def _logged(path: Path) -> list[str]:
    shas = [_loose(path)]
    git(path, "checkout", "-q", "--detach", shas[0])
    shas.append(commit(path, "more"))
    git(path, "checkout", "-q", "ag/a")
    return shas


def _in_own_refs(path: Path) -> list[str]:
    git(path, "tag", "-a", "-m", "note", "t", _loose(path))
    tag = git(path, "rev-parse", "refs/tags/t")
    git(path, "tag", "-d", "t")
    objects = [tag, _blob(path, "one\n"), git(path, "write-tree")]
    for number, sha in enumerate(objects):
        git(path, "update-ref", f"refs/worktree/deep/{number}", sha)
    return objects


def _bisected(path: Path) -> list[str]:
    sha = _loose(path)
    git(path, "update-ref", "refs/bisect/bad", sha)
    return [sha]


def _before_a_reset(path: Path) -> list[str]:
    git(path, "config", "core.logAllRefUpdates", "false")
    sha = commit(path, "work")
    git(path, "reset", "-q", "--hard", "HEAD~1")
    return [sha]


def _staged(path: Path) -> list[str]:
    (path / "new").write_text("staged\n")
    git(path, "add", "new")
    (path / "new").write_text("after\n")
    return [git(path, "rev-parse", ":new")]


def _in_conflict(path: Path) -> list[str]:
    shas = _staged(path)
    blobs = [_blob(path, f"{number}\n") for number in range(3)]
    rows = [f"0 {'0' * 40}\tREADME.md"]
    rows += [f"100644 {sha} {n + 1}\tREADME.md" for n, sha in enumerate(blobs)]
    listing = path.parent / "rows"
    listing.write_text("\n".join(rows) + "\n")
    git(path, "-c", f"alias.put=!git update-index --index-info < '{listing}'", "put")
    return shas + blobs


def _stashed_by_a_rebase(path: Path) -> list[str]:
    base = commit(path, "README.md", "one\n")
    git(path, "checkout", "-q", "-b", "target", f"{base}~1")
    commit(path, "README.md", "two\n")
    git(path, "checkout", "-q", "ag/a")
    commit(path, "other")
    (path / "other").write_text("not committed\n")
    with pytest.raises(AssertionError, match="could not apply"):
        git(path, "rebase", "--autostash", "target")
    place = git(path, "rev-parse", "--git-path", "rebase-merge/autostash")
    return [(path / place).read_text().strip()]


WAYS = [
    _logged, _in_own_refs, _bisected, _before_a_reset, _staged, _in_conflict,
    _stashed_by_a_rebase,
]  # fmt: skip


def _collect(repo: Path) -> None:
    git(repo, "reflog", "expire", "--expire=now", "--all")
    git(repo, "gc", "-q", "--prune=now")


@pytest.mark.parametrize("way", WAYS, ids=lambda way: str(way.__name__))
def test_what_only_the_git_folder_names_outlives_gc(
    repo: Path, state: Path, record: Record, way: Callable[[Path], list[str]]
) -> None:
    """`rm --force`, `git gc --prune=now`, `undo`: every object is there again."""
    shas = way(record.path)
    index = git(record.path, "ls-files", "-s")
    remove(inspect(repo), record, state, force=True)
    _collect(repo)

    undo(inspect(repo), state)

    for sha in shas:
        git(record.path, "cat-file", "-e", sha)
    assert git(record.path, "ls-files", "-s") == index
    assert "refs/mdtmux" not in git(repo, "for-each-ref")
    git(record.path, "fsck", "--no-progress")


def test_a_git_folder_without_its_worktree_is_anchored_too(
    repo: Path, state: Path, world: Path, record: Record
) -> None:
    """The folder was moved by hand and may come back."""
    shas = _logged(record.path) + _in_conflict(record.path)
    record.path.rename(world / "moved")
    remove(inspect(repo), record, state, force=True)
    _collect(repo)

    undo(inspect(repo), state)

    for sha in shas:
        git(repo, "cat-file", "-e", sha)


def test_a_socket_in_the_git_folder_is_left_out(
    repo: Path, state: Path, record: Record
) -> None:
    """That of a file system monitor cannot be copied; all else comes back."""
    admin = repo / ".git/worktrees/a"
    with socket.socket(socket.AF_UNIX) as monitor:
        monitor.bind(str(admin / "monitor.ipc"))
        remove(inspect(repo), record, state, force=True)

    undo(inspect(repo), state)

    assert (record.path / "new").read_text() == "mine\n"
    assert git(record.path, "status", "--porcelain") == "?? new"


def test_purge_lets_go_of_the_objects(repo: Path, state: Path, record: Record) -> None:
    """What was given up may be collected; what other entries anchor stays."""
    (sha, *_), other = _logged(record.path), tree(repo, "b")
    (kept, *_) = _logged_on(other)
    gone = remove(inspect(repo), record, state, force=True)
    remove(inspect(repo), other, state, force=True)

    purge(inspect(repo), state, gone.undo)

    _collect(repo)
    git(repo, "cat-file", "-e", kept)
    with pytest.raises(AssertionError):
        git(repo, "cat-file", "-e", sha)
    purge(inspect(repo), state)
    assert trash.records(state) == ()
    assert "refs/mdtmux" not in git(repo, "for-each-ref")


def _logged_on(record: Record) -> list[str]:
    git(record.path, "checkout", "-q", "--detach")
    sha = commit(record.path, "other", message="other work")
    git(record.path, "checkout", "-q", record.branch)
    return [sha]


def _in_the_index(path: Path) -> None:
    (path / "s").write_text("staged\n")
    git(path, "add", "s")


def _left(path: Path) -> None:
    git(path, "checkout", "-q", "--detach")
    commit(path, "loose")
    git(path, "checkout", "-q", "ag/a")


def _bisects(path: Path) -> None:
    git(path, "bisect", "start")


@pytest.mark.parametrize(
    ("work", "told"),
    [
        (_in_the_index, "staged files that are in no commit"),
        (_left, "commits that no branch has"),
        (_bisects, "an unfinished bisect"),
    ],
)
def test_a_worktree_whose_folder_is_away_is_not_made_anew_over_work(
    repo: Path, state: Path, world: Path, work: Callable[[Path], None], told: str
) -> None:
    """A disk that is not mounted comes back: git's folder of it is no rubbish."""
    record = tree(repo)
    work(record.path)
    record.path.rename(world / "away")

    (step,) = steps(repo, ["a"])
    assert (step.action, told in step.reason) == (Action.REFUSE, True)
    assert "mdtmux rm a --force" in str(step.hint)
    (world / "away").rename(record.path)
    (step,) = steps(repo, ["a"])
    assert step.action is Action.ADOPT

    record.path.rename(world / "away")
    remove(inspect(repo), record, state, force=True)
    (step,) = steps(repo, ["a"])
    assert step.action is Action.USE_BRANCH


def test_a_worktree_removed_by_hand_is_made_anew(repo: Path, world: Path) -> None:
    """What was committed and amended is on the branch and in its log."""
    record = tree(repo)
    commit(record.path, "work")
    git(record.path, "commit", "-q", "--amend", "-m", "better")
    record.path.rename(world / "away")

    (step,) = steps(repo, ["a"])

    assert step.action is Action.REPAIR
