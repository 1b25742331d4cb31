"""Everything that stands only in a worktree is found; nothing else is called a risk."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from mdtmux.errors import GitError
from mdtmux.worktrees.record import Record
from mdtmux.worktrees.safety import Kind, Risk, judge_all, risks
from tests.support.repos import git, make_repo
from tests.support.trees import commit, furnish, tree
from tests.support.wait import until


def _risks(repo: Path, record: Record) -> dict[Kind, tuple[str, ...]]:
    found = risks(record.path, record.branch, record, repo)
    return {risk.kind: risk.what for risk in found}


@pytest.fixture
def record(repo: Path) -> Record:
    """Return a worktree of a repository that ignores `out/` and `*.log`."""
    commit(repo, ".gitignore", "out/\n*.log\n.env\nnode_modules\n")
    return tree(repo)


def test_a_fresh_worktree_holds_nothing(repo: Path, record: Record) -> None:
    """No work, no risk."""
    assert _risks(repo, record) == {}


def _modify(path: Path) -> None:
    (path / "README.md").write_text("changed\n")


def _delete(path: Path) -> None:
    (path / "README.md").unlink()


def _stage(path: Path) -> None:
    _modify(path)
    git(path, "add", "-A")


def _untracked(path: Path) -> None:
    (path / "new dir").mkdir()
    (path / "new dir/é").write_text("new\n")


def _ignored(path: Path) -> None:
    (path / "out").mkdir()
    (path / "out/x").write_text("report\n")


def _commit(path: Path) -> None:
    commit(path, "work", message="my work")


def _detached(path: Path) -> None:
    git(path, "checkout", "-q", "--detach")
    commit(path, "work", message="on no branch")


def _rebase(path: Path) -> None:
    commit(path, "README.md", "one\n")
    git(path, "branch", "kept")
    git(path, "checkout", "-q", "-b", "target", "main")
    commit(path, "README.md", "two\n")
    git(path, "checkout", "-q", "ag/a")
    with pytest.raises(AssertionError, match="could not apply"):
        git(path, "rebase", "target")
    git(path, "checkout", "-q", "--ours", "README.md")
    git(path, "add", "README.md")


def _bisect(path: Path) -> None:
    git(path, "bisect", "start")


def _lock(path: Path) -> None:
    git(path, "worktree", "lock", "--reason", "mine", str(path))


def _nested(path: Path) -> None:
    make_repo(path / "inner")


def _switched(path: Path) -> None:
    git(path, "switch", "-q", "-c", "feature")
    commit(path, "work", message="on feature")


WAYS: dict[str, tuple[Callable[[Path], None], Kind, str]] = {
    "modified": (_modify, Kind.MODIFIED, "README.md"),
    "deleted": (_delete, Kind.MODIFIED, "README.md"),
    "staged only": (_stage, Kind.STAGED, "README.md"),
    "new file": (_untracked, Kind.UNTRACKED, "new dir/é"),
    "ignored": (_ignored, Kind.IGNORED, "out/x"),
    "commit": (_commit, Kind.COMMITS, "my work"),
    "detached": (_detached, Kind.DETACHED, "on no branch"),
    "rebase": (_rebase, Kind.OPERATION, "rebase"),
    "bisect": (_bisect, Kind.OPERATION, "bisect"),
    "locked": (_lock, Kind.LOCKED, "mine"),
    "nested repository": (_nested, Kind.UNTRACKED, "inner/README.md"),
    "other branch": (_switched, Kind.COMMITS, "on feature"),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_hold_work_is_found_and_named(
    repo: Path, record: Record, way: str
) -> None:
    """In turn: what the agent did, and the name that the refusal must show (C52)."""
    act, kind, name = WAYS[way]

    act(record.path)

    assert any(name in what for what in _risks(repo, record)[kind])


def test_settings_that_blind_status_do_not_blind_us(repo: Path, record: Record) -> None:
    """`status.showUntrackedFiles=no` and index flags hide nothing."""
    git(repo, "config", "status.showUntrackedFiles", "no")
    _untracked(record.path)
    git(record.path, "update-index", "--skip-worktree", "README.md")
    (record.path / "README.md").write_text("hidden work\n")
    found = _risks(repo, record)

    assert found[Kind.UNTRACKED] == ("new dir/é",)
    assert found[Kind.MODIFIED] == ("README.md",)
    git(record.path, "update-index", "--no-skip-worktree", "README.md")
    git(record.path, "update-index", "--assume-unchanged", "README.md")
    assert _risks(repo, record)[Kind.MODIFIED] == ("README.md",)


def test_flags_without_a_change_are_no_risk(repo: Path, record: Record) -> None:
    """An unchanged file with a flag stands in the commit."""
    git(record.path, "update-index", "--assume-unchanged", "README.md")

    assert _risks(repo, record) == {}


@pytest.mark.parametrize("elsewhere", ["branch", "tag", "remote", "merged"])
def test_commits_that_stand_elsewhere_are_no_risk(
    repo: Path, record: Record, elsewhere: str, world: Path
) -> None:
    """Another branch, a tag, a remote branch or our own squash merge has them."""
    sha = commit(record.path, "work")
    assert Kind.COMMITS in _risks(repo, record)
    if elsewhere == "remote":
        git(world, "init", "-q", "--bare", "origin.git")
        git(repo, "remote", "add", "origin", str(world / "origin.git"))
        git(repo, "push", "-q", "origin", "ag/a")
    elif elsewhere == "merged":
        record = Record("a", record.path, record.branch, record.base_sha, merged=sha)
    else:
        git(repo, elsewhere, "other", "ag/a")

    assert _risks(repo, record) == {}


def test_the_base_itself_is_no_work(repo: Path) -> None:
    """A base that is on no branch any more was not made by the agent."""
    git(repo, "checkout", "-q", "--detach")
    commit(repo, "on-no-branch")
    record = tree(repo)
    git(repo, "checkout", "-q", "main")

    assert _risks(repo, record) == {}


def test_copies_and_links_that_we_placed_are_no_risk(
    repo: Path, record: Record
) -> None:
    """As long as their content is what the source has now."""
    (repo / ".env").write_text("one\n")
    (repo / "node_modules").mkdir()
    placed = furnish(repo, record.path, [".env"], ["node_modules"]).placed
    noted = Record("a", record.path, record.branch, record.base_sha, placed=placed)
    assert _risks(repo, noted) == {}

    (repo / ".env").write_text("two\n")
    assert _risks(repo, record)[Kind.IGNORED] == (".env", "node_modules")
    (record.path / ".env").write_text("two\n")
    assert _risks(repo, noted) == {}
    (record.path / ".env").write_text("three\n")
    assert _risks(repo, noted) == {Kind.IGNORED: (".env",)}


def test_work_in_a_submodule_is_found(repo: Path, world: Path) -> None:
    """Changed files, commits that are nowhere else, and ignored files in it (C52)."""
    inner = make_repo(world / "inner", {"f": "x\n", ".gitignore": "*.log\n"})
    allow = ("-c", "protocol.file.allow=always")
    git(repo, *allow, "submodule", "add", "-q", str(inner), "sub")
    git(repo, "commit", "-q", "-m", "sub")
    record = tree(repo)
    assert _risks(repo, record) == {}
    git(record.path, *allow, "submodule", "update", "-q", "--init")
    module = record.path / "sub"
    assert _risks(repo, record) == {}

    (module / "x.log").write_text("x\n")
    assert _risks(repo, record) == {Kind.SUBMODULE: ("sub",)}
    (module / "x.log").unlink()
    (module / "f").write_text("changed\n")
    assert _risks(repo, record) == {Kind.SUBMODULE: ("sub",)}
    git(module, "commit", "-q", "-a", "-m", "work")
    git(module, "branch", "mine")
    git(module, "checkout", "-q", "--detach", "origin/main")
    assert _risks(repo, record) == {Kind.SUBMODULE: ("sub",)}


def test_long_lists_are_cut_and_counted(repo: Path, record: Record) -> None:
    """A thousand files make a short sentence."""
    for number in range(1000):
        (record.path / f"f{number:03}").touch()

    found = risks(record.path, record.branch, record, repo)

    assert (len(found[0].what), found[0].count) == (10, 1000)
    assert str(found[0]).endswith("`f004` and 995 more")
    assert str(Risk(Kind.STAGED, ("a", "b"), 2)) == "staged changes: `a`, `b`"


def test_a_folder_that_is_gone_has_nothing_to_lose(repo: Path, record: Record) -> None:
    """Its branch stays anyway."""
    commit(record.path, "work")
    record.path.rename(repo.parent / "moved")

    assert _risks(repo, record) == {}


def test_a_survey_tells_what_could_not_be_read(repo: Path, record: Record) -> None:
    """A broken worktree is an error of its own, the others are judged."""
    other = tree(repo, "b")
    _modify(other.path)
    (record.path / ".git").write_text("gitdir: /nowhere\n")
    checks = [
        (one.agent, lambda one=one: risks(one.path, one.branch, one, repo))
        for one in (record, other)
    ]

    found = judge_all(checks)

    assert "not a git repository" in str(found["a"])
    assert isinstance(found["b"], tuple)


@pytest.mark.parametrize("source", ["changed", "gone"])
def test_a_copy_is_no_copy_when_its_source_differs(
    repo: Path, record: Record, source: str
) -> None:
    """The worktree holds the only copy of the old content then."""
    (repo / ".env").write_text("old key\n")
    placed = furnish(repo, record.path, [".env"]).placed
    known = Record("a", record.path, record.branch, record.base_sha, placed=placed)
    assert _risks(repo, known) == {}

    if source == "gone":
        (repo / ".env").unlink()
    else:
        (repo / ".env").write_text("new key\n")

    assert _risks(repo, known) == {Kind.IGNORED: (".env",)}


def test_what_a_filter_hides_from_git_is_found(repo: Path) -> None:
    """A clean filter strips outputs of notebooks: git calls the file unchanged."""
    git(repo, "config", "filter.strip.clean", "grep -v output || true")
    commit(repo, ".gitattributes", "*.ipynb filter=strip\n")
    commit(repo, "still.ipynb", "code\n")
    record = tree(repo)
    (record.path / "mine.ipynb").write_text("code\noutput\n")
    git(record.path, "add", "-A")
    git(record.path, "commit", "-q", "-m", "notebook")
    git(repo, "merge", "-q", "ag/a")

    assert _risks(repo, record) == {Kind.MODIFIED: ("mine.ipynb",)}
    (record.path / "mine.ipynb").write_text("code\n")
    git(record.path, "add", "-A")
    assert _risks(repo, record) == {}


@pytest.mark.parametrize("setting", ["core.checkStat=minimal", "core.trustctime=false"])
def test_a_change_of_the_same_size_and_time_is_found(repo: Path, setting: str) -> None:
    """Git may be told to look at those alone; a copy that keeps times hides so."""
    git(repo, "config", *setting.split("="))
    record = tree(repo)
    place = record.path / "README.md"
    # Older than the index: else git would look into the file anyway.
    times = (place.stat().st_atime, place.stat().st_mtime - 60)
    os.utime(place, times)
    git(record.path, "update-index", "--refresh")
    # Git compares the time of the last change of any kind by its seconds.
    begun = int(place.stat().st_ctime)
    until(lambda: int(time.time()) > begun, what="the next second")
    place.write_bytes(place.read_bytes().swapcase())
    os.utime(place, times)
    assert git(record.path, "status", "--porcelain") == ""

    assert _risks(repo, record) == {Kind.MODIFIED: ("README.md",)}


def test_references_of_the_worktree_alone_go_with_it(
    repo: Path, record: Record
) -> None:
    """`refs/worktree/*` is not shared: a commit that only it has is at risk."""
    tip = commit(record.path, "work")
    git(record.path, "update-ref", "refs/worktree/keep", tip)
    git(record.path, "reset", "-q", "--hard", "HEAD~1")

    assert Kind.COMMITS in _risks(repo, record)


@pytest.mark.parametrize("name", ["ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD", "MY_HEAD"])
def test_a_commit_that_only_a_name_like_orig_head_leads_to_is_found(
    repo: Path, record: Record, name: str
) -> None:
    """Without logs, what was reset is known by that name alone."""
    git(repo, "config", "core.logAllRefUpdates", "false")
    shutil.rmtree(repo / ".git/worktrees/a/logs")
    tip = commit(record.path, "work", message="my work")
    git(record.path, "reset", "-q", "--hard", "HEAD~1")
    shutil.rmtree(repo / ".git/logs")
    admin = repo / ".git/worktrees/a"
    (admin / "ORIG_HEAD").unlink()
    (admin / name).write_text(f"{tip}\t\tbranch 'x' of elsewhere\n")

    (line,) = _risks(repo, record)[Kind.REFLOG]

    assert line.endswith("my work")
    git(repo, "branch", "kept", tip)
    assert Kind.REFLOG not in _risks(repo, record)


def test_a_log_that_cannot_be_followed_is_no_proof(repo: Path, record: Record) -> None:
    """A commit whose parent is lost: git fails, and nothing is known."""
    lost = commit(record.path, "work")
    tip = commit(record.path, "work", "more\n")
    git(record.path, "reset", "-q", "--hard", "HEAD~2")
    shutil.rmtree(repo / ".git/logs")
    (repo / ".git/worktrees/a/logs/HEAD").write_text(f"{lost} {tip} a <a@b> 1 +0000\n")
    (repo / ".git/objects" / lost[:2] / lost[2:]).unlink()

    with pytest.raises(GitError):
        _risks(repo, record)


def test_a_merge_that_was_taken_back_proves_nothing(repo: Path, record: Record) -> None:
    """What no branch has any more is at risk, whatever was noted."""
    tip = commit(record.path, "work")
    git(record.path, "switch", "-q", "--detach")
    git(repo, "branch", "-q", "-D", record.branch)

    found = _risks(repo, replace(record, merged=tip, merged_into="main"))

    assert Kind.DETACHED in found


def test_a_monitor_that_is_behind_blinds_nobody(
    repo: Path, world: Path, record: Record
) -> None:
    """A `core.fsmonitor` hook that always says that nothing has changed."""
    hook = world / "monitor"
    hook.write_text("#!/bin/sh\nprintf 'tok\\0'\n")
    hook.chmod(0o755)
    git(repo, "config", "core.fsmonitor", str(hook))
    git(record.path, "status")
    (record.path / "README.md").write_text("changed\n")

    assert _risks(repo, record) == {Kind.MODIFIED: ("README.md",)}
