"""A folder that cannot be read may hold anything: a worktree with one stays."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from mdtmux.worktrees.record import Record
from tests.support.nobody import run_as_nobody
from tests.support.repos import git, make_repo
from tests.support.trees import commit, tree

_IMPORTS = """
from pathlib import Path
from mdtmux.errors import MdtmuxError
from mdtmux.worktrees.record import Record
from mdtmux.worktrees.remove import remove
from mdtmux.worktrees.repository import inspect
from mdtmux.worktrees.undo import undo
"""
_ALLOW = ("-c", "protocol.file.allow=always")


def _remove(
    world: Path, repo: Path, record: Record, then: str = "", *, force: bool = False
) -> subprocess.CompletedProcess[str]:
    names = (record.agent, record.branch, record.base_sha)
    code = f"""
repo, state, path = Path({str(repo)!r}), Path({str(world / "state")!r}), Path({str(record.path)!r})
record = Record({names[0]!r}, path, *{names[1:]!r})
try:
    remove(inspect(repo), record, state, force={force})
    {then}
except MdtmuxError as error:
    print(error.message)
"""
    return run_as_nobody(world, _IMPORTS, code)


def _closed(folder: Path, mode: int = 0) -> None:
    folder.mkdir(parents=True)
    (folder / "notes").write_text("precious\n")
    folder.chmod(mode)


@pytest.mark.parametrize("mode", [0o000, 0o111, 0o300, 0o444])
@pytest.mark.parametrize("name", ["secret", "deep/er/é secret", "out/secret", "out"])
def test_a_folder_that_cannot_be_read_keeps_the_worktree(
    repo: Path, world: Path, name: str, mode: int
) -> None:
    """Git warns and calls the worktree clean; what an ignored folder has is not told."""
    commit(repo, ".gitignore", "out/\n")
    record = tree(repo)
    _closed(record.path / name, mode)

    done = _remove(world, repo, record)

    assert f"`{record.path}` stays" in done.stdout, done.stderr
    assert name in done.stdout
    assert (record.path / name / "notes").read_text() == "precious\n"


def test_a_folder_that_cannot_be_read_goes_by_force_and_comes_back(
    repo: Path, world: Path
) -> None:
    """The whole folder is kept aside, unread."""
    record = tree(repo)
    _closed(record.path / "secret")

    done = _remove(world, repo, record, "undo(inspect(repo), state)", force=True)

    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert (record.path / "secret/notes").read_text() == "precious\n"
    assert (record.path / "secret").stat().st_mode & 0o777 == 0


@pytest.mark.parametrize("place", ["sub/secret", "sub", "git folder"])
def test_a_submodule_that_cannot_be_read_keeps_the_worktree(
    repo: Path, world: Path, place: str
) -> None:
    """Neither a folder in it, nor its place, nor what git keeps of it."""
    inner = make_repo(world / "inner", {"f": "x\n"})
    git(repo, *_ALLOW, "submodule", "add", "-q", str(inner), "sub")
    git(repo, "commit", "-q", "-m", "sub")
    record = tree(repo)
    if place == "sub":
        (record.path / "sub/notes").write_text("precious\n")
        (record.path / "sub").chmod(0)
    else:
        git(record.path, *_ALLOW, "submodule", "update", "-q", "--init")
    if place == "sub/secret":
        _closed(record.path / place)
    elif place == "git folder":
        git(record.path, "submodule", "-q", "deinit", "-f", "sub")
        (repo / ".git/worktrees/a/modules/sub").chmod(0)

    done = _remove(world, repo, record)

    assert f"`{record.path}` stays" in done.stdout, done.stderr
    assert "sub" in done.stdout
    assert record.path.is_dir()


def test_a_half_made_worktree_with_a_closed_folder_stays(
    repo: Path, world: Path
) -> None:
    """Killed before the files stood, it may have somebody's folder all the same."""
    record = tree(repo)
    admin = repo / ".git/worktrees/a"
    (admin / "index").unlink()
    (admin / "mdtmux-unfinished").touch()
    _closed(record.path / "secret")

    done = _remove(world, repo, record)

    assert "secret" in done.stdout, done.stderr
    assert (record.path / "secret/notes").exists()


def test_a_closed_folder_in_the_way_of_a_file_is_named(repo: Path, world: Path) -> None:
    """What it holds cannot be seen: a merge that puts a file there is none of ours."""
    commit(repo, ".gitignore", "out/\n")
    _closed(repo / "out/secret")
    code = f"print(clobbered(Path({str(repo)!r}), {{'out': '100644'}}))"
    imports = f"{_IMPORTS}from mdtmux.worktrees.clobber import clobbered\n"

    done = run_as_nobody(world, imports, code)

    assert "'out/secret/'" in done.stdout, done.stderr


@pytest.mark.parametrize("force", [False, True])
def test_a_worktree_below_a_closed_folder_stays(
    repo: Path, world: Path, force: bool
) -> None:
    """Nobody can tell whether it is there: it is neither removed nor forgotten."""
    record = tree(repo)
    (record.path / "notes").write_text("precious\n")
    record.path.parent.chmod(0)

    done = _remove(world, repo, record, force=force)

    record.path.parent.chmod(0o755)
    assert "cannot be looked at: Permission denied" in done.stdout, done.stderr
    assert (record.path / "notes").exists()
    assert str(record.path) in git(repo, "-c", "safe.directory=*", "worktree", "list")
