"""A mark is always that of the content as it is now."""

from __future__ import annotations

import os
from pathlib import Path

from mdtmux.worktrees.contents import Contents
from mdtmux.worktrees.furnish import content_mark


def test_a_change_is_seen_whatever_the_times_say(tmp_path: Path) -> None:
    """Same size and the same modification time set back: the mark is the new one."""
    marks, file = Contents(), tmp_path / "file"
    file.write_text("one")
    times = file.stat()
    assert marks.of(file) == content_mark(file)

    file.write_text("two")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))

    assert marks.of(file) == content_mark(file)


def test_a_file_that_rests_is_read_once(tmp_path: Path) -> None:
    """After a rename of the folder above, the mark is known without reading."""
    marks = Contents()
    inner = tmp_path / "a"
    inner.mkdir()
    (inner / "file").write_text("one")
    first = marks.of(inner / "file")

    inner.rename(tmp_path / "b")

    assert marks.of(tmp_path / "b/file") == first
