"""Copies and links land where they were asked for, and on nothing else."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from mdtmux.errors import UsageError
from mdtmux.worktrees.furnish import place
from mdtmux.worktrees.record import Placed
from mdtmux.worktrees.remove import remove
from mdtmux.worktrees.repository import inspect
from mdtmux.worktrees.supplies import gather
from tests.support.repos import git
from tests.support.trees import commit, files_of, furnish, tree


@pytest.fixture
def checkout(repo: Path) -> Path:
    """Return a main checkout with ignored files of many kinds."""
    commit(repo, ".gitignore", ".env*\n/secrets/\nnode_modules\n*.key\n")
    for name in (
        ".env",
        ".env.local",
        "secrets/a/deep",
        "secrets/b",
        "x.key",
        "node_modules/m",
    ):
        path = repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{name}\n")
    (repo / ".env").chmod(0o640)
    (repo / "secrets/link").symlink_to("b")
    return repo


def _kinds(placed: tuple[Placed, ...]) -> dict[str, str]:
    return {one.path: one.kind for one in placed}


def test_files_folders_patterns_and_links_are_placed(checkout: Path) -> None:
    """Content, modes and inner links are kept; a link points to the main checkout."""
    path = tree(checkout).path

    done = furnish(checkout, path, [".env*", "secrets"], ["node_modules"])

    assert _kinds(done.placed) == {
        ".env": "copy",
        ".env.local": "copy",
        "secrets/a/deep": "copy",
        "secrets/b": "copy",
        "secrets/link": "link",
        "node_modules": "link",
    }
    assert (path / "node_modules").readlink() == checkout / "node_modules"
    assert (path / "secrets/link").readlink() == Path("b")
    assert files_of(path / "secrets") == files_of(checkout / "secrets")
    assert (path / ".env").stat().st_mode & 0o777 == 0o640
    assert (path / ".env").stat().st_mtime_ns == (checkout / ".env").stat().st_mtime_ns
    assert done.notes == ()
    assert git(path, "status", "--porcelain") == ""


def test_placing_again_changes_nothing_and_knows_its_own(checkout: Path) -> None:
    """The second time the same is reported, and no file is written."""
    path = tree(checkout).path
    supplies = gather(checkout, [".env", "secrets"], ["node_modules"])
    first = place(supplies, path)
    inode = (path / ".env").stat().st_ino

    assert place(supplies, path) == first
    assert (path / ".env").stat().st_ino == inode


def test_a_file_that_differs_is_never_overwritten(checkout: Path) -> None:
    """The agent changed its copy: it stays, is told, and is not called ours."""
    path = tree(checkout).path
    (path / ".env").write_text("mine\n")
    (path / "node_modules").mkdir()

    done = furnish(checkout, path, [".env"], ["node_modules"])

    assert done.placed == ()
    assert done.notes == ("not copied over what stands there: `.env`, `node_modules`",)
    assert (path / ".env").read_text() == "mine\n"


def test_a_tracked_file_is_never_written(checkout: Path) -> None:
    """Not even where the agent deleted it."""
    path = tree(checkout).path
    (path / "README.md").unlink()

    done = furnish(checkout, path, ["README.md"])

    assert not (path / "README.md").exists()
    assert done.placed == ()


def test_worktreeinclude_takes_ignored_files_only(checkout: Path) -> None:
    """Gitignore's syntax, but tracked and merely untracked files are not taken."""
    (checkout / ".worktreeinclude").write_text(
        "# mine\n*.key\n.env\n!.env.local\nnew*\nREADME.md\n"
    )
    (checkout / "new.txt").write_text("untracked\n")
    (checkout / "deep").mkdir()
    (checkout / "deep/y.key").write_text("y\n")
    path = tree(checkout).path

    done = furnish(checkout, path)

    assert set(_kinds(done.placed)) == {"x.key", ".env", "deep/y.key"}
    assert (path / "deep/y.key").read_text() == "y\n"


def test_nothing_is_written_through_a_link(checkout: Path, world: Path) -> None:
    """A folder of the worktree that is a link could lead anywhere."""
    outside = world / "outside"
    outside.mkdir()
    path = tree(checkout).path
    (path / "secrets").symlink_to(outside)
    (path / ".env").symlink_to(outside / "env")

    done = furnish(checkout, path, ["secrets/b", ".env"])

    assert list(outside.iterdir()) == []
    assert done.placed == ()


