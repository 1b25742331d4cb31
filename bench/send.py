"""The row about typing a large text into a pane."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from bench.floor import World, ratio, timed, world
from bench.table import Row
from mdtmux.delivery import spool
from mdtmux.delivery.text import prepare
from mdtmux.names import PaneId
from mdtmux.system.tmux import Socket, Tmux

SIZE = 1_000_000
ROUNDS = 25
# Reads raw bytes with bracketed paste on, and answers through a pipe after each paste.
READER = r"""
import os, sys, tty
tty.setraw(0)
os.write(1, b"\x1b[?2004h")
out = os.open(sys.argv[1], os.O_WRONLY)
os.write(out, b"r")
tail = b""
while True:
    tail = (tail + os.read(0, 65536))[-6:]
    if tail == b"\x1b[201~":
        os.write(out, b"x")
"""


def _start(place: World) -> int:
    """Start the reader in a pane and return the pipe that tells when it has read."""
    pipe = place.base / "pipe"
    os.mkfifo(pipe)
    script = place.base / "reader.py"
    script.write_text(READER)
    command = shlex.join([sys.executable, str(script), str(pipe)])
    place.run("tmux", "-L", "floor", "-f", "/dev/null", "new-session", "-d", command)
    told = os.open(pipe, os.O_RDONLY)
    os.read(told, 1)
    return told


def _floor(place: World, file: Path, told: int) -> None:
    """Load the file and paste it: one tmux client, nothing checked."""
    place.run(
        "tmux", "-L", "floor", "load-buffer", "-b", "b", str(file), ";",
        "paste-buffer", "-p", "-d", "-b", "b", "-t", "%0",
    )  # fmt: skip
    os.read(told, 1)


def _mine(place: World, tmux: Tmux, raw: bytes, told: int) -> None:
    """Prepare the text, keep it privately, paste it guarded: what `send` does."""
    text = prepare(raw).text
    with spool.on_its_way(place.base / "state", "bench", text) as file:
        tmux.paste(PaneId("%0"), file)
    os.read(told, 1)


def _megabyte() -> float:
    with world() as place:
        raw = (
            "a row of text with some words and numbers 0123456789\n" * 20_000
        ).encode()
        raw = raw[: SIZE - 1] + b"\n"
        file = place.base / "text"
        file.write_bytes(raw)
        told = _start(place)
        socket = place.base / f"tmux-{os.getuid()}" / "floor"
        tmux = Tmux(Socket(str(socket)))
        pairs = []
        for number in range(ROUNDS + 1):
            floor = timed(lambda: _floor(place, file, told))
            mine = timed(lambda: _mine(place, tmux, raw, told))
            if number:  # the first round warms caches
                pairs.append((mine, floor))
        os.close(told)
        return ratio(pairs)


def rows() -> list[Row]:
    """Measure and return the rows."""
    what = "1 MB through send / bare load-buffer + paste-buffer"
    return [Row(what, 1.2, 2.0, _megabyte(), "x")]
