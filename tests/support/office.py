"""An office of scripted agents in a throw-away repository, driven by the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.support import leaks
from tests.support.cli import Result, run
from tests.support.repos import make_repo
from tests.support.wait import until

TUI = str(Path(__file__).with_name("tui.py"))


def tui(name: str, *options: str) -> list[str]:
    """Return the command of a scripted agent (see tests/support/tui.py)."""
    return [sys.executable, TUI, name, *options]


@dataclass(frozen=True, slots=True)
class Lab:
    """A folder with a repository `repo`, an office file and the agents' event log."""

    home: Path

    @property
    def repo(self) -> Path:
        """The repository."""
        return self.home / "repo"

    @property
    def file(self) -> Path:
        """The office file."""
        return self.home / "office.yaml"

    def write(self, agents: Sequence[object], **keys: object) -> None:
        """Write the office file (JSON is YAML); the office is called `lab` by default."""
        office = {"name": "lab", "repo": "repo", **keys, "agents": list(agents)}
        self.file.write_text(json.dumps(office, ensure_ascii=False, indent=1), "utf-8")

    def run(
        self, *args: str, env: Mapping[str, str | None] | None = None, stdin: str = ""
    ) -> Result:
        """Run the command line in the lab's folder."""
        log = {"FX_LOG": str(self.home / "fx.log")}
        return run(*args, cwd=self.home, env={**log, **(env or {})}, stdin=stdin)

    def ok(self, *args: str, env: Mapping[str, str | None] | None = None) -> Result:
        """Run the command line and require that it succeeds."""
        done = self.run(*args, env=env)
        assert done.code == 0, (
            f"mdtmux {' '.join(args)}: {done.code}\n{done.out}{done.err}"
        )
        return done

    def events(self, agent: str, kind: str | None = None) -> list[dict[str, object]]:
        """Return the scripted agent's events, oldest first."""
        path = self.home / "fx.log"
        rows = path.read_text("utf-8").splitlines() if path.exists() else []
        found = [json.loads(row) for row in rows]
        return [e for e in found if e["agent"] == agent and kind in (None, e["ev"])]

    def submits(self, agent: str) -> list[str]:
        """Return what the agent was given, in order."""
        return [str(event["text"]) for event in self.events(agent, "submit")]

    def starts(self, agent: str) -> list[dict[str, object]]:
        """Return the agent's starts."""
        return self.events(agent, "start")

    def rows(self) -> dict[str, dict[str, object]]:
        """Return `ps --json` by agent."""
        value = self.ok("ps", "--json").json()
        assert isinstance(value, dict)
        return {str(row["name"]): row for row in value["agents"]}

    def until_state(self, agent: str, state: str) -> dict[str, object]:
        """Wait until `ps` shows the state, and return the agent's row."""

        def row() -> dict[str, object] | None:
            found = self.rows()[agent]
            return found if found["state"] == state else None

        return until(row, seconds=20, what=f"state {state} of {agent}") or {}

    def state(self) -> Path:
        """Return the office's state folder."""
        root = Path(os.environ["XDG_STATE_HOME"]) / "mdtmux"
        return next(path.parent for path in root.glob("*/office.json"))


def make_lab(world: Path, files: Mapping[str, str] | None = None) -> Lab:
    """Make a lab with a repository of one commit."""
    lab = Lab(world / "here")
    make_repo(lab.repo, files)
    return lab


def pair(lab: Lab, **keys: object) -> None:
    """Write the usual office: two scripted agents `a` and `b`."""
    agents = [{"name": n, "command": tui(n), "branch": f"ag/{n}"} for n in "ab"]
    lab.write(agents, **keys)


def tmux(*args: str, socket: str = "mdtmux", check: bool = True) -> str:
    """Run tmux itself on a socket of the test's world."""
    done = subprocess.run(
        ["tmux", "-u", "-L", socket, *args], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 or not check, f"tmux {args}: {done.stderr}"
    return done.stdout


def kill_server(socket: str = "mdtmux") -> None:
    """End a tmux server of the test's world, and wait until it is gone."""
    folder = Path(os.environ["TMUX_TMPDIR"], f"tmux-{os.getuid()}")
    leaks.end_server(folder / socket)


def processes(word: str) -> list[int]:
    """Return the test's live processes whose argument vector has the word."""
    mark = os.environ[leaks.MARK]
    found = []
    for process in psutil.process_iter():
        try:
            alive = process.status() != psutil.STATUS_ZOMBIE
            mine = process.environ().get(leaks.MARK) == mark
            if alive and mine and word in process.cmdline():
                found.append(process.pid)
        except psutil.Error:
            continue
    return found
