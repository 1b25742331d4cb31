"""The rows about bringing an office up and down, and looking at it."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path

from bench.floor import MDTMUX, World, make_repo, office, ratio, timed, world
from bench.table import Row


def _clear(place: World, repo: Path, agents: int) -> None:
    """Remove worktrees and branches, so that the next round makes them anew."""
    listed = place.run("git", "worktree", "list", "--porcelain", cwd=repo).split(
        "\n\n"
    )[1:]
    for entry in listed:
        path = entry.splitlines()[0].removeprefix("worktree ") if entry else ""
        if path:
            place.run("git", "worktree", "remove", "--force", path, cwd=repo)
    names = [f"bench/a{n}" for n in range(agents)] + [
        f"floor/a{n}" for n in range(agents)
    ]
    place.run("git", "branch", "-q", "-D", *names, cwd=repo, ok=False)


def _floor_up(place: World, repo: Path, agents: int) -> None:
    """Serial `git worktree add`, then one batched tmux call."""
    trees = place.base / "floor"
    for number in range(agents):
        path = str(trees / f"a{number}")
        place.run(
            "git", "worktree", "add", "-q", "-b", f"floor/a{number}", path, cwd=repo
        )
    words = [
        "tmux",
        "-L",
        "floor",
        "-f",
        "/dev/null",
        "new-session",
        "-d",
        "-s",
        "f",
        "sleep 9999",
    ]
    for number in range(1, agents):
        words += [
            ";",
            "new-window",
            "-d",
            "-c",
            str(trees / f"a{number}"),
            "sleep 9999",
        ]
    place.run(*words)


def _up(agents: int, files: int, rounds: int = 5) -> float:
    with world() as place:
        repo = make_repo(place, files)
        file = office(place, agents)
        pairs = []
        for number in range(rounds + 1):
            floor = timed(lambda: _floor_up(place, repo, agents))
            place.run("tmux", "-L", "floor", "kill-server")
            mine = timed(lambda: place.mdtmux("up", str(file)))
            place.mdtmux("down", str(file))
            _clear(place, repo, agents)
            if number:  # the first round warms caches
                pairs.append((mine, floor))
        return ratio(pairs)


def _counted(place: World, log: Path) -> None:
    """Put a tmux in front that notes each start."""
    tools = place.base / "tools"
    tools.mkdir()
    real = place.run("sh", "-c", "command -v tmux").strip()
    script = tools / "tmux"
    script.write_text(
        f'#!/bin/sh\necho x >>{shlex.quote(str(log))}\nexec {real} "$@"\n'
    )
    script.chmod(0o755)
    place.env["PATH"] = f"{tools}:{place.env['PATH']}"


def _tmux_starts() -> int:
    most = 0
    for agents in (1, 16, 64):
        with world() as place:
            make_repo(place, 10)
            file = office(place, agents)
            log = place.base / "starts"
            _counted(place, log)
            place.mdtmux("up", str(file))
            most = max(most, len(log.read_text().split()))
            place.mdtmux("down", str(file))
    return most


def _failed_adds() -> int:
    failed = 0
    with world() as place:
        repo = make_repo(place, 50)
        for _ in range(10):
            file = office(place, 16, base="origin/main")
            done = place.run(MDTMUX, "up", "--json", str(file), ok=False)
            failed += 16 - done.count('"up": true')
            place.mdtmux("down", str(file))
            _clear(place, repo, 16)
    return failed


def _remove(rounds: int = 3) -> float:
    """Removal as `down --remove-worktrees` does it, less its safety check, against git's."""
    with world() as place:
        repo = make_repo(place, 5000)
        file = office(place, 16)
        pairs = []
        for _ in range(rounds):
            place.mdtmux("up", str(file))
            place.mdtmux("down", str(file))
            told = place.run(
                str(Path(MDTMUX).with_name("python")), "-c", _REMOVE, str(file)
            )
            whole, check = (float(word) for word in told.split())
            paths = [str(place.base / f"t{number}") for number in range(16)]
            for path in paths:
                place.run("git", "worktree", "add", "-q", "--detach", path, cwd=repo)
            floor = timed(partial(_serial_removal, place, repo, paths))
            pairs.append((max(whole - check, 0.0), floor))
            _clear(place, repo, 16)
        return ratio(pairs)


