"""The objects that a git folder names on its own: in logs, references, ORIG_HEAD.

Git keeps those from being collected as long as it knows the folder, and loses them
with it. What a rebase notes of stashed changes not even git keeps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from mdtmux.worktrees.unseen import walk

_ID = re.compile(rb"(?<![0-9a-f])(?:[0-9a-f]{40}|[0-9a-f]{64})(?![0-9a-f])")
# Folders with such files; `refs` holds only the worktree's own.
_FOLDERS = ("logs", "refs", "rebase-merge", "rebase-apply", "sequencer")
# Words for people may speak of any commit.
_TEXTS = "MSG"
_LOGS = "logs"


def named_in(folder: Path) -> tuple[str, ...]:
    """Return the ids of objects that the files of a git folder name, each once.

    Some may not exist any more.

    Raises:
        OSError: a file cannot be read.
    """
    found: dict[bytes, None] = {}
    for file in _files(folder):
        data = file.read_bytes()
        if file.is_relative_to(folder / _LOGS):
            # Before and after; who, when and why follow.
            rows = (line.split(b" ", 2)[:2] for line in data.splitlines())
            data = b" ".join(word for row in rows for word in row)
        found |= dict.fromkeys(_ID.findall(data))
    return tuple(sha.decode() for sha in found if sha.strip(b"0"))


def _files(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        return
    for one in folder.iterdir():
        # ORIG_HEAD and its like: every such name is git's (gitrevisions(7)).
        if one.name.isupper() and not one.name.endswith(_TEXTS) and one.is_file():
            yield one
    for name in _FOLDERS:
        if (folder / name).is_dir():
            for inner, _, files in walk(folder / name):
                yield from (inner / one for one in files if (inner / one).is_file())
