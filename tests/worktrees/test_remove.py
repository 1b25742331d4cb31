"""Removal takes what stands elsewhere, and keeps aside what does not."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mdtmux.errors import GitError, Refused
from mdtmux.worktrees import trash
from mdtmux.worktrees.record import Record
from mdtmux.worktrees.remove import Removal, remove, remove_all
from mdtmux.worktrees.repository import inspect
from mdtmux.worktrees.safety import Kind
from mdtmux.worktrees.undo import undo
from tests.support.repos import git, make_repo
from tests.support.trees import (
    branches,
    commit,
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


def _litter(record: Record) -> list[str]:
    # The folder above is gone with the last worktree.
    return [one.name for one in record.path.parent.glob("*") if "trash" in one.name]


def test_a_worktree_without_work_goes_and_its_branch_stays(
    repo: Path, state: Path
) -> None:
    """Folder, registration and record are gone; files are deleted in the background."""
    record = tree(repo)
    store = stored(state, record)

    done = remove(inspect(repo), record, state)

    assert not record.path.exists()
    assert str(record.path) not in git(repo, "worktree", "list")
    assert branches(repo) == {"main", "ag/a"}
    assert store.read() == {}
    assert trash.records(state)[0].id == done.undo
    until(lambda: not _litter(record), what="deletion in the background")


def test_work_refuses_the_removal_and_names_it(repo: Path, state: Path) -> None:
    """Everything stays exactly as it was, and the message lists what is at stake (C52)."""
    commit(repo, ".gitignore", "out/\n")
    record = tree(repo)
    stored(state, record)
    commit(record.path, "work", message="my work")
    (record.path / "README.md").write_text("changed\n")
    (record.path / "out").mkdir()
    (record.path / "out/x").write_text("report\n")
    before = picture(repo, record.path)

    with pytest.raises(Refused) as caught:
        remove(inspect(repo), record, state)

    for word in ("`README.md`", "`out/x`", "my work"):
        assert word in caught.value.message
    assert "--force" in str(caught.value.hint)
    assert picture(repo, record.path) == before
    assert trash.records(state) == ()


def test_the_ones_without_work_go_the_others_stay(repo: Path, state: Path) -> None:
    """Each worktree is judged on its own."""
    records = [tree(repo, agent) for agent in "abc"]
    store = stored(state, *records)
    (records[1].path / "new").touch()

    done = remove_all(inspect(repo), records, state)

    assert [isinstance(done[agent], Removal) for agent in "abc"] == [True, False, True]
    assert [record.path.exists() for record in records] == [False, True, False]
    assert set(store.read()) == {"b"}


def test_force_keeps_the_whole_folder_aside(repo: Path, state: Path) -> None:
    """What was at stake is named, and files, index and a snapshot stay for undo."""
    record = tree(repo)
    stored(state, record)
    (record.path / "new").write_text("mine\n")

    done = remove(inspect(repo), record, state, force=True)

    kept = trash.records(state)[0]
    assert [risk.kind for risk in done.risks] == [Kind.UNTRACKED]
    assert not record.path.exists()
    assert kept.trash is not None
    assert (kept.trash / "new").read_text() == "mine\n"
    assert git(repo, "show", f"{kept.ref}:new") == "mine"
    assert kept.risks == ("untracked files: `new`",)


def test_force_works_on_a_locked_and_on_a_broken_worktree(
    repo: Path, state: Path
) -> None:
    """A lock is lifted; what git cannot read is kept whole."""
    locked, broken = tree(repo, "a"), tree(repo, "b")
    git(repo, "worktree", "lock", str(locked.path))
    admin = repo / ".git/worktrees/b"
    (admin / "index").write_bytes(b"no index")
    (broken.path / "new").write_text("mine\n")
    with pytest.raises(Refused, match="cannot be read"):
        remove(inspect(repo), broken, state)

    done = remove_all(inspect(repo), [locked, broken], state, force=True)

    assert [type(one) for one in done.values()] == [Removal, Removal]
    kept = next(one for one in trash.records(state) if one.record.agent == "b")
    assert kept.trash is not None
    assert (kept.trash / "new").read_text() == "mine\n"


def test_a_folder_that_is_no_worktree_of_ours_is_left(
    repo: Path, world: Path, state: Path
) -> None:
    """Somebody put another repository there: not even force touches it."""
    record = tree(repo)
    shutil.rmtree(record.path)
    make_repo(record.path)

    with pytest.raises(Refused, match="is not a worktree of"):
        remove(inspect(repo), record, state, force=True)

    assert (record.path / "README.md").exists()


def test_a_folder_deleted_by_hand_is_forgotten(repo: Path, state: Path) -> None:
    """Only its own registration goes; other missing worktrees stay registered."""
    record, other = tree(repo, "a"), tree(repo, "b")
    shutil.rmtree(record.path)
    shutil.rmtree(other.path)

    with pytest.raises(Refused, match="whose folder is not there") as caught:
        remove(inspect(repo), record, state)
    assert "git worktree repair" in str(caught.value.hint)
    remove(inspect(repo), record, state, force=True)

    listed = git(repo, "worktree", "list")
    assert str(record.path) not in listed
    assert str(other.path) in listed


def test_a_folder_moved_by_hand_keeps_its_git_folder(repo: Path, state: Path) -> None:
    """Its commit on no branch and its index come back even after --force."""
    record = tree(repo)
    git(record.path, "checkout", "-q", "--detach")
    sha = commit(record.path, "mine")
    moved = record.path.rename(record.path.with_name("moved"))
    with pytest.raises(Refused, match="whose folder is not there"):
        remove(inspect(repo), record, state)
    assert git(moved, "rev-parse", "HEAD") == sha

    remove(inspect(repo), record, state, force=True)
    undo(inspect(repo), state)
    git(repo, "worktree", "repair", str(moved))

    assert git(moved, "rev-parse", "HEAD") == sha
    assert git(moved, "status", "--porcelain") == ""


def test_a_commit_that_only_the_reflog_has_refuses(repo: Path, state: Path) -> None:
    """Made detached, then back on the branch; what was amended the branch's log has."""
    record = tree(repo)
    git(record.path, "checkout", "-q", "--detach")
    commit(record.path, "mine", message="on the side")
    git(record.path, "switch", "-q", "ag/a")

    with pytest.raises(
        Refused, match=r"only its reflog or ORIG_HEAD has: .* on the side"
    ):
        remove(inspect(repo), record, state)

    other = tree(repo, "b")
    commit(other.path, "work")
    git(other.path, "commit", "-q", "--amend", "-m", "better")
    git(repo, "merge", "-q", "ag/b")
    remove(inspect(repo), other, state)


