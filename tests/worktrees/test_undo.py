"""What was removed or discarded comes back in full, or nothing is touched."""

from __future__ import annotations

import signal
from dataclasses import replace
from pathlib import Path

import pytest

from mdtmux.errors import Refused, UsageError
from mdtmux.worktrees import trash
from mdtmux.worktrees.record import Record, Store
from mdtmux.worktrees.remove import remove
from mdtmux.worktrees.repository import inspect
from mdtmux.worktrees.undo import describe, purge, undo
from tests.support.repos import git
from tests.support.trees import (
    branches,
    commit,
    files_of,
    furnish,
    killed_removal,
    other_git,
    picture,
    stored,
    tree,
)
from tests.support.wait import until


@pytest.fixture
def state(world: Path) -> Path:
    """Return an office's state folder."""
    return world / "state"


def _busy_tree(repo: Path) -> Record:
    """Return a worktree with work of every kind in it."""
    commit(repo, ".gitignore", "out/\n")
    record = tree(repo)
    commit(record.path, "committed")
    (record.path / "README.md").write_text("staged\n")
    git(record.path, "add", "README.md")
    (record.path / "README.md").write_text("changed after\n")
    (record.path / "new file é").write_text("untracked\n")
    (record.path / "out").mkdir()
    (record.path / "out/report").write_text("ignored\n")
    (record.path / "link").symlink_to("nowhere")
    (record.path / "run").write_text("#!/bin/sh\n")
    (record.path / "run").chmod(0o755)
    return record


def _all(path: Path) -> tuple[object, ...]:
    return (
        files_of(path),
        git(path, "status", "--porcelain=v2", "--branch", "--ignored"),
        git(path, "diff"),
        git(path, "diff", "--cached"),
        (path / "run").stat().st_mode,
    )


def test_a_forced_removal_comes_back_with_everything(repo: Path, state: Path) -> None:
    """Commits, staged, changed, untracked and ignored files, links and modes."""
    record = _busy_tree(repo)
    store = stored(state, record)
    before = _all(record.path)
    remove(inspect(repo), record, state, force=True)

    done = undo(inspect(repo), state)

    assert _all(record.path) == before
    assert store.read() == {"a": record}
    assert trash.records(state) == ()
    assert "refs/mdtmux" not in git(repo, "for-each-ref")
    assert "with everything in it" in done.what
    git(record.path, "fsck", "--no-progress")


def test_a_rebase_in_the_middle_comes_back_and_goes_on(repo: Path, state: Path) -> None:
    """The git folder is kept too: the operation can be finished after undo."""
    record = tree(repo)
    commit(record.path, "README.md", "one\n")
    commit(repo, "README.md", "two\n")
    with pytest.raises(AssertionError, match="could not apply"):
        git(record.path, "rebase", "main")
    remove(inspect(repo), record, state, force=True)

    undo(inspect(repo), state)

    (record.path / "README.md").write_text("both\n")
    git(record.path, "add", "README.md")
    git(record.path, "-c", "core.editor=true", "rebase", "--continue")
    assert git(record.path, "log", "--format=%s", "-2") == "work\nwork"


def test_a_safe_removal_comes_back_with_its_copies(repo: Path, state: Path) -> None:
    """Made anew from branch and main checkout, also when the branch is gone."""
    commit(repo, ".gitignore", ".env\nnode_modules\n")
    (repo / ".env").write_text("key\n")
    (repo / "node_modules").mkdir()
    made = tree(repo)
    placed = furnish(repo, made.path, [".env"], ["node_modules"]).placed
    record = Record("a", made.path, made.branch, made.base_sha, placed=placed)
    stored(state, record)
    before = files_of(record.path)
    remove(inspect(repo), record, state)
    git(repo, "branch", "-D", "ag/a")

    undo(inspect(repo), state)

    assert files_of(record.path) == before
    assert git(record.path, "status", "--porcelain", "--branch") == "## ag/a"
    assert Store(state).read() == {"a": record}


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
def test_settings_of_the_worktree_alone_come_back(
    repo: Path, state: Path, force: bool, sparse: bool
) -> None:
    """`git config --worktree`, and which files a sparse checkout has."""
    git(repo, "config", "extensions.worktreeConfig", "true")
    commit(repo, "inner/one")
    commit(repo, "other/two")
    record = tree(repo)
    git(record.path, "config", "--worktree", "user.email", "agent@example.invalid")
    if sparse:
        git(record.path, "sparse-checkout", "set", "inner")
    if force:
        (record.path / "new").write_text("mine\n")
    before = _settings(record.path)
    remove(inspect(repo), record, state, force=force)

    done = undo(inspect(repo), state)

    assert done.notes == ()
    assert _settings(record.path) == before
    assert (record.path / "other").exists() == (not sparse)
    assert list((state / "undo").iterdir()) == []


def _settings(path: Path) -> tuple[object, ...]:
    return (
        git(path, "config", "--worktree", "--list"),
        files_of(path),
        git(path, "status", "--porcelain"),
        git(path, "ls-files", "-t"),
    )


def test_a_copy_whose_source_is_gone_is_told(repo: Path, state: Path) -> None:
    """The rest comes back, the note names what could not."""
    commit(repo, ".gitignore", ".env\n")
    (repo / ".env").write_text("key\n")
    made = tree(repo)
    placed = furnish(repo, made.path, [".env"]).placed
    remove(
        inspect(repo),
        Record("a", made.path, made.branch, made.base_sha, placed=placed),
        state,
    )
    (repo / ".env").unlink()

    done = undo(inspect(repo), state)

    assert done.notes == (f"`.env` is no longer in `{repo}` and was not copied",)


