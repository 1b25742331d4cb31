"""State files: private, atomic, whole lines."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from mdtmux.errors import MdtmuxError
from mdtmux.system import files


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_folders_are_private_up_to_the_last_one_made(world: Path) -> None:
    """Every folder that is made on the way is for the user alone."""
    made = files.private_dir(world / "a" / "b" / "c")

    assert [_mode(folder) for folder in (made, made.parent, made.parent.parent)] == [
        0o700
    ] * 3


def test_a_folder_that_cannot_be_made_is_named(world: Path) -> None:
    """The error names the folder and how to choose another one."""
    (world / "file").write_text("")
    with pytest.raises(MdtmuxError, match="file/sub") as caught:
        files.private_dir(world / "file" / "sub")

    assert "XDG_STATE_HOME" in str(caught.value.hint)


def test_a_private_file_replaces_the_old_one(world: Path) -> None:
    """The file is 0600 and no temporary file stays."""
    path = world / "x"
    files.write_private(path, "one")
    files.write_private(path, "two")

    assert (path.read_text(), _mode(path)) == ("two", 0o600)
    assert [p.name for p in world.iterdir() if p.name.startswith(".x")] == []


def test_json_that_is_none_reads_as_none(world: Path) -> None:
    """A missing file and a torn one read as None, a written value as itself."""
    path = world / "x.json"
    assert files.read_json(path) is None
    path.write_text('{"a":')
    assert files.read_json(path) is None
    files.write_json(path, {"a": ["é"]})
    assert files.read_json(path) == {"a": ["é"]}


def _append(path: str) -> None:
    for _ in range(200):
        files.append_line(Path(path), "x" * 300)


def test_lines_of_many_writers_stay_whole(world: Path) -> None:
    """Concurrent appends never mix."""
    path = world / "log"
    with ProcessPoolExecutor(4) as pool:
        list(pool.map(_append, [str(path)] * 4))

    assert path.read_text().splitlines() == ["x" * 300] * 800


def test_a_relative_xdg_path_is_ignored() -> None:
    """The XDG specification says so."""
    os.environ["XDG_STATE_HOME"], old = "relative", os.environ["XDG_STATE_HOME"]
    try:
        assert files.state_root() == Path.home() / ".local/state/mdtmux"
    finally:
        os.environ["XDG_STATE_HOME"] = old


def test_offices_of_one_name_on_two_repositories_differ(world: Path) -> None:
    """The state folder depends on the repository too."""
    one = files.office_state_dir("lab", world / "one/.git")
    two = files.office_state_dir("lab", world / "two/.git")

    assert one != two
    assert one.name.startswith("lab-")
