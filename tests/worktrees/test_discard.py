"""A discard takes exactly the agent's work, and undo brings exactly that back."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mdtmux.errors import GitError, Refused
from mdtmux.worktrees import trash
from mdtmux.worktrees.discard import Discarded, discard, preview
from mdtmux.worktrees.record import Record
from mdtmux.worktrees.repository import inspect
from mdtmux.worktrees.undo import undo
from tests.support.repos import git, make_repo
from tests.support.trees import commit, files_of, furnish, other_git, picture, tree


@pytest.fixture
def record(repo: Path) -> Record:
    """Return a worktree with work of every kind in it."""
    commit(repo, ".gitignore", "out/\n.env\n")
    commit(repo, "deleted")
    commit(repo, "mode")
    record = tree(repo)
    path = record.path
    commit(path, "committed/deep/file")
    (path / "README.md").write_text("staged\n")
    (path / "staged").write_text("new and staged\n")
    git(path, "add", "README.md", "staged")
    (path / "README.md").write_text("changed after\n")
    (path / "deleted").unlink()
    (path / "mode").chmod(0o755)
    (path / "new/deep").mkdir(parents=True)
    (path / "new/deep/é").write_text("untracked\n")
    (path / "out").mkdir()
    (path / "out/report").write_text("ignored\n")
    return record


def _discard(repo: Path, record: Record, world: Path) -> Discarded:
    return discard(inspect(repo), record, world / "state", running=())


def _all(path: Path) -> tuple[object, ...]:
    return (
        files_of(path),
        git(path, "status", "--porcelain=v2", "--branch", "--ignored"),
        git(path, "diff"),
        git(path, "diff", "--cached"),
        git(path, "log", "--format=%H"),
    )


def test_everything_goes_but_ignored_files_and_comes_back(
    repo: Path, world: Path, record: Record
) -> None:
    """Branch and files are at the base; undo restores files, index and commits."""
    before = _all(record.path)

    done = _discard(repo, record, world)

    assert git(record.path, "status", "--porcelain", "--branch") == "## ag/a"
    assert git(record.path, "rev-parse", "HEAD") == record.base_sha == done.after
    assert files_of(record.path) == files_of(repo) | {
        ".git": (record.path / ".git").read_bytes(),
        "out/report": b"ignored\n",
    }
    assert not (record.path / "new").exists()
    assert (done.commits, len(done.files)) == (1, 5)
    assert done.told() == "1 commit and 5 files that were not committed"

    undo(inspect(repo), world / "state")

    assert _all(record.path) == before
    assert trash.records(world / "state") == ()


def test_permissions_come_back(repo: Path, world: Path, record: Record) -> None:
    """A key that only its owner may read stays so, whether git tracks it or not."""
    modes = {
        "new/deep/é": 0o600, "README.md": 0o640, "staged": 0o700, "new": 0o700,
        "new/deep": 0o770, "committed/deep/file": 0o400,
    }  # fmt: skip
    for name, mode in modes.items():
        (record.path / name).chmod(mode)
    before = _all(record.path)
    _discard(repo, record, world)

    undo(inspect(repo), world / "state")

    found = {name: (record.path / name).stat().st_mode & 0o777 for name in modes}
    assert found == modes
    assert _all(record.path) == before


def test_commits_alone_come_back_too(repo: Path, world: Path) -> None:
    """A clean worktree with two commits, one of them a merge."""
    record = tree(repo)
    commit(repo, "main work")
    commit(record.path, "mine")
    git(record.path, "merge", "-q", "--no-edit", "main")
    tip = git(record.path, "rev-parse", "HEAD")
    before = _all(record.path)

    assert _discard(repo, record, world).before == tip
    undo(inspect(repo), world / "state")

    assert _all(record.path) == before


def test_what_was_merged_already_stays(repo: Path, world: Path) -> None:
    """Work that is in the base goes on being there; only what came later goes."""
    record = tree(repo)
    merged = commit(record.path, "good")
    git(repo, "merge", "-q", "--ff-only", "ag/a")
    commit(record.path, "bad")

    assert _discard(repo, record, world).after == merged


def test_placed_files_and_nested_repositories_stay(repo: Path, world: Path) -> None:
    """What is not the agent's is not taken, and a repository of its own is told."""
    (repo / "local.cfg").write_text("mine\n")
    made = tree(repo)
    placed = furnish(repo, made.path, ["local.cfg"]).placed
    record = Record("a", made.path, made.branch, made.base_sha, placed=placed)
    make_repo(record.path / "inner")
    (record.path / "new").touch()

    done = _discard(repo, record, world)

    assert done.left == ("inner/",)
    assert done.files == ("new",)
    assert sorted(files_of(record.path)) == [
        ".git",
        "README.md",
        "inner/README.md",
        "local.cfg",
    ]
    undo(inspect(repo), world / "state")
    assert (record.path / "new").exists()


