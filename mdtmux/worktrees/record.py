"""What an office remembers of its worktrees: facts of their making, not beliefs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from mdtmux.system.files import read_json, write_json
from mdtmux.system.locks import hold

COPY = "copy"
LINK = "link"


@dataclass(frozen=True, slots=True)
class Placed:
    """A file that was put into a worktree; `path` is relative to it.

    `mark` proves it later: the SHA-256 of a copy's content, the target of a link.
    """

    path: str
    kind: str
    mark: str


@dataclass(frozen=True, slots=True)
class Record:
    """One agent's worktree as it was made.

    `base_ref` is the full name of the branch it came from, None for a bare commit;
    `merged` is the last commit of the branch that went into another one as a whole,
    `merged_into`, None before that. `made_branch` and `made_worktree` tell what was ours to make.
    """

    agent: str
    path: Path
    branch: str
    base_sha: str
    base_ref: str | None = None
    merged: str | None = None
    merged_into: str | None = None
    made_branch: bool = False
    made_worktree: bool = False
    placed: tuple[Placed, ...] = ()


def to_json(record: Record) -> dict[str, object]:
    """Write a record as a JSON object."""
    return {
        "agent": record.agent,
        "path": str(record.path),
        "branch": record.branch,
        "base_sha": record.base_sha,
        "base_ref": record.base_ref,
        "merged": record.merged,
        "merged_into": record.merged_into,
        "made_branch": record.made_branch,
        "made_worktree": record.made_worktree,
        "placed": [[one.path, one.kind, one.mark] for one in record.placed],
    }


def from_json(value: object) -> Record | None:
    """Read what `to_json` wrote; None when it is something else."""
    if not isinstance(value, Mapping):
        return None
    try:
        return Record(
            agent=str(value["agent"]),
            path=Path(value["path"]),
            branch=str(value["branch"]),
            base_sha=str(value["base_sha"]),
            base_ref=_text(value["base_ref"]),
            merged=_text(value["merged"]),
            merged_into=_text(value.get("merged_into")),
            made_branch=value["made_branch"] is True,
            made_worktree=value["made_worktree"] is True,
            placed=tuple(Placed(*map(str, one)) for one in value["placed"]),
        )
    except (KeyError, TypeError):
        return None


def _text(value: object) -> str | None:
    return None if value is None else str(value)


@dataclass(frozen=True, slots=True)
class Store:
    """The office's `worktrees.json`; every change is one locked step."""

    state: Path

    @property
    def file(self) -> Path:
        """Where the records lie."""
        return self.state / "worktrees.json"

    def read(self) -> dict[str, Record]:
        """Return the records by agent; what cannot be read is left out."""
        value = read_json(self.file)
        rows = value if isinstance(value, list) else []
        found = [record for record in map(from_json, rows) if record]
        return {record.agent: record for record in found}

    def put(self, records: Iterable[Record]) -> None:
        """Add or replace the records of these agents.

        Raises:
            Busy: another mdtmux held the file for 10 s.
        """
        with self._held():
            kept = self.read()
            kept.update((record.agent, record) for record in records)
            self._write(kept)

    def drop(self, agents: Iterable[str]) -> None:
        """Forget these agents' worktrees."""
        gone = set(agents)
        with self._held():
            self._write({k: v for k, v in self.read().items() if k not in gone})

    def set_merged(self, agent: str, sha: str, into: str) -> None:
        """Note how far the agent's branch has gone into another one."""
        with self._held():
            kept = self.read()
            if agent in kept:
                kept[agent] = replace(kept[agent], merged=sha, merged_into=into)
                self._write(kept)

    def _held(self) -> AbstractContextManager[None]:
        path = self.state / "locks" / "worktrees.lock"
        return hold(path, wait=10, what="the list of worktrees")

    def _write(self, records: Mapping[str, Record]) -> None:
        write_json(self.file, [to_json(record) for record in records.values()])
