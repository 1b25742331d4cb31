"""The files of a delivery: the text on its way, and the note of what was typed last.

The note is written before the first key and taken away when the text is known to
have left the input line. Whoever finds it knows that a text may stand there unsent.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from mdtmux.errors import MdtmuxError
from mdtmux.system import files
from mdtmux.system.processes import identify
from mdtmux.system.tmux import BUFFERS, Tmux

_WAY = re.compile(r"\.?text-(\d+)-")
_BUFFER = re.compile(rf"{BUFFERS}(\d+)-[0-9a-f]+")
# How many texts that were handed over as files are kept for one agent.
_HANDED = 50


@dataclass(frozen=True, slots=True)
class Note:
    """A text that was, or was about to be, typed into one run of an agent.

    `entered` is set right before Enter is pressed. `id` is the delivery's.
    """

    id: str
    run: str
    sha256: str
    bytes: int
    entered: bool
    time: float


def folder(state: Path, agent: str) -> Path:
    """Return the folder that keeps an agent's queue and note."""
    return state / "queue" / agent


def write_note(state: Path, agent: str, note: Note) -> None:
    """Leave the note; call it with the pane's lock held.

    Raises:
        MdtmuxError: it cannot be written; then nothing may be typed.
    """
    files.write_json(folder(state, agent) / "typed.json", asdict(note))


def read_note(state: Path, agent: str) -> Note | None:
    """Return the note that an unfinished delivery left, None without one."""
    value = files.read_json(folder(state, agent) / "typed.json")
    if not isinstance(value, dict):
        return None
    try:
        return Note(**value)
    except TypeError:
        return None


def drop_note(state: Path, agent: str) -> None:
    """Take the note away; nothing happens when there is none."""
    (folder(state, agent) / "typed.json").unlink(missing_ok=True)


@contextlib.contextmanager
def on_its_way(state: Path, identifier: str, text: str) -> Iterator[Path]:
    """Give a private file that holds the text for the time of the block.

    Raises:
        MdtmuxError: it cannot be written (a full disk).
    """
    path = state / "spool" / f"text-{os.getpid()}-{identifier}"
    files.write_private(path, text)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def hand_over(state: Path, agent: str, identifier: str, text: str) -> Path:
    """Keep the text in a private file for the agent to read and return its path.

    The newest 50 of an agent are kept.
    """
    place = state / "handed" / agent
    path = place / f"{identifier}.txt"
    files.write_private(path, text)
    kept = sorted(place.glob("*.txt"), key=lambda one: one.stat().st_mtime)
    for old in kept[:-_HANDED]:
        old.unlink(missing_ok=True)
    return path


def sweep(state: Path, tmux: Tmux) -> None:
    """Remove what senders that were killed left: text files and paste buffers."""
    left = [
        path
        for path in (state / "spool").glob("*text-*")
        if _is_orphan(_WAY, path.name)
    ]
    if not left:
        return
    with contextlib.suppress(MdtmuxError):
        for name in tmux.call("list-buffers", "-F", "#{buffer_name}").splitlines():
            if _is_orphan(_BUFFER, name):
                tmux.call("delete-buffer", "-b", name)
    for path in left:
        path.unlink(missing_ok=True)


def _is_orphan(pattern: re.Pattern[str], name: str) -> bool:
    match = pattern.match(name)
    return match is not None and identify(int(match.group(1))) is None
