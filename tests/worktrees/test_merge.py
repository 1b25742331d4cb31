"""A merge lands whole, or leaves everything byte for byte as it was."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from mdtmux.errors import Refused
from mdtmux.worktrees.merge import Merged, Way, Wish, merge
from mdtmux.worktrees.record import Record
from mdtmux.worktrees.repository import inspect
from mdtmux.worktrees.safety import Kind, risks
from tests.support.repos import git
from tests.support.trees import (
    branches,
    commit,
    files_of,
    furnish,
    make_trees,
    other_git,
    picture,
    tree,
)

WAYS = list(Way)


def _merge(repo: Path, record: Record, way: Way = Way.MERGE, **how: str) -> Merged:
    wish = Wish(record, way, how.get("into"), how.get("message"))
    return merge(inspect(repo), wish)


def _log(repo: Path, branch: str = "HEAD") -> list[str]:
    return git(repo, "log", "--format=%s", "--topo-order", branch).splitlines()


def _no_trace(repo: Path, world: Path) -> None:
    """Require that no scratch worktree is left."""
    assert "scratch" not in git(repo, "worktree", "list")
    assert list((world / "home/.local/state/mdtmux").rglob("scratch-*")) == []


@pytest.fixture
def record(repo: Path) -> Record:
    """Return a worktree with two commits, on a base that has moved on."""
    record = tree(repo)
    commit(record.path, "one", message="one")
    commit(record.path, "two", message="two")
    commit(repo, "theirs", message="theirs")
    return record


def test_a_branch_ahead_of_its_base_fast_forwards(repo: Path, world: Path) -> None:
    """As git does it: no commit of its own is made."""
    record = tree(repo)
    tip = commit(record.path, "one")
    before = git(repo, "rev-parse", "HEAD")

    done = _merge(repo, record)

    assert done == Merged("a", "ag/a", "main", tip, before, tip, True, repo)
    assert (repo / "one").exists()
    assert git(repo, "status", "--porcelain") == ""


def test_each_way_brings_the_work_in(repo: Path, world: Path) -> None:
    """A merge commit, one commit, or the commits on top; files are the same."""
    shapes = {
        Way.MERGE: ["Merge branch 'ag/merge'", "two", "one", "theirs"],
        Way.SQUASH: ["squash: ag/squash, squashed", "theirs"],
        Way.REBASE: ["two", "one", "theirs"],
    }
    for way, expected in shapes.items():
        record = tree(repo, way.value)
        commit(record.path, f"{way}-one", message="one")
        commit(record.path, f"{way}-two", message="two")
        commit(repo, f"{way}-theirs", message="theirs")

        done = _merge(repo, record, way)

        assert sorted(_log(repo)[: len(expected)]) == sorted(expected)
        assert git(repo, "rev-parse", "HEAD") == done.sha
        assert {f"{way}-one", f"{way}-two", f"{way}-theirs"} <= set(files_of(repo))
        assert git(repo, "status", "--porcelain") == ""
    assert "* one\n* two" in git(repo, "log", "--format=%b", "--grep=squashed")
    _no_trace(repo, world)


SETTINGS = [
    ("merge.ff", "false"),
    ("rebase.updateRefs", "true"),
    ("rebase.autoSquash", "true"),
    ("merge.autoStash", "true"),
    ("branch.main.mergeOptions", "--squash"),
    ("commit.verbose", "true"),
]


@pytest.mark.parametrize("way", WAYS)
def test_the_users_settings_do_not_break_it(
    repo: Path, record: Record, way: Way
) -> None:
    """Settings that make git refuse, stash or move other branches change nothing."""
    for name, value in SETTINGS:
        git(repo, "config", name, value)
    git(repo, "branch", "other", "ag/a~1")
    (repo / "README.md").write_text("open work\n")
    other = git(repo, "rev-parse", "other")

    done = _merge(repo, record, way)

    assert git(repo, "rev-parse", "main") == done.sha
    assert git(repo, "rev-parse", "other") == other
    assert (repo / "README.md").read_text() == "open work\n"
    assert git(repo, "status", "--porcelain") == " M README.md"


@pytest.mark.parametrize("way", WAYS)
def test_a_second_time_there_is_nothing_to_merge(
    repo: Path, record: Record, way: Way
) -> None:
    """Said, not failed; and the worktree holds no more work that is only there."""
    done = _merge(repo, record, way)
    record = dataclasses.replace(record, merged=done.tip)
    head = git(repo, "rev-parse", "HEAD")

    again = _merge(repo, record, way)

    assert (again.changed, again.sha) == (False, head)
    assert Kind.COMMITS not in {
        r.kind for r in risks(record.path, "ag/a", record, repo)
    }


@pytest.mark.parametrize("way", WAYS)
def test_a_branch_that_is_checked_out_nowhere_moves_alone(
    repo: Path, record: Record, way: Way, world: Path
) -> None:
    """With `into` no checkout is touched, only the branch."""
    git(repo, "branch", "release")
    commit(repo, "after")
    before = files_of(repo), git(repo, "rev-parse", "HEAD")

    done = _merge(repo, record, way, into="release")

    assert (done.into, done.checkout) == ("release", None)
    assert git(repo, "rev-parse", "release") == done.sha
    assert (files_of(repo), git(repo, "rev-parse", "HEAD")) == before
    assert git(repo, "ls-tree", "--name-only", "release").splitlines() == [
        "README.md",
        "one",
        "theirs",
        "two",
    ]
    _no_trace(repo, world)


def test_into_the_branch_of_another_worktree(repo: Path, record: Record) -> None:
    """The boss's branch is checked out in the boss's worktree: files change there."""
    boss = tree(repo, "boss")

    done = _merge(repo, record, into="ag/boss")

    assert done.checkout == boss.path
    assert (boss.path / "one").exists()
    assert git(boss.path, "status", "--porcelain") == ""


def test_a_rebase_takes_the_agents_branch_along(repo: Path, record: Record) -> None:
    """The agent goes on from the rebased commits, without a trace of the old ones."""
    done = _merge(repo, record, Way.REBASE)

    assert git(record.path, "rev-parse", "HEAD") == done.sha
    assert git(record.path, "status", "--porcelain", "--branch") == "## ag/a"
    assert (record.path / "theirs").exists()


def test_a_message_replaces_gits_own(repo: Path, record: Record) -> None:
    """For the merge commit and for the squash."""
    _merge(repo, record, message="as I say — ü")
    assert _log(repo)[0] == "as I say — ü"
    other = tree(repo, "b")
    commit(other.path, "b")
    _merge(repo, other, Way.SQUASH, message="mine")
    assert _log(repo)[0] == "mine"


REFUSED_WORK = {
    "changed": ("README.md", "changed\n"),
    "new": ("new file", "new\n"),
}


@pytest.mark.parametrize("name", REFUSED_WORK)
@pytest.mark.parametrize("way", WAYS)
def test_work_that_is_not_committed_refuses(
    repo: Path, record: Record, way: Way, name: str
) -> None:
    """A merge without it would be half the work: named, and nothing is touched."""
    file, text = REFUSED_WORK[name]
    (record.path / file).write_text(text)
    before = picture(repo, repo, record.path)

    with pytest.raises(Refused, match=f"not committed: `{file}`"):
        _merge(repo, record, way)

    assert picture(repo, repo, record.path) == before


def test_what_mdtmux_placed_is_no_open_work(repo: Path) -> None:
    """A copied file that git does not ignore stops no merge."""
    (repo / "local.cfg").write_text("x")
    made = tree(repo)
    placed = furnish(repo, made.path, ["local.cfg"]).placed
    commit(made.path, "one")

    assert _merge(repo, dataclasses.replace(made, placed=placed)).changed


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_a_conflict_refuses_and_names_the_files(
    repo: Path, world: Path, monkeypatch: pytest.MonkeyPatch, way: Way, old: bool
) -> None:
    """Found elsewhere, so that nothing is touched; with git before 2.38 as well."""
    record = tree(repo)
    commit(record.path, "README.md", "mine\n")
    commit(record.path, "sub/é", "mine\n")
    commit(repo, "README.md", "theirs\n")
    before = picture(repo, repo, record.path)
    if old:
        rule = 'case "$*" in *"merge-tree --write-tree"*) exit 129;; esac'
        monkeypatch.setenv("PATH", other_git(world, rule))

    with pytest.raises(Refused, match=r"conflicts with `main` in `README\.md`"):
        _merge(repo, record, way)

    monkeypatch.undo()
    assert picture(repo, repo, record.path) == before
    _no_trace(repo, world)


@pytest.mark.parametrize("hook", ["pre-merge-commit", "commit-msg"])
def test_a_hook_that_says_no_refuses(
    repo: Path, record: Record, world: Path, hook: str
) -> None:
    """Its words are told, and nothing is touched; hooks do run."""
    path = repo / ".git/hooks" / hook
    path.write_text("#!/bin/sh\necho not on a friday >&2\nexit 1\n")
    path.chmod(0o755)
    before = picture(repo, repo, record.path)

    with pytest.raises(Refused, match="not on a friday"):
        _merge(repo, record)

    assert picture(repo, repo, record.path) == before
    _no_trace(repo, world)


def test_a_hook_that_edits_the_message_is_heard(repo: Path, record: Record) -> None:
    """commit-msg may add a trailer."""
    path = repo / ".git/hooks/commit-msg"
    path.write_text('#!/bin/sh\necho "Ticket: 7" >> "$1"\n')
    path.chmod(0o755)

    _merge(repo, record)

    assert "Ticket: 7" in git(repo, "log", "-1", "--format=%B")


def test_changes_in_the_target_that_do_not_matter_stay(
    repo: Path, record: Record
) -> None:
    """The user's open work on other files is kept through the merge."""
    (repo / "README.md").write_text("open work\n")
    (repo / "notes").write_text("mine\n")

    assert _merge(repo, record).changed

    assert (repo / "README.md").read_text() == "open work\n"
    assert git(repo, "status", "--porcelain") == " M README.md\n?? notes"


