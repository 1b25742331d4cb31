"""Field cases of git worktrees, end to end (section F of the cases, and C25's alias).

The names carry the numbers of the cases. The finer ways of each are in
`tests/worktrees/`; here the command line must tell them and leave nothing half made.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.cli import run
from tests.support.office import Lab, make_lab, pair, tui
from tests.support.repos import git, make_repo
from tests.support.trees import branches, commit, files_of, picture

pytestmark = pytest.mark.usefixtures("tidy")


@pytest.fixture
def lab(world: Path) -> Lab:
    """Return a lab with two scripted agents on the branches `ag/a` and `ag/b`."""
    lab = make_lab(world)
    pair(lab)
    return lab


def _place(lab: Lab, agent: str = "a") -> Path:
    return lab.home / "repo__worktrees/lab" / agent


def test_c25_a_git_alias_works_on_its_own_repository(lab: Lab, world: Path) -> None:
    """`git office` as an alias in a linked worktree exports GIT_DIR: it is not used."""
    victim = make_repo(world / "victim")
    linked = lab.home / "linked"
    git(lab.repo, "worktree", "add", "-q", "-b", "x", str(linked))
    git(victim, "worktree", "add", "-q", "-b", "y", str(world / "elsewhere"))
    before = git(victim, "for-each-ref"), git(victim, "worktree", "list")
    alias = f"!cd {lab.home} && {sys.executable} -m mdtmux up"
    git(world / "elsewhere", "config", "alias.office", alias)

    git(world / "elsewhere", "office")

    assert (git(victim, "for-each-ref"), git(victim, "worktree", "list")) == before
    assert {"ag/a", "ag/b"} <= branches(lab.repo)
    assert lab.rows()["a"]["state"] == "running"


def test_c47_its_own_leftover_is_used_again(lab: Lab) -> None:
    """up; down; up: the same worktree with the work in it."""
    lab.ok("up")
    (_place(lab) / "work").write_text("mine")
    lab.ok("down")

    lab.ok("up")

    assert (_place(lab) / "work").read_text() == "mine"
    assert lab.starts("a")[-1]["cwd"] == str(_place(lab))


def _main(lab: Lab) -> str:
    lab.write([{"name": "a", "command": tui("a"), "branch": "main"}])
    return str(lab.repo)


def _foreign(lab: Lab) -> str:
    git(lab.repo, "worktree", "add", "-q", "-b", "ag/a", str(lab.home / "x"))
    return str(lab.home / "x")


def _rebasing(lab: Lab) -> str:
    place = _foreign(lab)
    commit(Path(place), "README.md", "one\n")
    commit(lab.repo, "README.md", "two\n")
    with pytest.raises(AssertionError, match="could not apply"):
        git(Path(place), "rebase", "main")
    return place


@pytest.mark.parametrize("way", [_main, _foreign, _rebasing])
def test_c47_a_branch_that_is_taken_is_refused(
    lab: Lab, way: Callable[[Lab], str]
) -> None:
    """The error names the place, nothing starts, nothing is made, nothing is forced."""
    place = way(lab)
    before = picture(lab.repo, lab.repo)

    done = lab.run("up")

    assert done.code == 4
    assert place in done.err
    assert "Traceback" not in done.err
    assert picture(lab.repo, lab.repo) == before
    assert lab.starts("a") == lab.starts("b") == []


def test_c47_two_agents_with_one_branch_are_a_fault_of_the_file(lab: Lab) -> None:
    """`config validate` says so before anything is looked at."""
    same = [{"name": n, "command": tui(n), "branch": "ag/a"} for n in "ab"]
    lab.write(same)

    done = lab.run("config", "validate")

    assert done.code == 2
    assert "ag/a" in done.err


def test_c48_a_branch_in_the_way_is_told_and_nothing_half_made(lab: Lab) -> None:
    """With a branch `ag`, no `ag/a` can be: both agents are told in one error."""
    git(lab.repo, "branch", "ag")
    before = picture(lab.repo)

    done = lab.run("up")

    assert done.code == 4
    assert "agent `a`" in done.err
    assert "agent `b`" in done.err
    assert "`ag`" in done.err
    assert picture(lab.repo) == before
    git(lab.repo, "branch", "-D", "ag")
    lab.ok("up")


def test_c48_a_folder_in_the_way_can_be_cleared_and_up_succeeds(lab: Lab) -> None:
    """No branch stays behind, so the retry works."""
    _place(lab).mkdir(parents=True)
    (_place(lab) / "f").touch()
    assert lab.run("up").code == 4
    assert branches(lab.repo) == {"main"}
    shutil.rmtree(_place(lab))

    lab.ok("up")


def test_c49_no_commit_is_told_before_anything_starts(world: Path) -> None:
    """An empty repository: one clear sentence with what to do."""
    lab = Lab(world / "here")
    git(lab.home, "init", "-q", "-b", "main", "repo")
    pair(lab)

    done = lab.run("up")

    assert done.code != 0
    assert "has no commit yet: make one first" in done.err
    assert "git commit" in done.err
    assert lab.starts("a") == []


def test_c49_a_detached_head_is_the_base_and_said(lab: Lab) -> None:
    """In CI or a bisect: the commit is used, and `up` says so."""
    sha = git(lab.repo, "rev-parse", "HEAD")
    git(lab.repo, "checkout", "-q", "--detach")

    done = lab.ok("-v", "up")

    assert "detached" in done.err
    assert git(_place(lab), "rev-parse", "HEAD") == sha


def test_c51_sixteen_agents_of_two_offices_from_a_remote_branch(lab: Lab) -> None:
    """Two `up`s at once on one clone: every agent starts, no branch is left over."""
    clone = lab.home / "clone"
    git(lab.home, "clone", "-q", str(lab.repo), str(clone))
    files = []
    for office in ("one", "two"):
        agents = [
            {"name": f"a{n}", "command": ["sleep", "300"], "base": "origin/main"}
            for n in range(8)
        ]
        lab.write(agents, name=office, repo="clone")
        files.append(lab.file.rename(lab.home / f"{office}.yaml"))

    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda file: run("up", str(file), cwd=lab.home), files))

    assert [one.code for one in done] == [0, 0], done
    expected = {f"{office}/a{n}" for office in ("one", "two") for n in range(8)}
    assert branches(clone) == {"main", *expected}
    assert "ag/" not in (clone / ".git/config").read_text()


def _change(path: Path) -> str:
    (path / "README.md").write_text("changed\n")
    return "README.md"


def _add(path: Path) -> str:
    (path / "new").write_text("new\n")
    return "new"


def _ignore(path: Path) -> str:
    (path / "out").mkdir()
    (path / "out/x").write_text("report\n")
    return "out/x"


def _commit(path: Path) -> str:
    commit(path, "work", message="my own work")
    return "my own work"


@pytest.mark.parametrize("work", [_change, _add, _ignore, _commit])
def test_c52_down_keeps_work_and_names_it(
    lab: Lab, work: Callable[[Path], str]
) -> None:
    """Plain `down` removes nothing; with the flag, work refuses and is listed."""
    commit(lab.repo, ".gitignore", "out/\n")
    lab.ok("up")
    named = work(_place(lab))
    before = files_of(_place(lab))
    lab.ok("down")
    assert _place(lab, "b").is_dir()

    done = lab.run("down", "--remove-worktrees")

    assert done.code != 0
    assert named in done.out + done.err
    assert files_of(_place(lab)) == before
    assert not _place(lab, "b").exists()
    assert branches(lab.repo) >= {"ag/a", "ag/b"}


def test_c52_force_can_be_undone(lab: Lab) -> None:
    """Forced removal names what it takes, and `undo` brings everything back."""
    lab.ok("up")
    (_place(lab) / "new").write_text("mine\n")
    before = files_of(_place(lab))
    lab.ok("down", "--remove-worktrees", "--force")
    assert not _place(lab).exists()
    listed = lab.ok("undo", "--list").out
    kept = next(row.split()[0] for row in listed.splitlines() if "new" in row)

    lab.ok("undo", kept)

    assert files_of(_place(lab)) == before


def test_c54_a_failing_hook_is_a_warning(lab: Lab) -> None:
    """The worktree is complete, so the agent starts, and the hook's words are shown."""
    hook = lab.repo / ".git/hooks/post-checkout"
    hook.write_text("#!/bin/sh\necho no luck >&2\nexit 7\n")
    hook.chmod(0o755)

    done = lab.ok("-v", "up")

    assert "post-checkout failed with exit code 7: no luck" in done.err
    assert lab.rows()["a"]["state"] == "running"


def test_c54_a_missing_filter_is_one_clear_error(lab: Lab) -> None:
    """LFS without its program: told with the remedy, and no branch is left."""
    git(lab.repo, "config", "filter.big.smudge", "no-such-program %f")
    git(lab.repo, "config", "filter.big.clean", "cat")
    git(lab.repo, "config", "filter.big.required", "true")
    (lab.repo / ".gitattributes").write_text("*.bin filter=big\n")
    git(lab.repo, "add", "-A")
    commit(lab.repo, "x.bin")

    done = lab.run("up")

    assert done.code == 1
    assert "no-such-program" in done.out + done.err
    assert branches(lab.repo) == {"main"}
    assert not _place(lab).exists()


def test_c56_an_agent_that_runs_up_in_its_worktree_nests_nothing(lab: Lab) -> None:
    """Nothing to do, and no worktree inside a worktree."""
    lab.ok("up")

    done = run("up", "-h", cwd=_place(lab))
    again = run("-f", str(lab.file), "up", cwd=_place(lab))

    assert (done.code, again.code) == (0, 0)
    assert len(git(lab.repo, "worktree", "list").splitlines()) == 3
    assert not list(_place(lab).rglob("*__worktrees"))