def _serial_removal(place: World, repo: Path, paths: list[str]) -> None:
    for path in paths:
        place.run("git", "worktree", "remove", "--force", path, cwd=repo)


# The seconds of the whole removal, then those that its safety checks took of it: what
# would be lost and who is at work, before the folder is moved aside and after.
_REMOVE = """
import sys, time
from pathlib import Path
from mdtmux.running.offices import by_file
from mdtmux.worktrees import remove
from mdtmux.worktrees.record import Store
from mdtmux.worktrees.repository import inspect
ref = by_file(Path(sys.argv[1]))
records = list(Store(ref.state).read().values())
repository = inspect(ref.repo)
spent = []
def timed(check):
    def run(*args):
        start = time.perf_counter()
        try:
            return check(*args)
        finally:
            spent.append(time.perf_counter() - start)
    return run
remove.judge_all = timed(remove.judge_all)
remove.add_workers = timed(remove.add_workers)
remove._judge_modules = timed(remove._judge_modules)
start = time.perf_counter()
results = remove.remove_all(repository, records, ref.state)
whole = time.perf_counter() - start
assert not any(isinstance(one, Exception) for one in results.values()), results
print(whole, sum(spent))
"""


def _down_up(rounds: int = 50) -> int:
    failed = 0
    with world() as place:
        make_repo(place, 10)
        file = office(place, 2)
        for _ in range(rounds):
            done = place.run(MDTMUX, "up", "--json", str(file), ok=False)
            failed += done.count('"up": true') != 2
            place.run(MDTMUX, "down", str(file))
    return failed


def _ps(rounds: int = 9) -> float:
    with world() as many, world() as one:
        for place, agents in ((many, 64), (one, 1)):
            make_repo(place, 10)
            place.mdtmux("up", str(office(place, agents)))
        pairs = [
            (
                timed(lambda: many.mdtmux("ps", "--json")),
                timed(lambda: one.mdtmux("ps", "--json")),
            )
            for _ in range(rounds)
        ]
        for place in (many, one):
            place.mdtmux("down")
        return ratio(pairs)


def _start(words: tuple[str, ...], env: dict[str, str], rounds: int = 21) -> float:
    """A whole process against Python importing click."""
    with world() as place:
        place.env.update(env)
        python = str(Path(MDTMUX).with_name("python"))
        pairs = []
        for number in range(rounds + 2):
            mine = timed(lambda: place.run(*words))
            floor = timed(lambda: place.run(python, "-c", "import click"))
            if number > 1:
                pairs.append((mine, floor))
        return ratio(pairs)


def _ups() -> list[Row]:
    found = []
    for agents, files, goal, must in ((16, 5000, 0.70, 0.85), (64, 100, 0.9, 1.0)):
        name = f"up, {agents} agents, {files} files / serial add + batch"
        found.append(Row(name, goal, must, _up(agents, files), "x"))
    return found


def rows() -> list[Row]:
    """Measure all rows of this module."""
    # As the shells' scripts ask for the agents after `mdtmux send `.
    tab = {"_MDTMUX_COMPLETE": "bash_complete", "_MDTMUX_WORDS": "send\x1f"}
    return [
        *_ups(),
        Row("tmux processes that up starts, any N", 1, 3, _tmux_starts(), ""),
        Row(
            "10 x 16 worktrees from origin/main: failed adds", 0, 0, _failed_adds(), ""
        ),
        Row(
            "down --remove-worktrees, 16 x 5,000 / worktree remove",
            0.1,
            0.3,
            _remove(),
            "x",
        ),
        Row("down then up at once, 50 times: failures", 0, 0, _down_up(), ""),
        Row(
            "mdtmux --help / import click",
            1.2,
            1.5,
            _start((MDTMUX, "--help"), {}),
            "x",
        ),
        Row("a Tab / import click", 1.2, 1.5, _start((MDTMUX,), tab), "x"),
        Row("ps --json, 64 agents / 1 agent", 1.3, 2.0, _ps(), "x"),
    ]
