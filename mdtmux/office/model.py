"""The office as its file declares it: frozen values, defaults applied, texts loaded.

Paths are absolute. Worktree paths are not here: they need the repository, see
`mdtmux.worktrees`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from mdtmux.names import AgentName, OfficeName


class Isolation(StrEnum):
    """Where an agent works: its own worktree, the office's repository, another's."""

    OWN = "own"
    OFFICE = "office"
    SHARE = "share"


class Paste(StrEnum):
    """What to do with text of several lines when a program cannot take a paste.

    `AUTO` refuses it; `FILE` puts it into a file and types one line that names it.
    """

    AUTO = "auto"
    FILE = "file"


class Permissions(StrEnum):
    """What an agent CLI may do by itself: it asks first, or it goes ahead."""

    ASK = "ask"
    AUTO = "auto"


@dataclass(frozen=True, slots=True)
class TmuxOptions:
    """`tmux:` of the file. `socket` is `own` or `default`; `size` in cells."""

    socket: str = "own"
    layout: str = "tiled"
    width: int = 200
    height: int = 50
    panes_per_window: int = 4
    status: str = "auto"


@dataclass(frozen=True, slots=True)
class Ready:
    """When an agent counts as ready; `timeout` in seconds.

    `pattern` is a regular expression searched in the screen's rows; None leaves it
    to the kind's own sign.
    """

    pattern: str | None = None
    timeout: float = 60.0


@dataclass(frozen=True, slots=True)
class Stop:
    """How an agent is stopped; `keys` None means the kind's own; seconds."""

    keys: tuple[str, ...] | None = None
    timeout: float = 10.0


@dataclass(frozen=True, slots=True)
class Marks:
    """Regular expressions that read a custom command's screen (`screen:` key)."""

    idle: str | None = None
    busy: str | None = None
    waiting: str | None = None
    limited: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One member of the office, or a side process (`is_process`).

    `command` is the argv prefix that replaces the kind's program; `shell` is a line
    for `/bin/sh -c`; at most one of them is set. `branch` is that of the worktree it
    works in, its own or a shared one, and empty when it works in the office's
    repository. `dir` is relative to that folder, or absolute without a worktree.
    `env` keeps the file's spelling and order. `prompt` is the text itself, read from
    its file when the key said `file:`. `line` is where the agent stands in the file.
    """

    name: AgentName
    role: str = "worker"
    kind: str
    command: tuple[str, ...] | None = None
    shell: str | None = None
    args: tuple[str, ...] = ()
    model: str | None = None
    branch: str = ""
    base: str = "HEAD"
    isolation: Isolation = Isolation.OWN
    shares: AgentName | None = None
    dir: str | None = None
    copy: tuple[str, ...] = ()
    link: tuple[str, ...] = ()
    setup: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    env_file: tuple[Path, ...] = ()
    unset: tuple[str, ...] = ()
    prompt: str | None = None
    ready: Ready = Ready()
    stop: Stop = Stop()
    marks: Marks = Marks()
    paste: Paste = Paste.AUTO
    permissions: Permissions = Permissions.ASK
    depends_on: tuple[AgentName, ...] = ()
    is_process: bool = False
    line: int = 0


@dataclass(frozen=True, slots=True)
class Office:
    """A whole office file. Bosses come first in `agents`, side processes last.

    `repo` is the folder the file names, not yet checked; `worktrees` is the path
    template with `{repo}`, `{office}` and `{agent}`, relative to the repository's
    top folder; `buffer` is in bytes.
    """

    name: OfficeName
    version: str | None
    file: Path
    repo: Path
    base: str
    worktrees: str
    buffer: int
    tmux: TmuxOptions
    agents: tuple[Agent, ...]

    def agent(self, name: str) -> Agent | None:
        """Return the agent of that exact name, if the file has it."""
        return next((agent for agent in self.agents if agent.name == name), None)