@pytest.mark.parametrize("force", [False, True])
def test_a_place_that_is_taken_refuses(repo: Path, state: Path, force: bool) -> None:
    """Path taken, branch checked out elsewhere, branch moved: nothing is touched."""
    record = tree(repo)
    if force:
        (record.path / "new").write_text("mine\n")
    remove(inspect(repo), record, state, force=force)

    record.path.mkdir()
    with pytest.raises(Refused, match="is taken"):
        undo(inspect(repo), state)
    record.path.rmdir()

    git(repo, "checkout", "-q", "ag/a")
    with pytest.raises(Refused, match="is checked out at"):
        undo(inspect(repo), state)
    moved = commit(repo, "later")
    git(repo, "checkout", "-q", "main")
    before = picture(repo, repo)
    with pytest.raises(Refused, match=f"has moved from .* to {moved[:8]}"):
        undo(inspect(repo), state)
    assert picture(repo, repo) == before
    git(repo, "branch", "-f", "ag/a", "main")
    undo(inspect(repo), state)
    assert record.path.is_dir()


def test_a_forced_removal_comes_back_after_up_made_another(
    repo: Path, state: Path
) -> None:
    """`rm --force`, then `up` made a fresh worktree: undo waits until that one is gone."""
    record = tree(repo)
    (record.path / "new").write_text("mine\n")
    remove(inspect(repo), record, state, force=True)
    tree(repo)
    with pytest.raises(Refused, match="is taken"):
        undo(inspect(repo), state)
    remove(inspect(repo), record, state)
    kept = next(one for one in trash.records(state) if one.kept)

    undo(inspect(repo), state, kept.id)

    assert (record.path / "new").read_text() == "mine\n"


@pytest.mark.parametrize("up", [False, True])
def test_a_kill_in_the_middle_of_a_removal_loses_nothing(
    repo: Path, state: Path, world: Path, up: bool
) -> None:
    """Moved aside, but still registered: undo puts it back, at once or after an `up`."""
    record = _busy_tree(repo)
    before = _all(record.path)
    rule = 'case "$*" in *"worktree remove"*) kill -9 $PPID; exit 1;; esac'
    done = killed_removal(repo, state, record, other_git(world, rule), force=True)
    assert done.returncode == -signal.SIGKILL
    assert not record.path.exists()
    kept = trash.records(state)[0]
    if up:
        remove(inspect(repo), tree(repo), state, force=True)

    undo(inspect(repo), state, kept.id)

    assert _all(record.path) == before


def test_the_last_one_comes_first_and_ids_choose(repo: Path, state: Path) -> None:
    """Without an id the newest is taken back; a wrong id suggests the nearest."""
    records = [tree(repo, agent) for agent in ("a", "b")]
    ids = [remove(inspect(repo), record, state).undo for record in records]
    with pytest.raises(UsageError) as caught:
        undo(inspect(repo), state, ids[0][:-1] + "x")
    assert ids[0] in str(caught.value.hint)

    assert undo(inspect(repo), state).undo.id == ids[1]
    assert undo(inspect(repo), state, ids[0]).undo.id == ids[0]
    with pytest.raises(UsageError, match="nothing to undo"):
        undo(inspect(repo), state)


def test_purge_gives_up_what_was_kept(repo: Path, state: Path) -> None:
    """Folder, snapshot, git folder and record go."""
    record = tree(repo)
    (record.path / "new").write_text("mine\n")
    remove(inspect(repo), record, state, force=True)
    kept = trash.records(state)[0]
    assert "untracked files: `new`" in describe(kept)
    assert kept.trash is not None
    folder = kept.trash

    assert purge(inspect(repo), state) == 1

    assert list((state / "undo").iterdir()) == []
    assert "refs/mdtmux" not in git(repo, "for-each-ref")
    assert branches(repo) == {"main", "ag/a"}
    until(lambda: not folder.exists(), what="deletion in the background")


def test_a_record_that_cannot_be_read_is_left_out(repo: Path, state: Path) -> None:
    """Another version's file is no crash and stays on disk."""
    (state / "undo").mkdir(parents=True)
    (state / "undo/x.json").write_text('{"id": "x", "record": {}}')

    assert trash.records(state) == ()


def test_an_undo_that_was_killed_at_its_end_is_done(repo: Path, world: Path) -> None:
    """All is back, only the record is not dropped: the next undo does no more."""
    state, record = world / "state", tree(repo)
    (record.path / "new").write_text("mine\n")
    remove(inspect(repo), record, state, force=True)
    (saved,) = trash.records(state)
    undo(inspect(repo), state)
    trash.save(state, replace(saved, half=True))

    undo(inspect(repo), state)

    assert trash.records(state) == ()
    assert (record.path / "new").read_text() == "mine\n"


def test_a_link_that_came_back_stays_out_of_commits(repo: Path, state: Path) -> None:
    """With the last worktree the line in `info/exclude` went; it is there again."""
    commit(repo, ".gitignore", "deps/\n")
    (repo / "deps").mkdir()
    record = tree(repo)
    record = replace(record, placed=furnish(repo, record.path, [], ["deps"]).placed)
    (record.path / "work").write_text("mine")
    stored(state, record)
    remove(inspect(repo), record, state, force=True)
    assert "deps" not in (repo / ".git/info/exclude").read_text()

    undo(inspect(repo), state)

    assert git(record.path, "status", "--porcelain") == "?? work"
