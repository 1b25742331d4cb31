"""What the office remembers of each agent's present life: facts to check, not beliefs.

A record says which run was started, where and as what. Whether it lives is asked of
tmux and the process table each time. Neither environment nor prompt is kept in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from mdtmux.names import AgentName, PaneId, RunId
from mdtmux.office.model import Agent, Isolation, Marks, Paste, Permissions, Ready, Stop
from mdtmux.system.files import read_json, write_json
from mdtmux.system.processes import Identity


class PromptState(StrEnum):
    """How far the first prompt of a run has come.

    `TYPING` is written before the first key: whoever finds it later knows that the
    prompt may have arrived, and must not type it again.
    """

    NONE = "none"
    PENDING = "pending"
    TYPING = "typing"
    QUEUED = "queued"
    SUBMITTED = "submitted"
    UNPROVEN = "unproven"


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One life of an agent. `started` is seconds since the epoch; `pid` 0 = unknown.

    `digest` is of everything in the office file that shapes the process, for drift.
    `kept` is the id of the delivery by which a queued prompt comes, "" without one.
    `private` names the variables that were the agent's own, by `env` and `env_file`.
    `ready`: it was seen to be ready; until then `awaited` is when the command that
    waits for it gives up (seconds since the epoch), and `unready` why it gave up.
    """

    run: RunId
    agent: Agent
    pane: PaneId
    server_pid: int
    pid: int
    created: float
    directory: Path
    worktree: Path | None
    branch: str | None
    started: float
    ready: bool
    prompt: PromptState
    digest: str
    kept: str = ""
    private: tuple[str, ...] = ()
    awaited: float = 0.0
    unready: str = ""

    @property
    def identity(self) -> Identity | None:
        """The recorded process, when its pid was learnt."""
        return Identity(self.pid, self.created) if self.pid else None


def agent_to_json(agent: Agent) -> dict[str, object]:
    """Write an agent without its environment's values and its prompt."""
    value = _fields(agent) | {"env": [], "prompt": None}
    value["env_file"] = [str(path) for path in agent.env_file]
    for key in ("ready", "stop", "marks"):
        value[key] = _fields(value[key])
    return value


def _fields(value: object) -> dict[str, object]:
    # `dataclasses.asdict` copies every tuple and text: an office of 64 feels it.
    names = getattr(value, "__slots__", ())
    return {name: getattr(value, name) for name in names}


def agent_from_json(value: Mapping[str, object]) -> Agent:
    """Read what `agent_to_json` wrote.

    Raises:
        KeyError, TypeError, ValueError: it was written by another version.
    """
    raw = _Reader(value)
    command = value["command"]
    return Agent(
        name=AgentName(raw.text("name")),
        role=raw.text("role"),
        kind=raw.text("kind"),
        command=None if command is None else raw.texts("command"),
        shell=raw.maybe("shell"),
        args=raw.texts("args"),
        model=raw.maybe("model"),
        branch=raw.text("branch"),
        base=raw.text("base"),
        isolation=Isolation(raw.text("isolation")),
        shares=AgentName(raw.text("shares")) if value["shares"] else None,
        dir=raw.maybe("dir"),
        copy=raw.texts("copy"),
        link=raw.texts("link"),
        setup=raw.texts("setup"),
        env=(),
        env_file=tuple(Path(path) for path in raw.texts("env_file")),
        unset=raw.texts("unset"),
        prompt=None,
        ready=raw.ready(),
        stop=raw.stop(),
        marks=raw.marks(),
        paste=Paste(raw.text("paste")),
        permissions=Permissions(raw.text("permissions")),
        depends_on=tuple(AgentName(name) for name in raw.texts("depends_on")),
        is_process=bool(value["is_process"]),
        line=raw.number("line"),
    )


class _Reader:
    """Typed access to a JSON object; raises on what is not of the asked type."""

    def __init__(self, value: Mapping[str, object]) -> None:
        self.value = value

    def text(self, key: str) -> str:
        found = self.value[key]
        if not isinstance(found, str):
            raise TypeError(key)
        return found

    def maybe(self, key: str) -> str | None:
        return None if self.value[key] is None else self.text(key)

    def number(self, key: str) -> int:
        found = self.value[key]
        if not isinstance(found, int):
            raise TypeError(key)
        return found

    def real(self, key: str) -> float:
        found = self.value[key]
        if not isinstance(found, int | float):
            raise TypeError(key)
        return float(found)

    def texts(self, key: str) -> tuple[str, ...]:
        found = self.value[key]
        if not isinstance(found, list | tuple):
            raise TypeError(key)
        return tuple(str(one) for one in found)

    def inner(self, key: str) -> _Reader:
        found = self.value[key]
        if not isinstance(found, dict):
            raise TypeError(key)
        return _Reader(found)

    def ready(self) -> Ready:
        inner = self.inner("ready")
        return Ready(inner.maybe("pattern"), inner.real("timeout"))

    def stop(self) -> Stop:
        inner = self.inner("stop")
        keys = None if inner.value["keys"] is None else inner.texts("keys")
        return Stop(keys, inner.real("timeout"))

    def marks(self) -> Marks:
        inner = self.inner("marks")
        return Marks(
            *(inner.maybe(key) for key in ("idle", "busy", "waiting", "limited"))
        )


def save(state: Path, record: RunRecord) -> None:
    """Write an agent's record in one step."""
    write_json(
        state / "runs" / f"{record.agent.name}.json",
        {
            "run": record.run,
            "agent": agent_to_json(record.agent),
            "pane": record.pane,
            "server_pid": record.server_pid,
            "pid": record.pid,
            "created": record.created,
            "directory": str(record.directory),
            "worktree": str(record.worktree) if record.worktree else None,
            "branch": record.branch,
            "started": record.started,
            "ready": record.ready,
            "prompt": record.prompt.value,
            "digest": record.digest,
            "kept": record.kept,
            "private": record.private,
            "awaited": record.awaited,
            "unready": record.unready,
        },
    )


def load(state: Path, name: str) -> RunRecord | None:
    """Return an agent's record, or None when there is none that can be read."""
    value = read_json(state / "runs" / f"{name}.json")
    if not isinstance(value, dict):
        return None
    raw = _Reader(value)
    try:
        return RunRecord(
            run=RunId(raw.text("run")),
            agent=agent_from_json(raw.inner("agent").value),
            pane=PaneId(raw.text("pane")),
            server_pid=raw.number("server_pid"),
            pid=raw.number("pid"),
            created=raw.real("created"),
            directory=Path(raw.text("directory")),
            worktree=Path(raw.text("worktree")) if value["worktree"] else None,
            branch=raw.maybe("branch"),
            started=raw.real("started"),
            ready=bool(value["ready"]),
            prompt=PromptState(raw.text("prompt")),
            digest=raw.text("digest"),
            private=raw.texts("private") if "private" in value else (),
            kept=raw.text("kept") if "kept" in value else "",
            awaited=raw.real("awaited") if "awaited" in value else 0.0,
            unready=raw.text("unready") if "unready" in value else "",
        )
    except (KeyError, TypeError, ValueError):
        return None


def load_all(state: Path) -> dict[str, RunRecord]:
    """Return every readable record by agent name, in the order they were started."""
    names = [path.stem for path in sorted((state / "runs").glob("*.json"))]
    found = [record for name in names if (record := load(state, name))]
    return {
        record.agent.name: record for record in sorted(found, key=lambda r: r.started)
    }


def forget(state: Path, name: str) -> None:
    """Drop an agent's record."""
    (state / "runs" / f"{name}.json").unlink(missing_ok=True)
