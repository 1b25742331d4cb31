"""Field cases of recording and looking, end to end; names carry the cases' numbers."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.office import Lab, make_lab
from tests.support.recording import contents
from tests.support.wait import until

pytestmark = pytest.mark.usefixtures("tidy")

_FRAMES = (
    "import itertools, sys\n"
    "for n in itertools.count():\n"
    "    sys.stdout.write(f'\\x1b[H\\x1b[38;2;9;9;9mframe {n:07d}\\x1b[0m\\x1b[K\\r\\n')\n"
)


@pytest.fixture
def lab(world: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    """Return a lab whose state folder has a blank, a quote and an accent in its name."""
    monkeypatch.setenv("XDG_STATE_HOME", str(world / "log dir's é"))
    return make_lab(world)


def _folder(lab: Lab, agent: str) -> Path:
    return lab.state() / "record" / agent


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("seg.*"))


def test_c39_a_flood_of_frames_stays_small_and_readable(lab: Lab) -> None:
    """Colour frames at full speed: the disk keeps its cap, `logs` is text."""
    (lab.home / "frames.py").write_text(_FRAMES)
    script = str(lab.home / "frames.py")
    lab.write([{"name": "a", "command": ["python3", script]}], buffer="100KB")
    lab.ok("up")
    folder = _folder(lab, "a")
    first = until(lambda: max(_numbers(folder), default=0), what="output")
    until(lambda: max(_numbers(folder)) > first + 20, seconds=30, what="20 turns")
    assert _size(folder) <= 100_000
    done = lab.ok("logs", "a", "-n", "20")
    assert done.out.startswith("frame ")
    assert "\x1b" not in done.out
    assert lab.ok("capture", "a").out.startswith("frame ")
    lab.ok("down")
    assert "frame " in lab.ok("logs", "a").out


def _numbers(folder: Path) -> list[int]:
    return [int(path.suffix[1:]) for path in folder.glob("seg.*")]


def test_c39_after_a_restart_each_line_is_there_once(lab: Lab) -> None:
    """Restart, then `down` and `up`: one pipe each time, and the old lines stay."""
    lab.write([{"name": "a", "shell": "echo run of $$; exec cat"}])
    lab.ok("up")
    folder = _folder(lab, "a")
    until(lambda: contents(folder).count(b"run of") == 1, what="the first run")
    lab.ok("restart", "a")
    until(lambda: contents(folder).count(b"run of") == 2, what="the second run")
    lab.ok("down")
    lab.ok("up")
    until(lambda: contents(folder).count(b"run of") == 3, what="the third run")
    lines = lab.ok("logs", "a").out.split("\n")
    runs = [line for line in lines if line.startswith("run of")]
    assert len(set(runs)) == len(runs) == 3
    lab.ok("down")


def test_c35_a_dead_agent_shows_its_last_words(lab: Lab) -> None:
    """The screen of an agent that died is told from its recording, and said to be."""
    lab.write([{"name": "a", "shell": "echo last words; sleep 1; exit 3"}])
    lab.run("up")
    lab.until_state("a", "exited")
    done = lab.ok("capture", "a")
    assert done.out == "last words\n"
    assert "does not run" in done.err
    assert lab.ok("logs", "a").out == "last words\n"
    lab.ok("down")


def test_c24_the_recording_is_for_the_user_alone(lab: Lab) -> None:
    """Nobody else can read what an agent printed, under any umask."""
    lab.write([{"name": "a", "shell": "echo $KEY; exec cat", "env": {"KEY": "s3cr3t"}}])
    old = os.umask(0)
    try:
        lab.ok("up")
    finally:
        os.umask(old)
    folder = _folder(lab, "a")
    until(lambda: b"s3cr3t" in contents(folder), what="the agent's own output")
    for path in (folder, *folder.iterdir(), *folder.parents):
        if path == lab.home.parent:
            break
        assert not path.stat().st_mode & 0o077, path
    lab.ok("down")