IN_THE_WAY = {
    "changed": ("README.md", False),
    "staged": ("README.md", True),
    "untracked": ("new", False),
    "ignored": ("x.log", False),
    "folder": ("dir/inner", False),
}


@pytest.mark.parametrize("name", IN_THE_WAY)
@pytest.mark.parametrize("way", WAYS)
def test_files_in_the_way_refuse(repo: Path, way: Way, name: str) -> None:
    """Open, staged, untracked and ignored files would be replaced: named instead.

    Git itself replaces an ignored file without a word.
    """
    commit(repo, ".gitignore", "*.log\n")
    record = tree(repo)
    file, staged = IN_THE_WAY[name]
    path = record.path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text("from the agent\n")
    git(record.path, "add", "-f", "--", file)
    git(record.path, "commit", "-q", "-m", "work")
    commit(repo, "theirs")
    place = repo / ("dir" if name == "folder" else file)
    place.write_text("mine\n")
    if staged:
        git(repo, "add", file)
    before = picture(repo, repo, record.path)

    with pytest.raises(Refused, match="would overwrite"):
        _merge(repo, record, way)

    assert picture(repo, repo, record.path) == before


def test_unfinished_operations_refuse(repo: Path, record: Record) -> None:
    """In the agent's worktree and in the target's checkout."""
    git(record.path, "bisect", "start")
    with pytest.raises(Refused, match="a bisect is unfinished"):
        _merge(repo, record)
    git(record.path, "bisect", "reset")
    git(repo, "checkout", "-q", "-b", "x")
    commit(repo, "theirs", "x\n")
    git(repo, "checkout", "-q", "main")
    commit(repo, "theirs", "y\n")
    with pytest.raises(AssertionError, match="git merge"):
        git(repo, "merge", "-q", "x")
    with pytest.raises(Refused, match="a merge is unfinished"):
        _merge(repo, record)


