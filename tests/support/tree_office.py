"""An office whose worktrees stand and whose agents never started: no tmux needed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from mdtmux.office.file import load
from mdtmux.running.offices import make_ref, save_ref
from mdtmux.worktrees.record import Record
from mdtmux.worktrees.repository import inspect
from tests.support.cli import Result, run
from tests.support.trees import stored, tree


@dataclass(frozen=True, slots=True)
class TreeOffice:
    """The office file's folder, the state folder and the agents' worktrees."""

    home: Path
    repo: Path
    state: Path
    records: dict[str, Record]

    def run(self, *args: str) -> Result:
        """Run the command line in the office's folder."""
        return run(*args, cwd=self.home)

    def ok(self, *args: str) -> Result:
        """Run the command line and require that it succeeds."""
        done = self.run(*args)
        assert done.code == 0, (
            f"mdtmux {' '.join(args)}: {done.code}\n{done.out}{done.err}"
        )
        return done

    def refused(self, *args: str) -> str:
        """Run the command line, require exit code 4 and no result, return the words."""
        done = self.run(*args)
        assert (done.code, done.out) == (4, ""), done
        return done.err


def tree_office(repo: Path, *agents: str) -> TreeOffice:
    """Bring up an office in all but its agents: state, worktrees, records."""
    home = repo.parent
    file = home / "office.yaml"
    members = [{"name": name, "command": ["true"]} for name in agents]
    office = {"name": "ag", "repo": repo.name, "agents": members}
    file.write_text(json.dumps(office), encoding="utf-8")
    loaded, repository = load(file), inspect(repo)
    ref = make_ref(loaded, repository.top, repository.common_dir)
    save_ref(ref, loaded)
    records = {name: tree(repo, name) for name in agents}
    stored(ref.state, *records.values())
    return TreeOffice(home, repo, ref.state, records)
