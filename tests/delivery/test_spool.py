"""The files of a delivery are private, and none stays that is not needed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mdtmux.delivery import spool
from mdtmux.delivery.spool import Note


def test_a_text_on_its_way_is_private_and_gone_afterwards(tmp_path: Path) -> None:
    """The file is for this user alone, and an error removes it as well."""
    with spool.on_its_way(tmp_path, "id", "secret") as path:
        assert path.read_text() == "secret"
        assert path.stat().st_mode & 0o777 == 0o600
        assert str(os.getpid()) in path.name
    assert not path.exists()

    with (
        pytest.raises(KeyboardInterrupt),
        spool.on_its_way(tmp_path, "id", "x") as path,
    ):
        raise KeyboardInterrupt
    assert not path.exists()


def test_a_note_comes_back_until_it_is_dropped(tmp_path: Path) -> None:
    """The note of one agent is not that of another; a broken one is none."""
    note = Note("id", "run", "ab", 3, True, 1.5)
    spool.write_note(tmp_path, "a", note)

    assert spool.read_note(tmp_path, "a") == note
    assert spool.read_note(tmp_path, "b") is None
    (tmp_path / "queue/a/typed.json").write_text('{"id": 1}')
    assert spool.read_note(tmp_path, "a") is None
    spool.drop_note(tmp_path, "a")
    spool.drop_note(tmp_path, "a")
    assert not (tmp_path / "queue/a/typed.json").exists()


def test_texts_handed_over_as_files_are_kept_for_a_while(tmp_path: Path) -> None:
    """An agent can read its last fifty; older ones make room."""
    for number in range(53):
        path = spool.hand_over(tmp_path, "a", f"id{number}", f"text {number}")
        os.utime(path, (number, number))

    left = sorted(
        (tmp_path / "handed/a").iterdir(), key=lambda one: one.stat().st_mtime
    )
    assert len(left) == 50
    assert left[-1].read_text() == "text 52"
