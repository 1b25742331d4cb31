"""What a bench needs: a throw-away world on a memory file system, timed commands."""

from __future__ import annotations

import contextlib
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class World:
    """A folder of one bench with its own HOME and tmux sockets."""

    base: Path
    env: dict[str, str]

    def run(self, *argv: str, cwd: Path | None = None, ok: bool = True) -> str:
        """Run a program to its end and return its output."""
        done = subprocess.run(
            argv,
            cwd=cwd or self.base,
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
        )
        if ok and done.returncode:
            message = (
                f"{' '.join(argv)[:200]}: {done.returncode}\n{done.stdout}{done.stderr}"
            )
            raise RuntimeError(message)
        return done.stdout

    def mdtmux(self, *args: str, cwd: Path | None = None) -> str:
        """Run mdtmux as a user would, Python's start included."""
        return self.run(MDTMUX, *args, cwd=cwd)


MDTMUX = str(Path(sys.executable).with_name("mdtmux"))


@contextlib.contextmanager
def world() -> Iterator[World]:
    """Make a world on /dev/shm where there is one; end its tmux servers afterwards.

    File systems without a journal make new files slow for minutes after many were
    removed; a memory file system does not.
    """
    parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    base = Path(tempfile.mkdtemp(prefix="mdb", dir=parent)).resolve()
    env = {
        k: v
        for k, v in os.environ.items()
        if not k.startswith(("TMUX", "GIT_", "MDTMUX_", "XDG_", "PYTHONDONTWRITE"))
    }
    env |= {
        "HOME": str(base), "TMUX_TMPDIR": str(base), "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": str(base / ".gitconfig"),
    }  # fmt: skip
    (base / ".gitconfig").write_text(
        "[user]\nname = b\nemail = b@b.invalid\n[gc]\nauto = 0\n"
    )
    place = World(base, env)
    try:
        yield place
    finally:
        for name in ("mdtmux", "floor", "default"):
            place.run("tmux", "-L", name, "kill-server", ok=False)
        shutil.rmtree(base, ignore_errors=True)


def make_repo(place: World, files: int) -> Path:
    """Make a repository with that many files of 2 KB on `main`, and `origin/main`."""
    repo = place.base / "repo"
    repo.mkdir()
    place.run("git", "init", "-q", "-b", "main", cwd=repo)
    for number in range(files):
        path = repo / f"d{number % 50}" / f"f{number}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{number}\n" + "x" * 2000)
    place.run("git", "add", "-A", cwd=repo)
    place.run("git", "commit", "-q", "-m", "files", cwd=repo)
    place.run("git", "update-ref", "refs/remotes/origin/main", "HEAD", cwd=repo)
    place.run("git", "remote", "add", "origin", str(repo), cwd=repo)
    return repo


def office(place: World, agents: int, **keys: str) -> Path:
    """Write an office of agents that run `sleep`."""
    rows = [f"{key}: {value}" for key, value in keys.items()]
    rows += ["name: bench", "repo: repo", "agents:"]
    rows += [f"  - {{name: a{n}, command: [sleep, '9999']}}" for n in range(agents)]
    file = place.base / "office.yaml"
    file.write_text("\n".join(rows) + "\n")
    return file


def timed(act: Callable[[], object]) -> float:
    """Return the seconds that the call takes."""
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def ratio(pairs: Sequence[tuple[float, float]]) -> float:
    """Return the median of the ratios taken pair by pair."""
    return statistics.median(mine / floor for mine, floor in pairs)