def test_a_worktree_pruned_by_hand_goes_by_force_and_comes_back(
    repo: Path, state: Path
) -> None:
    """The hint says that --force removes it, so it does; the folder is kept whole."""
    record = tree(repo)
    (record.path / "new").write_text("mine\n")
    shutil.rmtree(repo / ".git/worktrees/a")
    with pytest.raises(Refused, match="cannot be read"):
        remove(inspect(repo), record, state)

    remove(inspect(repo), record, state, force=True)
    assert not record.path.exists()
    undo(inspect(repo), state)

    assert (record.path / "new").read_text() == "mine\n"


def test_a_name_that_is_no_utf_8_goes_and_comes_back(repo: Path, state: Path) -> None:
    """Told, stored and restored by its bytes."""
    record = tree(repo)
    name = os.fsdecode(b"bad\xff.txt")
    (record.path / name).write_text("mine\n")

    remove(inspect(repo), record, state, force=True)
    assert name in trash.records(state)[0].risks[0]
    undo(inspect(repo), state)

    assert (record.path / name).read_text() == "mine\n"


def test_placed_copies_and_clean_submodules_go_too(
    repo: Path, world: Path, state: Path
) -> None:
    """Proven copies are no work, and a verified submodule does not stop removal (C54)."""
    inner = make_repo(world / "inner")
    allow = ("-c", "protocol.file.allow=always")
    git(repo, *allow, "submodule", "add", "-q", str(inner), "sub")
    commit(repo, ".gitignore", ".env\n")
    (repo / ".env").write_text("key\n")
    bare = tree(repo)
    placed = furnish(repo, bare.path, [".env"]).placed
    record = Record("a", bare.path, bare.branch, bare.base_sha, placed=placed)
    git(record.path, *allow, "submodule", "update", "-q", "--init")

    remove(inspect(repo), record, state)

    assert not record.path.exists()
    assert (repo / ".env").exists()