def test_without_work_nothing_is_done(repo: Path, world: Path) -> None:
    """No undo record for nothing."""
    done = _discard(repo, tree(repo), world)

    assert done.undo is None
    assert trash.records(world / "state") == ()


def test_a_preview_changes_nothing(repo: Path, record: Record) -> None:
    """The question before the act can be asked with figures."""
    before = _all(record.path)

    plan = preview(inspect(repo), record, running=())

    assert (plan.commits, len(plan.files)) == (1, 5)
    assert _all(record.path) == before


def test_a_running_agent_or_an_odd_state_refuses(
    repo: Path, world: Path, record: Record
) -> None:
    """While it works, during a rebase, on another branch, without a worktree."""
    before = picture(repo, record.path)
    with pytest.raises(Refused, match="is running"):
        discard(inspect(repo), record, world / "state", running=["a"])
    assert picture(repo, record.path) == before

    git(record.path, "bisect", "start")
    with pytest.raises(Refused, match="a bisect is unfinished") as caught:
        _discard(repo, record, world)
    assert "bisect reset" in str(caught.value.hint)
    git(record.path, "bisect", "reset")

    git(record.path, "switch", "-q", "-c", "other")
    with pytest.raises(Refused, match="is on branch `other`"):
        _discard(repo, record, world)
    record.path.rename(world / "moved")
    with pytest.raises(Refused, match="has no worktree"):
        _discard(repo, record, world)


def test_a_file_that_cannot_be_saved_stops_it(repo: Path, world: Path) -> None:
    """Nothing is thrown away that the snapshot does not have."""
    git(repo, "config", "filter.x.required", "true")
    git(repo, "config", "filter.x.clean", "no-such-program")
    record = tree(repo)
    (record.path / ".gitattributes").write_text("*.bin filter=x\n")
    (record.path / "new.bin").write_text("mine\n")
    before = files_of(record.path)

    with pytest.raises(GitError, match=r"git add: .*no-such-program"):
        _discard(repo, record, world)

    assert files_of(record.path) == before
    assert trash.records(world / "state") == ()


def test_a_nested_repository_without_a_commit_stops_nothing(
    repo: Path, world: Path
) -> None:
    """Git cannot add such a folder; it stays where it is, and the rest comes back."""
    record = tree(repo)
    git(record.path, "init", "-q", "empty")
    (record.path / "new").write_text("mine\n")
    before = files_of(record.path)

    done = _discard(repo, record, world)

    assert done.files == ("new",)
    assert (record.path / "empty/.git").is_dir()
    undo(inspect(repo), world / "state")
    assert files_of(record.path) == before


