"""The rows about recording and the tmux server's memory."""

from __future__ import annotations

import os
import shlex
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.floor import World, world
from bench.table import Row
from mdtmux.record.history import history_limit
from mdtmux.record.writer import pipe_command
from mdtmux.system.tmux import line

BUFFER = 2_000_000
AGENTS = 64
_TMUX = ("tmux", "-u", "-L", "floor", "-f", "/dev/null")
_LINUX = Path("/proc/self/smaps_rollup").exists()
# What an agent prints at full speed: plain lines, lines with a few colours.
_FLOODS = {
    "plain": b"x" * 79 + b"\n",
    "colours": b"\x1b[32mfoo\x1b[0m bar \x1b[38;5;120mbaz and some words\x1b[0m\n",
}


def rows() -> list[Row]:
    """Measure everything about recording."""
    pss, disk = _cost()
    each = f"tmux server memory, {AGENTS} agents flooding"
    return [
        Row("recording: processes' PSS per agent, 64 agents", 0.2, 0.5, pss, "MB"),
        Row("recording: disk per agent after a flood / buffer", 1, 2, disk, "x"),
        Row(
            "flooding pane's speed / without recording",
            0.9,
            0.8,
            _speed(),
            "x",
            "higher",
        ),
        Row(f"{each} ASCII, each", 2, 2.5, _memory(_ascii(99)), "MB"),
        Row(f"{each} truecolor, each", 2, 2.5, _memory(_truecolor(99)), "MB"),
    ]


def _tmux(place: World, *args: str) -> str:
    return place.run(*_TMUX, *args)


def _batch(place: World, script: Sequence[str]) -> None:
    file = place.base / "script"
    file.write_text("\n".join(script) + "\n")
    _tmux(place, "start-server", ";", "source-file", str(file))


def _server(place: World) -> int:
    return int(_tmux(place, "display-message", "-p", "#{pid}"))


def _end(place: World, pid: int) -> None:
    """End the server and wait until it is gone: the next one must not meet it."""
    _tmux(place, "kill-server")
    while " Z " not in _read(f"/proc/{pid}/stat"):
        time.sleep(0.01)


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return " Z "


def _panes(place: World, command: str, pipes: Sequence[str]) -> list[str]:
    """Return the script for one pane a pipe, tiled four to a window of 200x50."""
    script = ["new-session -d -s s -x 200 -y 50 'sleep 999'"]
    script.append(f"set-option -g history-limit {history_limit(BUFFER, 100)}")
    for number, pipe in enumerate(pipes):
        new = "split-window" if number % 4 else "new-window"
        script += [line(new, "-t", "=s:", "--", "sh", "-c", command)]
        script += ["select-layout -t =s: tiled"]
        if pipe:
            script.append(line("pipe-pane", "-t", "=s:", pipe))
    return script


def _family(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            yield int(child)
            yield from _family(int(child))


def _cost() -> tuple[float | None, float]:
    """Return PSS in MB of one agent's recording, and its disk over the buffer."""
    with world() as place:
        file = place.base / "flood"
        file.write_bytes(_FLOODS["colours"] * 60_000)
        done = place.base / "done"
        show = f"cat {file}; echo x >> {done}; exec sleep 999"
        folders = [place.base / "record" / f"a{n}" for n in range(AGENTS)]
        pipes = [pipe_command(folder, BUFFER) for folder in folders]
        _batch(place, _panes(place, show, pipes))
        while not done.exists() or len(done.read_text().split()) < AGENTS:
            time.sleep(0.1)
        pid = _server(place)
        _quiet(folders)
        disk = max(_disk(folder) for folder in folders) / BUFFER
        pss = sum(_pss(child) for child in _family(pid)) if _LINUX else None
        _end(place, pid)
        return pss / AGENTS if pss is not None else None, disk


def _quiet(folders: Sequence[Path]) -> None:
    """Wait until the recordings have not grown for a while."""
    last: list[int] = []
    while (now := [_disk(folder) for folder in folders]) != last:
        last = now
        time.sleep(0.5)


def _disk(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("*"))


def _pss(pid: int) -> float:
    """Return a recorder's PSS in MB; 0 for the panes' own programs."""
    if _read(f"/proc/{pid}/comm").strip() == "sleep":
        return 0.0
    text = _read(f"/proc/{pid}/smaps_rollup")
    return next(
        (
            int(row.split()[1]) / 1000
            for row in text.splitlines()
            if row.startswith("Pss:")
        ),
        0.0,
    )


def _speed() -> float:
    """Return how fast a flooding pane is, as a share of one that is not recorded."""
    shares = []
    for unit in _FLOODS.values():
        with world() as place:
            (place.base / "flood").write_bytes(unit * (30_000_000 // len(unit)))
            pipes = ["", pipe_command(place.base / "ring", BUFFER)]
            for turn in range(8):
                # Which comes first changes, so that neither has the warmer machine.
                order = pipes if turn % 2 else pipes[::-1]
                took = {pipe: _flood(place, pipe) for pipe in order}
                shares.append(took[pipes[0]] / took[pipes[1]])
    return statistics.median(shares)


def _flood(place: World, pipe: str) -> float:
    """Return the seconds in which a pane's program gets rid of the flood."""
    go, done = place.base / "go", place.base / "done"
    for fifo in (go, done):
        fifo.unlink(missing_ok=True)
        os.mkfifo(fifo)
    names = [shlex.quote(str(path)) for path in (go, place.base / "flood", done)]
    show = "read x < {}; cat {}; echo > {}; exec sleep 999".format(*names)
    _batch(place, _panes(place, show, [pipe]))
    pid = _server(place)
    go.write_text("x\n")
    start = time.perf_counter()
    done.read_text()
    took = time.perf_counter() - start
    _end(place, pid)
    return took


def _ascii(width: int) -> bytes:
    return b"x" * width + b"\n"


def _truecolor(width: int) -> bytes:
    return b"".join(b"\x1b[38;2;%d;2;3mx" % n for n in range(width)) + b"\x1b[m\n"


def _memory(unit: bytes) -> float:
    """Return the tmux server's memory in MB for each of the flooding agents."""
    with world() as place:
        file, done = place.base / "flood", place.base / "done"
        file.write_bytes(unit * (history_limit(BUFFER, 100) + 300))
        show = f"cat {file}; echo x >> {done}; exec sleep 999"
        _batch(place, _panes(place, show, [""] * AGENTS))
        while not done.exists() or len(done.read_text().split()) < AGENTS:
            time.sleep(0.1)
        pid = _server(place)
        resident = place.run("ps", "-o", "rss=", "-p", str(pid))
        _end(place, pid)
        return int(resident) * 1024 / 1e6 / AGENTS