def test_read_only_folders_do_not_stop_the_deletion(repo: Path, state: Path) -> None:
    """A module cache is read-only; hard links into a store keep their modes."""
    commit(repo, "cache/file")
    record = tree(repo)
    (record.path / "cache").chmod(0o555)

    remove(inspect(repo), record, state)

    until(lambda: not _litter(record), what="deletion in the background")


def test_a_registration_that_stays_puts_the_folder_back(
    repo: Path, state: Path, world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All or nothing: when git refuses, everything is as it was."""
    record = tree(repo)
    stored(state, record)
    (record.path / "new").write_text("mine\n")
    before = picture(repo, record.path)
    rule = 'case "$*" in *"worktree remove"*) echo fatal: no >&2; exit 128;; esac'
    monkeypatch.setenv("PATH", other_git(world, rule))

    with pytest.raises(GitError, match="git worktree remove: fatal: no"):
        remove(inspect(repo), record, state, force=True)

    monkeypatch.undo()
    assert picture(repo, record.path) == before
    assert trash.records(state) == ()


def test_what_a_killed_removal_left_is_swept_up(repo: Path, state: Path) -> None:
    """Judged safe and moved aside, but not deleted: the next removal does it."""
    record, other = tree(repo, "a"), tree(repo, "b")
    remove(inspect(repo), record, state)
    left = trash.records(state)[0].trash
    assert left is not None
    until(lambda: not left.exists(), what="deletion in the background")
    left.mkdir()

    remove(inspect(repo), other, state)

    until(lambda: not left.exists(), what="the sweep")


def _writes_during_the_look(repo: Path, world: Path, record: Record) -> str:
    """Return a PATH whose git writes a file right after the worktree was judged."""
    real = shutil.which("git")
    rule = (
        f'case "$*" in *"{record.path} "*" status "*) {real} "$@"; '
        f'echo late > "{record.path}/late"; exit 0;; esac'
    )
    return other_git(world, rule)


def test_what_is_written_after_the_look_stays(
    repo: Path, state: Path, world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Judged again when nobody can write there any more, and put back."""
    record = tree(repo)
    store = stored(state, record)
    monkeypatch.setenv("PATH", _writes_during_the_look(repo, world, record))

    with pytest.raises(Refused, match="untracked files: `late`"):
        remove(inspect(repo), record, state)

    monkeypatch.undo()
    assert (record.path / "late").read_text() == "late\n"
    assert git(record.path, "status", "--porcelain") == "?? late"
    assert str(record.path) in git(repo, "worktree", "list")
    assert "prunable" not in git(repo, "worktree", "list", "--porcelain")
    assert store.read() == {"a": record}
    assert trash.records(state) == ()


def test_force_keeps_what_is_written_after_the_look(
    repo: Path, state: Path, world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It goes aside whole, as if it had been there before."""
    record = tree(repo)
    monkeypatch.setenv("PATH", _writes_during_the_look(repo, world, record))

    done = remove(inspect(repo), record, state, force=True)

    monkeypatch.undo()
    assert [risk.kind for risk in done.risks] == [Kind.UNTRACKED]
    undo(inspect(repo), state)
    assert (record.path / "late").read_text() == "late\n"


def test_a_kill_before_the_second_look_keeps_the_folder(
    repo: Path, state: Path, world: Path
) -> None:
    """Not yet judged safe, it is not swept up; undo puts it back."""
    record = tree(repo)
    rule = 'case "$*" in *".mdtmux-trash-"*" status"*) kill -9 $PPID; exit 1;; esac'
    done = killed_removal(repo, state, record, other_git(world, rule))
    assert done.returncode == -signal.SIGKILL
    assert not record.path.exists()
    left = trash.records(state)[0]
    assert left.trash is not None
    (left.trash / "late").write_text("late\n")
    assert remove_all(inspect(repo), [], state) == {}

    undo(inspect(repo), state)

    assert git(record.path, "status", "--porcelain", "--branch") == "## ag/a\n?? late"
    assert "prunable" not in git(repo, "worktree", "list", "--porcelain")


def test_a_process_at_work_keeps_the_worktree(repo: Path, world: Path) -> None:
    """Whoever stands in the folder may write the next moment."""
    record = tree(repo)
    with subprocess.Popen(["sleep", "99"], cwd=record.path) as process:
        try:
            with pytest.raises(
                Refused, match=f"a process at work: `{process.pid} sleep"
            ):
                remove(inspect(repo), record, world / "state")
        finally:
            process.kill()

    remove(inspect(repo), record, world / "state")


def test_a_worktree_that_was_moved_is_not_called_removed(
    repo: Path, world: Path
) -> None:
    """It is named where it is now, and nothing is forgotten."""
    record = tree(repo)
    git(repo, "worktree", "move", str(record.path), str(world / "moved"))

    with pytest.raises(Refused, match=f"is checked out at `{world}/moved`"):
        remove(inspect(repo), record, world / "state", force=True)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what is open")
def test_an_open_file_keeps_the_worktree(repo: Path, world: Path) -> None:
    """Who has a file or folder of it open can write without standing there."""
    record = tree(repo)
    with (
        (record.path / "README.md").open("rb") as file,
        subprocess.Popen(["sleep", "99"], cwd="/", stdin=file) as process,
    ):
        try:
            with pytest.raises(Refused, match="a process at work"):
                remove(inspect(repo), record, world / "state")
        finally:
            process.kill()


@pytest.mark.skipif(
    subprocess.run(["unshare", "-m", "true"], check=False).returncode != 0,
    reason="needs the right to mount",
)
@pytest.mark.parametrize("force", [False, True])
def test_what_is_mounted_in_a_worktree_is_not_deleted_through_it(
    repo: Path, world: Path, force: bool
) -> None:
    """A bind mount shows files of another folder; the removal would empty that one."""
    record = tree(repo)
    precious = world / "precious/data"
    precious.parent.mkdir()
    precious.write_text("x\n")
    place = record.path / "ign"
    place.mkdir()
    names = (record.agent, record.branch, record.base_sha)
    code = f"""
from pathlib import Path
from mdtmux.errors import Refused
from mdtmux.worktrees.record import Record
from mdtmux.worktrees.remove import remove
from mdtmux.worktrees.repository import inspect
record = Record({names[0]!r}, Path({str(record.path)!r}), *{names[1:]!r})
try:
    remove(inspect(Path({str(repo)!r})), record, Path({str(world / "state")!r}), force={force})
except Refused as error:
    print(error.message, error.hint)
"""
    mount = 'mount --bind "$1" "$2" && exec "$3" -c "$4"'
    given = (str(precious.parent), str(place), sys.executable, code)
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", mount, "sh", *given],
        capture_output=True,
        text=True,
        check=False,
    )

    assert f"something is mounted in it: `{place}`" in done.stdout, done.stderr
    assert f"`umount {place}`" in done.stdout
    assert precious.exists()