def test_undo_does_not_overwrite_what_came_after(repo: Path, world: Path) -> None:
    """New commits or changes since the discard refuse, and the snapshot stays."""
    record = tree(repo)
    commit(record.path, "old")
    _discard(repo, record, world)
    (record.path / "fresh").write_text("new work\n")
    with pytest.raises(Refused, match="changes since the discard"):
        undo(inspect(repo), world / "state")
    commit(record.path, "fresh", "new work\n")
    with pytest.raises(Refused, match="no longer where the discard left it") as caught:
        undo(inspect(repo), world / "state")

    kept = trash.records(world / "state")[0]
    assert str(kept.ref) in str(caught.value.hint)
    assert git(repo, "show", f"{kept.ref}:old") == "text"


def test_an_ignored_file_that_was_tracked_comes_back(repo: Path, world: Path) -> None:
    """The base has it, so the discard replaces it; undo brings the agent's own back."""
    commit(repo, "b.txt", "base\n")
    record = tree(repo)
    git(record.path, "rm", "-q", "--cached", "b.txt")
    commit(record.path, ".gitignore", "b.txt\n")
    (record.path / "b.txt").write_text("PRECIOUS\n")
    before = _all(record.path)

    _discard(repo, record, world)
    assert (record.path / "b.txt").read_text() == "base\n"
    undo(inspect(repo), world / "state")

    assert _all(record.path) == before


def test_ignored_files_in_the_place_of_a_file_refuse(repo: Path, world: Path) -> None:
    """A folder of ignored files stands where the base has a file."""
    commit(repo, "data", "base\n")
    record = tree(repo)
    git(record.path, "rm", "-q", "data")
    commit(record.path, ".gitignore", "*.db\n")
    (record.path / "data").mkdir()
    (record.path / "data/app.db").write_text("PRECIOUS\n")
    before = picture(repo, record.path)

    with pytest.raises(Refused, match=r"`data/app\.db`"):
        _discard(repo, record, world)

    assert picture(repo, record.path) == before


def test_undo_does_not_overwrite_ignored_files(repo: Path, world: Path) -> None:
    """Made since the discard, where the discarded work has a tracked file."""
    commit(repo, ".gitignore", "*.log\n")
    record = tree(repo)
    (record.path / "out.log").write_text("old\n")
    git(record.path, "add", "-f", "out.log")
    git(record.path, "commit", "-q", "-m", "log")
    _discard(repo, record, world)
    (record.path / "out.log").write_text("LATER\n")

    with pytest.raises(Refused, match=r"`out\.log`"):
        undo(inspect(repo), world / "state")

    assert (record.path / "out.log").read_text() == "LATER\n"


def test_dirty_submodules_are_not_reset(repo: Path, world: Path) -> None:
    """Whatever `submodule.recurse` says: the snapshot does not have their files."""
    inner = make_repo(world / "inner", {"f": "x\n"})
    allow = ("-c", "protocol.file.allow=always")
    git(repo, *allow, "submodule", "add", "-q", str(inner), "sub")
    git(repo, "commit", "-q", "-m", "sub")
    record = tree(repo)
    git(record.path, *allow, "submodule", "update", "-q", "--init")
    git(repo, "config", "submodule.recurse", "true")
    (record.path / "sub/f").write_text("PRECIOUS\n")
    commit(record.path, "work")

    _discard(repo, record, world)

    assert (record.path / "sub/f").read_text() == "PRECIOUS\n"


def test_undo_brings_the_very_bytes(repo: Path, world: Path) -> None:
    """Not what filters and line end rules leave: committed, staged, changed and new."""
    git(repo, "config", "filter.strip.clean", "grep -v output || true")
    commit(repo, ".gitattributes", "* text=auto\n*.ipynb filter=strip\n")
    commit(repo, "still.ipynb", "code\n")
    record = tree(repo)
    path = record.path
    (path / "committed.ipynb").write_text("code\noutput 1\n")
    git(path, "add", "-A")
    git(path, "commit", "-q", "-m", "notebook")
    (path / "staged.txt").write_bytes(b"one\r\ntwo\r\n")
    git(path, "add", "staged.txt")
    (path / 'new "x".ipynb').write_text("code\noutput 2\n")
    (path / "new.txt").write_bytes(b"one\r\ntwo\r\n")
    (path / "README.md").write_bytes(b"changed\r\nhere\r\n")
    (path / "still.ipynb").write_text("code\noutput 3\n")
    before = files_of(path), git(path, "diff"), git(path, "diff", "--cached")

    _discard(repo, record, world)
    undo(inspect(repo), world / "state")

    now = files_of(path), git(path, "diff"), git(path, "diff", "--cached")
    assert now == before