@pytest.mark.parametrize(
    "pattern", ["/etc/passwd", "../x", "a/../../x", ".git/config", ""]
)
def test_a_pattern_that_leads_out_is_refused(repo: Path, pattern: str) -> None:
    """Absolute paths, `..` and git's own folder are no supplies."""
    with pytest.raises(UsageError, match="not a path inside the repository"):
        gather(repo, [pattern], [])


def test_what_is_not_there_is_a_note(repo: Path) -> None:
    """A fresh clone has no `.env` yet: told, not fatal."""
    done = furnish(repo, tree(repo).path, [".env"], ["node_modules"])

    assert done.notes == (
        f"copy: `.env` is not in `{repo}`",
        f"link: `node_modules` is not in `{repo}`",
    )


def test_what_git_would_show_is_a_note(repo: Path) -> None:
    """What git does not ignore in the main checkout either may be meant to be seen."""
    (repo / "data").mkdir()
    (repo / "data/file").write_text("x")
    before = (repo / ".git/info/exclude").read_bytes()

    done = furnish(repo, tree(repo).path, [], ["data"])

    (note,) = done.notes
    assert "not ignored by git" in note
    assert "a line `/data` in .gitignore" in note
    assert (repo / ".git/info/exclude").read_bytes() == before


@pytest.mark.parametrize("name", ["node_modules", "a [b]*", "end "])
def test_a_link_to_an_ignored_folder_stays_out_of_commits(
    repo: Path, world: Path, name: str
) -> None:
    """A link is no folder to `node_modules/`: a line of ours in `info/exclude` says it.

    It is there once for all worktrees, and gone with the last of them.
    """
    (repo / name).mkdir()
    (repo / ".gitignore").write_text(f"{name.replace('[', '?')}/\n")
    commit(repo, ".gitignore", (repo / ".gitignore").read_text())
    file = repo / ".git/info/exclude"
    file.write_text("mine")
    records = [tree(repo, one) for one in "ab"]

    pattern = name.replace("[", "?").replace("]", "?")

    done = [furnish(repo, one.path, [], [pattern]) for one in records]
    records = [replace(r, placed=d.placed) for r, d in zip(records, done, strict=True)]

    assert [len(one.notes) for one in done] == [1, 0]
    assert "`info/exclude` keeps the link out of commits" in done[0].notes[0]
    assert [git(one.path, "status", "--porcelain") for one in records] == ["", ""]
    assert file.read_text().count("mdtmux") == 1
    remove(inspect(repo), records[0], world / "state")
    assert "mdtmux" in file.read_text()
    remove(inspect(repo), records[1], world / "state")
    assert file.read_text() == "mine\n"


def test_a_copied_link_is_copied_as_its_content(repo: Path, world: Path) -> None:
    """`.env` that is a link to a shared file becomes a plain file."""
    (world / "shared").write_text("key\n")
    (repo / ".env").symlink_to(world / "shared")
    path = tree(repo).path

    furnish(repo, path, [".env"])

    assert not (path / ".env").is_symlink()
    assert (path / ".env").read_text() == "key\n"


def test_strange_names_and_sizes_are_copied_whole(repo: Path) -> None:
    """Blanks, quotes, bytes that are no UTF-8, megabytes, empty files."""
    folder = repo / "data"
    folder.mkdir()
    names = [b"a b", b"'\"$#", b"\xff\xfe", "é文".encode(), b"empty"]
    for number, name in enumerate(names):
        (folder / os.fsdecode(name)).write_bytes(b"x" * number * 700_000)
    path = tree(repo).path

    done = furnish(repo, path, ["data"])

    assert len(done.placed) == len(names)
    assert files_of(path / "data") == files_of(folder)


def test_sockets_and_pipes_are_left_out(repo: Path) -> None:
    """Reading a pipe would wait for ever."""
    (repo / "data").mkdir()
    os.mkfifo(repo / "data/pipe")
    (repo / "data/file").write_text("x")

    assert set(_kinds(furnish(repo, tree(repo).path, ["data"]).placed)) == {"data/file"}
