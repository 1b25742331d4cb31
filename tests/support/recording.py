"""A tmux server of the test's own whose panes are recorded, and rings made by hand."""

from __future__ import annotations

import contextlib
import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from mdtmux.names import PaneId
from mdtmux.record.segments import path_of
from mdtmux.record.writer import pipe_command
from mdtmux.system.screen import Pane
from mdtmux.system.tmux import Socket, Tmux, line
from tests.support.wait import until

TUI = str(Path(__file__).with_name("tui.py"))
# A program that shows a file's bytes as they are, says so in its title, and stays.
_SHOW = "stty raw -echo; cat {file}; printf '\\033]2;shown\\007'; exec cat >/dev/null"


def contents(folder: Path) -> bytes:
    """Return all that the ring holds, read without the code under test."""
    numbers = sorted(int(path.suffix[1:]) for path in folder.glob("seg.*"))
    parts = []
    for number in numbers:
        # The recorder may take the oldest away between the two.
        with contextlib.suppress(FileNotFoundError):
            parts.append((folder / f"seg.{number}").read_bytes())
    return b"".join(parts)


def make_ring(folder: Path, *pieces: bytes, first: int = 1) -> Path:
    """Write a ring with those segments and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, piece in enumerate(pieces, first):
        path_of(folder, number).write_bytes(piece)
    return folder


class Studio:
    """One tmux server; each program in a window of its own, recorded from its start."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.tmux = Tmux(Socket("own"))

    def start(
        self,
        argv: Sequence[str],
        folder: Path | None = None,
        *,
        buffer: int = 200_000,
        marks: Sequence[tuple[str, str]] = (),
        size: tuple[int, int] = (100, 30),
    ) -> PaneId:
        """Start a program in a new session, recorded into `folder` from its first byte."""
        columns, rows = (str(cells) for cells in size)
        number = sum(1 for _ in self.tmux.panes())
        new = line("new-session", "-d", "-x", columns, "-y", rows, "-P", "-F",
                   "#{pane_id}", "-s", f"s{number}", "--", *argv)  # fmt: skip
        script = ["set-option -g remain-on-exit on", "set-option -g history-limit 5000"]
        place = f"=s{number}:"
        rows_after = [line("set-option", "-p", "-t", place, *mark) for mark in marks]
        if folder is not None:
            pipe = pipe_command(folder, buffer)
            rows_after.append(line("pipe-pane", "-t", place, pipe))
        # One script: tmux reads no output of the program before the pipe is there.
        answer = self.tmux.batch("\n".join([*script, new, *rows_after]) + "\n")
        return PaneId(answer.split()[0])

    def show(self, data: bytes, folder: Path | None = None, **how: object) -> PaneId:
        """Show bytes in a new pane as they are, and wait until tmux has them all."""
        file = self.base / "shown"
        file.write_bytes(data)
        command = _SHOW.format(file=shlex.quote(str(file)))
        size = how.get("size", (100, 30))
        buffer = how.get("buffer", 200_000)
        assert isinstance(size, tuple)
        assert isinstance(buffer, int)
        pane = self.start(["sh", "-c", command], folder, buffer=buffer, size=size)
        until(lambda: self.pane(pane).title == "shown", what="all bytes on the screen")
        return pane

    def pane(self, pane: PaneId) -> Pane:
        """Return the pane's row."""
        return next(one for one in self.tmux.panes() if one.pane == pane)

    def text(self, pane: PaneId) -> list[str]:
        """Return what tmux itself has of the pane: history and screen."""
        rows = self.tmux.call("capture-pane", "-p", "-S", "-", "-t", pane)
        return [row.rstrip(" ") for row in rows.split("\n")[:-1]]

    def wait_for(self, folder: Path, end: bytes) -> bytes:
        """Wait until the ring ends with those bytes and return all it holds."""
        until(
            lambda: contents(folder).endswith(end),
            what=lambda: f"{end!r} at the end of {contents(folder)[-200:]!r}",
        )
        return contents(folder)


def make_office(world: Path, *agents: str) -> Path:
    """Make the state folder of an office `lab` that was up once, and return it."""
    state = world / "home/.local/state/mdtmux/lab-0123abcd"
    state.mkdir(parents=True)
    office = {
        "name": "lab", "file": str(world / "here/office.yaml"), "repo": str(world),
        "common_dir": str(world), "socket": "own", "session": "lab", "version": None,
        "agents": [{"name": name} for name in agents],
    }  # fmt: skip
    (state / "office.json").write_text(json.dumps(office), encoding="utf-8")
    return state


def marks_of(state: Path, agent: str, run: str = "r1") -> list[tuple[str, str]]:
    """Return the options by which a pane is known as the agent's."""
    named = {"office": state.name, "agent": agent, "run": run}
    return [(f"@mdtmux_{name}", value) for name, value in named.items()]


def python(code: str) -> list[str]:
    """Return the command that runs the code."""
    return [sys.executable, "-c", code]
