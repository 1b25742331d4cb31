"""The door to git: nobody else's repository, bounded waits, git's own words."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from mdtmux.errors import GitError, MdtmuxError, TimedOut
from mdtmux.system import git
from mdtmux.system.git_env import environment, is_local_variable
from tests.support.repos import git as real
from tests.support.repos import make_repo
from tests.support.trees import needs_git


@pytest.fixture
def victim(world: Path) -> Path:
    """Return a repository that must never be touched."""
    return make_repo(world / "victim")


def test_an_alias_or_hook_cannot_redirect_a_call(
    repo: Path, victim: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With GIT_DIR and its like set, the branch is made where it was asked for."""
    monkeypatch.setenv("GIT_DIR", str(victim / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(victim))
    monkeypatch.setenv("GIT_INDEX_FILE", str(victim / ".git/index"))

    git.run(repo, "branch", "mine")

    monkeypatch.undo()
    assert real(repo, "branch", "--list", "mine") == "  mine"
    assert real(victim, "branch", "--list", "mine") == ""


def test_every_variable_that_git_calls_local_is_known(repo: Path) -> None:
    """The installed git names no variable that would be let through."""
    named = real(repo, "rev-parse", "--local-env-vars").split()

    assert [name for name in named if not is_local_variable(name)] == []


def test_messages_are_english_and_the_characters_the_users() -> None:
    """LC_ALL gives way, so that the messages' language can be set alone."""
    env = environment(
        {"LC_ALL": "de_DE.UTF-8", "GIT_TRACE": "1", "GIT_SSH_COMMAND": "s"}
    )

    assert (env["LC_MESSAGES"], env["LC_CTYPE"]) == ("C", "de_DE.UTF-8")
    assert "LC_ALL" not in env
    assert "GIT_TRACE" not in env
    assert env["GIT_SSH_COMMAND"] == "s"


def test_a_failure_carries_gits_own_words(repo: Path) -> None:
    """The error names the git command and says what git said."""
    with pytest.raises(
        GitError, match="git rev-parse: fatal: Needed a single revision"
    ):
        git.run(repo, "rev-parse", "--verify", "nothing")


def test_a_failure_can_be_looked_at_instead(repo: Path) -> None:
    """Without `check` the exit code is returned."""
    done = git.run(repo, "rev-parse", "--verify", "-q", "nothing", check=False)

    assert (done.code, done.out) == (1, b"")


@needs_git(2, 36)
def test_a_repository_of_somebody_else_tells_the_remedy(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dubious ownership comes with the command that trusts this one folder."""
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")

    with pytest.raises(GitError, match="dubious ownership") as caught:
        git.run(repo, "status")

    assert f"safe.directory {repo}" in str(caught.value.hint)


def test_a_foreign_lock_is_waited_for(repo: Path) -> None:
    """A config.lock that goes away after a moment costs nothing but the wait."""
    lock = repo / ".git/config.lock"
    lock.touch()
    timer = threading.Timer(0.4, lock.unlink)
    timer.start()

    git.run(repo, "config", "a.b", "c")

    timer.join()
    assert real(repo, "config", "a.b") == "c"


def test_a_lock_that_stays_is_named(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the bounded wait the error names the lock file and what to do."""
    monkeypatch.setattr(git, "LOCK_WAIT", 0.3)
    (repo / ".git/index.lock").touch()
    (repo / "new").write_text("x")

    with pytest.raises(GitError, match=r"index\.lock` was held") as caught:
        git.run(repo, "add", "new")

    assert "remove that file" in str(caught.value.hint)


def test_a_call_ends_at_its_time_limit_with_its_children(repo: Path) -> None:
    """Git and what it started are gone; the leak detector would find the sleeper."""
    with pytest.raises(TimedOut, match=r"did not end within 0\.3 s"):
        git.run(repo, "-c", "alias.x=!sleep 300; :", "x", using=git.Using(timeout=0.3))


def test_what_a_hook_leaves_in_the_background_is_not_waited_for(repo: Path) -> None:
    """A process that keeps the output open does not keep the call."""
    started = time.monotonic()

    done = git.run(
        repo, "-c", "alias.x=!sleep 3 & echo said", "x", using=git.Using(hooks=True)
    )

    assert done.text == "said"
    assert time.monotonic() - started < 2.5


def test_large_input_and_output_pass(repo: Path) -> None:
    """Megabytes in both directions at once cannot block."""
    lines = b"HEAD\n" * 40_000

    done = git.run(repo, "cat-file", "--batch-check", stdin=lines)

    assert done.out.count(b" commit ") == 40_000


def test_a_missing_git_is_told(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without git on PATH the error says so."""
    monkeypatch.setenv("PATH", str(repo))

    with pytest.raises(MdtmuxError, match="`git` is not installed"):
        git.run(repo, "status")


def test_an_index_of_ones_own_leaves_the_real_one(repo: Path, world: Path) -> None:
    """With `index`, adding a file does not show in the repository's status."""
    (repo / "new").write_text("x")
    git.run(repo, "add", "new", using=git.Using(index=world / "index"))

    assert real(repo, "status", "--porcelain") == "?? new"


def test_commits_are_listed_newest_first(
    repo: Path, victim: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Subjects and authors come from the asked repository, whatever GIT_DIR says."""
    first = real(repo, "rev-parse", "HEAD")
    for name in ("zwei — ü", "drei"):
        real(repo, "commit", "-q", "--allow-empty", "-m", f"{name}\n\nbody")
    monkeypatch.setenv("GIT_DIR", str(victim / ".git"))

    found = git.commits(repo, "main", first)

    assert [one.subject for one in found] == ["drei", "zwei — ü"]
    assert {one.author for one in found} == {"Test Person"}
    assert os.environ["GIT_DIR"] == str(victim / ".git")
    with pytest.raises(GitError):
        git.commits(repo, "nothing", first)


def test_a_failure_names_the_files_that_git_lists(tmp_path: Path) -> None:
    """The heading alone, `would be overwritten by merge:`, helps nobody."""
    err = "error: Your files would be overwritten by merge:\n\tone\n\ttwo words\nAborting\n"

    told = git.failure(("merge",), git.Completed(1, b"", err))

    assert told.message.endswith("by merge: `one`, `two words`")