def test_targets_that_cannot_be_meant_refuse(repo: Path, record: Record) -> None:
    """Its own branch, no branch at all, a branch that does not exist."""
    with pytest.raises(Refused, match="branch of agent `a` itself"):
        _merge(repo, record, into="ag/a")
    with pytest.raises(Refused, match="there is no branch `nothing`"):
        _merge(repo, record, into="nothing")
    git(repo, "checkout", "-q", "--detach")
    with pytest.raises(Refused, match="merge into which branch") as caught:
        _merge(repo, record)
    assert "--into" in str(caught.value.hint)
    git(record.path, "switch", "-q", "-c", "other")
    with pytest.raises(Refused, match="on branch `other`"):
        _merge(repo, record, into="main")


def test_a_rebase_waits_until_the_agent_is_stopped(repo: Path, record: Record) -> None:
    """It would change the files under a running agent."""
    with pytest.raises(Refused, match="is running"):
        merge(inspect(repo), Wish(record, Way.REBASE, running=["a"]))
    assert merge(inspect(repo), Wish(record, Way.MERGE, running=["a"])).changed


def test_a_bare_repository_merges_into_a_named_branch(repo: Path, world: Path) -> None:
    """There is no checkout to take the target from."""
    bare = world / "repo.git"
    git(world, "clone", "-q", "--bare", str(repo), str(bare))
    record = tree(bare)
    tip = commit(record.path, "one")

    with pytest.raises(Refused, match="is bare"):
        _merge(bare, record)
    assert _merge(bare, record, into="main").sha == tip