def test_a_file_that_git_does_not_look_at_refuses(repo: Path, world: Path) -> None:
    """A flag in the index hides its change: it is named, and no undo record is left."""
    record = tree(repo)
    commit(record.path, "work")
    git(record.path, "update-index", "--assume-unchanged", "README.md")
    (record.path / "README.md").write_text("hidden\n")

    with pytest.raises(Refused, match=r"not to look at .*`README\.md`"):
        _discard(repo, record, world)

    assert (record.path / "README.md").read_text() == "hidden\n"
    assert trash.records(world / "state") == ()


def test_a_discard_that_did_nothing_leaves_no_record(
    repo: Path, world: Path, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git said no before it touched a file."""
    before = _all(record.path)
    rule = 'case "$*" in *"reset --hard"*) echo fatal: no >&2; exit 128;; esac'
    monkeypatch.setenv("PATH", other_git(world, rule))

    with pytest.raises(GitError, match="fatal: no") as caught:
        _discard(repo, record, world)

    monkeypatch.undo()
    assert caught.value.hint == "nothing was changed"
    assert _all(record.path) == before
    assert trash.records(world / "state") == ()


def test_what_stopped_in_the_middle_is_undone_again_and_again(
    repo: Path, world: Path, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk in the discard and in its undo: half files are known as our own."""
    before = _all(record.path)
    half = f'cd "{record.path}"; printf chan > README.md; rm -f committed'
    rule = f"""case "$*" in *"reset --hard"*|*"read-tree --reset"*)
        {half}; echo fatal: No space left on device >&2; exit 128;; esac"""
    monkeypatch.setenv("PATH", other_git(world, rule))
    with pytest.raises(GitError, match="No space left") as caught:
        _discard(repo, record, world)
    assert "mdtmux undo" in str(caught.value.hint)
    with pytest.raises(GitError, match="No space left"):
        undo(inspect(repo), world / "state")
    monkeypatch.undo()

    undo(inspect(repo), world / "state")

    assert _all(record.path) == before


_DISCARD = """
from pathlib import Path
from mdtmux.worktrees import discard as module
from mdtmux.worktrees.record import Record
from mdtmux.worktrees.repository import inspect
path = Path({path!r})
record = Record("a", path, {branch!r}, {sha!r})
module.discard(inspect(Path({repo!r})), record, Path({state!r}))
"""
_KILLED = """
import os, signal
from pathlib import Path
path = Path({path!r})
left = [2]
unlink = Path.unlink

def counted(file, **how):
    left[0] -= file.parent == path
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    unlink(file, **how)

Path.unlink = counted
"""


def test_a_kill_while_files_are_deleted_can_be_undone(repo: Path, world: Path) -> None:
    """Some are gone, some still stand: those are no changes of somebody else."""
    record = tree(repo)
    for name in ("n1", "n2", "n3"):
        (record.path / name).write_text(name)
    before = _all(record.path)
    state = str(world / "state")
    code = (_KILLED + _DISCARD).format(
        path=str(record.path), branch=record.branch, sha=record.base_sha,
        repo=str(repo), state=state,
    )  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(list(record.path.glob("n?"))) == 2

    undo(inspect(repo), world / "state")

    assert _all(record.path) == before


def test_what_a_kill_left_in_the_git_folder_is_cleared(repo: Path, world: Path) -> None:
    """The next one takes the temporary index away; what somebody uses stays."""
    record = tree(repo)
    (record.path / "new").write_text("x")
    code = _DISCARD.format(
        path=str(record.path), branch=record.branch, sha=record.base_sha,
        repo=str(repo), state=str(world / "state"),
    )  # fmt: skip
    rule = 'case "$*" in *write-tree*) touch "$GIT_INDEX_FILE.lock"; kill -9 $PPID; exit 1;; esac'
    env = {**os.environ, "PATH": other_git(world, rule)}
    done = subprocess.run([sys.executable, "-c", code], env=env, check=False)
    assert done.returncode == -signal.SIGKILL
    admin = Path(git(record.path, "rev-parse", "--absolute-git-dir"))
    assert len(list(admin.glob("mdtmux-index-*"))) == 2

    with trash.scratch_index(record.path) as used:
        _discard(repo, record, world)

        assert list(admin.glob("mdtmux-index-*")) == [used]


def test_a_kill_between_branch_and_files_can_be_undone(
    repo: Path, world: Path, record: Record
) -> None:
    """The branch is set back first, and only from where the snapshot was made."""
    before = _all(record.path)
    code = _DISCARD.format(
        path=str(record.path), branch=record.branch, sha=record.base_sha,
        repo=str(repo), state=str(world / "state"),
    )  # fmt: skip
    rule = 'case "$*" in *"reset --hard"*) kill -9 $PPID; exit 1;; esac'
    env = {**os.environ, "PATH": other_git(world, rule)}
    done = subprocess.run([sys.executable, "-c", code], env=env, check=False)
    assert done.returncode == -signal.SIGKILL
    assert git(record.path, "rev-parse", "HEAD") == record.base_sha

    undo(inspect(repo), world / "state")

    assert _all(record.path) == before


def test_a_branch_that_was_deleted_is_told(repo: Path, world: Path) -> None:
    """Not `switch` to where it is already: the reflog tells where the branch was."""
    record = tree(repo)
    git(repo, "update-ref", "-d", "refs/heads/ag/a")

    with pytest.raises(Refused, match="branch `ag/a` is gone") as caught:
        _discard(repo, record, world)

    assert "git branch ag/a SHA" in str(caught.value.hint)


def test_an_undo_that_stopped_before_the_index_is_done_again(
    repo: Path, world: Path, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files and branch are back, the index is not; one change takes the base back."""
    commit(record.path, "README.md", "committed\n")
    (record.path / "README.md").write_bytes((repo / "README.md").read_bytes())
    before = _all(record.path)
    _discard(repo, record, world)
    rule = 'case "$*" in *read-tree*^2) echo fatal: full >&2; exit 128;; esac'
    monkeypatch.setenv("PATH", other_git(world, rule))
    with pytest.raises(GitError, match="fatal: full"):
        undo(inspect(repo), world / "state")
    monkeypatch.undo()

    undo(inspect(repo), world / "state")

    assert _all(record.path) == before


@pytest.mark.parametrize("when", ["commit-tree", "update-index -q --refresh"])
def test_what_is_written_meanwhile_stops_a_discard(
    repo: Path, world: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """A file that changed after the snapshot was made is in no snapshot."""
    record = tree(repo)
    (record.path / "notes").write_text("v1\n")
    notes = record.path / "notes"
    rule = f'case "$*" in *"{when}"*) echo v2 >>{notes};; esac'
    monkeypatch.setenv("PATH", other_git(world, rule))

    with pytest.raises(Refused, match=r"somebody works in .*`notes`; nothing was"):
        _discard(repo, record, world)

    assert notes.read_text().startswith("v1\nv2\n")
    assert trash.records(world / "state") == ()


def _edited(path: Path) -> str:
    return f"echo v2 >>{path / 'README.md'}"


def _created_and_staged(path: Path) -> str:
    # Not by name, since the rule is for that git as well.
    return f"echo v2 >{path / 'late'}; {shutil.which('git')} -C {path} add late"


def _committed(path: Path) -> str:
    real = f"{shutil.which('git')} -C {path}"
    return f"echo v2 >{path / 'late'}; {real} add late; {real} commit -q -m late"


@pytest.mark.parametrize("change", [_edited, _created_and_staged, _committed])
def test_what_was_clean_and_changes_meanwhile_stops_a_discard(
    repo: Path,
    world: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path], str],
) -> None:
    """A snapshot may take its time: edits and commits since are not in it."""
    record = tree(repo)
    commit(record.path, "work")
    (record.path / "notes").write_text("v1\n")
    rule = f'case "$*" in *"-m index"*) {change(record.path)};; esac'
    monkeypatch.setenv("PATH", other_git(world, rule))

    with pytest.raises(Refused, match="nothing was discarded"):
        _discard(repo, record, world)

    monkeypatch.undo()
    late = "README.md" if change is _edited else "late"
    assert (record.path / late).read_text().endswith("v2\n")
    assert (record.path / "notes").exists()
    assert git(record.path, "rev-parse", "HEAD~0:work")
    assert trash.records(world / "state") == ()


def test_an_edit_after_the_last_look_of_git_stops_a_discard(
    repo: Path, world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git reads many files: those that it read first are looked at once more."""
    record = tree(repo)
    commit(record.path, "work")
    mark = world / "mark"
    again = f'{shutil.which("git")} "$@"; echo v2 >>{record.path / "README.md"}; exit 0'
    rule = f"""case "$*" in *"-m index"*) touch {mark};;
        *" status "*) [ ! -f {mark} ] || {{ {again}; }};; esac"""
    monkeypatch.setenv("PATH", other_git(world, rule))

    with pytest.raises(Refused, match=r"`README\.md`; nothing was discarded"):
        _discard(repo, record, world)

    assert (record.path / "README.md").read_text().endswith("v2\n")


def test_a_last_look_that_fails_leaves_no_record(
    repo: Path, world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing was done, so there is nothing to undo."""
    record = tree(repo)
    commit(record.path, "work")
    mark = world / "mark"
    rule = f"""case "$*" in *"-m index"*) touch {mark};;
        *" status "*) [ ! -f {mark} ] || {{ echo fatal: no >&2; exit 128; }};; esac"""
    monkeypatch.setenv("PATH", other_git(world, rule))

    with pytest.raises(GitError, match="fatal: no"):
        _discard(repo, record, world)

    assert (record.path / "work").exists()
    assert trash.records(world / "state") == ()


def test_a_commit_in_the_last_moment_stops_a_discard(
    repo: Path, world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The branch moves only from where it was seen."""
    record = tree(repo)
    commit(record.path, "work")
    rule = f'case "$*" in *" update-ref -m"*) {_committed(record.path)};; esac'
    monkeypatch.setenv("PATH", other_git(world, rule))

    with pytest.raises(Refused, match="nothing was discarded"):
        _discard(repo, record, world)

    assert git(record.path, "show", "HEAD:late") == "v2"
    assert (record.path / "work").exists()
    assert trash.records(world / "state") == ()


def test_a_process_at_work_stops_a_discard(repo: Path, world: Path) -> None:
    """An editor, a watcher or what a stopped agent left: named, as `rm` does."""
    record = tree(repo)
    commit(record.path, "work")
    before = picture(repo, record.path)
    with subprocess.Popen(["sleep", "99"], cwd=record.path) as process:
        try:
            told = f"a process at work: `{process.pid} sleep 99`"
            with pytest.raises(Refused, match=told):
                preview(inspect(repo), record)
            with pytest.raises(Refused, match=told):
                _discard(repo, record, world)
        finally:
            process.kill()
    assert picture(repo, record.path) == before

    assert _discard(repo, record, world).commits == 1


@pytest.mark.parametrize("name", ["README.md", "new"])
def test_an_edit_in_the_last_moment_stops_an_undo(
    repo: Path, world: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Changed or made where undo writes: git looks itself before it writes."""
    record = tree(repo)
    for one in ("README.md", "new"):
        (record.path / one).write_text("mine\n")
    _discard(repo, record, world)
    rule = f'case "$*" in *" read-tree "*) echo late >>{record.path / name};; esac'
    monkeypatch.setenv("PATH", other_git(world, rule))

    with pytest.raises(GitError, match=name):
        undo(inspect(repo), world / "state")

    monkeypatch.undo()
    text = (record.path / name).read_text()
    assert text.endswith("late\n")
    assert "mine" not in text
    with pytest.raises(Refused, match=name):
        undo(inspect(repo), world / "state")
    git(record.path, "stash", "-q", "-u")
    undo(inspect(repo), world / "state")
    assert (record.path / name).read_text() == "mine\n"


def test_a_file_that_only_looks_changed_is_no_obstacle_for_undo(
    repo: Path, world: Path
) -> None:
    """A new time with the same text, as a tool or a copy leaves it."""
    record = tree(repo)
    (record.path / "README.md").write_text("mine\n")
    _discard(repo, record, world)
    os.utime(record.path / "README.md", (1, 1))

    undo(inspect(repo), world / "state")

    assert (record.path / "README.md").read_text() == "mine\n"


def test_marks_of_the_index_come_back(repo: Path, world: Path) -> None:
    """Of files that shall be added, ignored ones too, and that git shall not look at."""
    commit(repo, ".gitignore", "*.o\n")
    commit(repo, "still")
    commit(repo, "quiet")
    record = tree(repo)
    path = record.path
    for name in ("new", "a.o", '\u00e9 "x"'):
        (path / name).write_text("mine\n")
        git(path, "add", "-f", "-N", name)
    (path / "staged").write_text("mine\n")
    git(path, "add", "staged")
    git(path, "update-index", "--assume-unchanged", "still")
    git(path, "update-index", "--skip-worktree", "quiet")
    before = _all(path), git(path, "ls-files", "-v", "-s")

    _discard(repo, record, world)
    undo(inspect(repo), world / "state")

    assert (_all(path), git(path, "ls-files", "-v", "-s")) == before


def test_a_conflict_comes_back_as_one(repo: Path, world: Path) -> None:
    """Not as resolved, markers and all; no operation is unfinished after a stash pop."""
    record = tree(repo)
    path = record.path
    (path / "README.md").write_text("one\n")
    git(path, "stash", "-q")
    commit(path, "README.md", "two\n")
    subprocess.run(["git", "-C", path, "stash", "pop"], check=False)
    (path / "new").write_text("new\n")
    before = _all(path), git(path, "ls-files", "-s")
    assert "UU README.md" in git(path, "status", "--porcelain")

    _discard(repo, record, world)
    undo(inspect(repo), world / "state")

    assert (_all(path), git(path, "ls-files", "-s")) == before


def test_a_submodule_that_moved_on_is_brought_back(repo: Path, world: Path) -> None:
    """The commit that names it goes and comes back; the submodule stays as it is."""
    inner = make_repo(world / "inner", {"f": "x\n"})
    allow = ("-c", "protocol.file.allow=always")
    git(repo, *allow, "submodule", "add", "-q", str(inner), "sub")
    git(repo, "commit", "-q", "-m", "sub")
    record = tree(repo)
    git(record.path, *allow, "submodule", "update", "-q", "--init")
    new = commit(record.path / "sub", "new")
    git(record.path, "commit", "-q", "-a", "-m", "bump")
    tip = git(record.path, "rev-parse", "HEAD")

    _discard(repo, record, world)
    undo(inspect(repo), world / "state")

    assert git(record.path, "rev-parse", "HEAD") == tip
    assert git(record.path / "sub", "rev-parse", "HEAD") == new
    assert git(record.path, "status", "--porcelain") == ""