def test_without_its_worktree_the_branch_still_merges(
    repo: Path, record: Record
) -> None:
    """Removed worktrees leave their branches, which can be merged later."""
    record.path.rename(repo.parent / "moved")

    assert _merge(repo, record, Way.REBASE).changed
    assert git(repo, "rev-parse", "ag/a") == git(repo, "rev-parse", "main")


def test_two_merges_at_once_both_land(repo: Path) -> None:
    """One after the other, each on top of what the other brought."""
    made = make_trees(repo, ["a", "b"])
    records = []
    for agent, one in made.items():
        path = getattr(one, "path", Path())
        records.append(
            Record(agent, path, f"ag/{agent}", git(repo, "rev-parse", "HEAD"))
        )
        commit(path, agent)
    threads = [threading.Thread(target=_merge, args=(repo, one)) for one in records]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {"a", "b"} <= set(files_of(repo))
    assert git(repo, "status", "--porcelain") == ""


def test_a_scratch_worktree_of_a_killed_merge_is_cleared(
    repo: Path, record: Record, world: Path
) -> None:
    """The next merge takes it away."""
    root = next((world / "home/.local/state/mdtmux/.repositories").iterdir())
    git(repo, "worktree", "add", "-q", "--detach", str(root / "scratch-00000000"))

    _merge(repo, record)

    _no_trace(repo, world)
    assert branches(repo) == {"main", "ag/a"}


def test_unrelated_histories_are_said(repo: Path) -> None:
    """Git's own refusal is handed on."""
    record = tree(repo)
    git(record.path, "checkout", "-q", "--orphan", "fresh")
    git(record.path, "commit", "-q", "-m", "fresh")

    with pytest.raises(Refused, match="unrelated histories"):
        _merge(repo, dataclasses.replace(record, branch="fresh"))


def _to_link(path: Path) -> None:
    git(path, "mv", "data", "store")
    (path / "data").symlink_to("store")


def _to_file(path: Path) -> None:
    git(path, "rm", "-q", "-r", "data")
    (path / "data").write_text("a file\n")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("change", [_to_link, _to_file])
@pytest.mark.parametrize("tracked", [True, False])
def test_ignored_files_in_a_folder_that_goes_refuse(
    repo: Path, way: Way, change: Callable[[Path], None], tracked: bool
) -> None:
    """Git would empty a folder that becomes a link or a file, ignored files and all."""
    commit(repo, ".gitignore", "*.db\n/cache/\n")
    if tracked:
        commit(repo, "data/known")
    record = tree(repo)
    if tracked:
        change(record.path)
    else:
        (record.path / "data").symlink_to("store")
    git(record.path, "add", "-A")
    git(record.path, "commit", "-q", "-m", "change")
    commit(repo, "theirs")
    (repo / "data/deep").mkdir(parents=True)
    (repo / "data/deep/app.db").write_text("precious\n")
    before = picture(repo, repo, record.path)

    with pytest.raises(Refused, match=r"would overwrite: `data/deep/app\.db`"):
        _merge(repo, record, way)

    assert picture(repo, repo, record.path) == before


def test_a_rebase_does_not_overwrite_ignored_files_of_the_agent(repo: Path) -> None:
    """The agent's checkout follows the rebase: what it ignores must not be there."""
    commit(repo, ".gitignore", "*.log\n")
    record = tree(repo)
    commit(record.path, "mine")
    (record.path / "x.log").write_text("precious\n")
    (repo / "x.log").write_text("theirs\n")
    git(repo, "add", "-f", "x.log")
    git(repo, "commit", "-q", "-m", "log")
    before = picture(repo, repo, record.path)

    with pytest.raises(Refused, match=r"the rebase would overwrite: `x\.log`"):
        _merge(repo, record, Way.REBASE)

    assert picture(repo, repo, record.path) == before


def test_a_placed_link_that_was_committed_is_named(repo: Path) -> None:
    """The files of the main checkout are not what is to be committed or moved away."""
    commit(repo, ".gitignore", "deps/\n")
    (repo / "deps").mkdir()
    (repo / "deps/file").write_text("x")
    record = tree(repo)
    placed = furnish(repo, record.path, [], ["deps"]).placed
    record = dataclasses.replace(record, placed=placed)
    git(record.path, "add", "--force", "deps")
    git(record.path, "commit", "-qm", "all of it")

    with pytest.raises(
        Refused, match="`ag/a` has committed what mdtmux placed"
    ) as told:
        _merge(repo, record)

    assert told.value.hint is not None
    assert f"`git rm -r --cached deps` in `{record.path}`" in told.value.hint
    assert (repo / "deps/file").read_text() == "x"
