"""The offices of this user: where their state lies, and how to find one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mdtmux.errors import UsageError
from mdtmux.names import nearest
from mdtmux.office.model import Office
from mdtmux.system.files import (
    office_state_dir,
    private_dir,
    read_json,
    state_root,
    write_json,
)
from mdtmux.system.tmux import Socket


@dataclass(frozen=True, slots=True)
class OfficeRef:
    """One office as its state folder knows it, without reading the office file.

    `id` is the state folder's name: unique where two repositories hold offices of
    one name; panes carry it as `@mdtmux_office`. `as_kind` is what every agent was
    last brought up as, whatever the file says; `members` has role and kind by name.
    """

    name: str
    file: Path
    state: Path
    repo: Path
    common_dir: Path
    socket: Socket
    session: str
    agents: tuple[str, ...]
    version: str | None
    as_kind: str | None = None
    members: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The mark of the office on its panes."""
        return self.state.name


def make_ref(office: Office, repo: Path, common_dir: Path) -> OfficeRef:
    """Return the reference of an office file on its repository; writes nothing.

    A session name that was chosen before is kept.
    """
    state = office_state_dir(office.name, common_dir)
    known = read_ref(state)
    return OfficeRef(
        name=office.name,
        file=office.file,
        state=state,
        repo=repo,
        common_dir=common_dir,
        socket=known.socket if known else Socket(office.tmux.socket),
        session=known.session if known else office.name,
        agents=tuple(agent.name for agent in office.agents),
        version=office.version,
    )


def save_ref(ref: OfficeRef, office: Office) -> None:
    """Write `office.json`; completion reads the names and kinds from it too."""
    private_dir(ref.state)
    write_json(
        ref.state / "office.json",
        {
            "name": ref.name,
            "file": str(ref.file),
            "repo": str(ref.repo),
            "common_dir": str(ref.common_dir),
            "socket": ref.socket.name,
            "socket_path": str(ref.socket.path()),
            "session": ref.session,
            "version": ref.version,
            "as": ref.as_kind,
            "agents": [
                {
                    "name": agent.name,
                    "role": agent.role,
                    "kind": agent.kind,
                    "process": agent.is_process,
                }
                for agent in office.agents
            ],
        },
    )


def drop_agent(ref: OfficeRef, name: str) -> None:
    """Forget an agent in `office.json`."""
    value = read_json(ref.state / "office.json")
    if isinstance(value, dict):
        agents = [agent for agent in value["agents"] if agent["name"] != name]
        write_json(ref.state / "office.json", value | {"agents": agents})


def read_ref(state: Path) -> OfficeRef | None:
    """Return the office of a state folder, None when it has none that can be read."""
    value = read_json(state / "office.json")
    if not isinstance(value, dict):
        return None
    try:
        return OfficeRef(
            name=str(value["name"]),
            file=Path(value["file"]),
            state=state,
            repo=Path(value["repo"]),
            common_dir=Path(value["common_dir"]),
            socket=_socket(str(value["socket"]), str(value.get("socket_path", ""))),
            session=str(value["session"]),
            agents=tuple(str(agent["name"]) for agent in value["agents"]),
            version=value["version"],
            as_kind=value.get("as"),
            members={
                str(agent["name"]): (
                    str(agent.get("role", "-")),
                    str(agent.get("kind", "-")),
                )
                for agent in value["agents"]
            },
        )
    except (KeyError, TypeError):
        return None


def _socket(name: str, place: str) -> Socket:
    """Return the server where the office runs, as long as one listens there.

    A shell, a cron job and a login from afar may differ in TMUX_TMPDIR: to each the
    others' agents would be gone, and it would start them a second time.
    """
    here, there = Socket(name), Socket(name, place)
    if place in ("", str(here.path())) or not there.listens():
        return here
    return there


def every_office() -> Iterator[OfficeRef]:
    """Yield each office that has state, by name."""
    root = state_root()
    folders = sorted(root.iterdir()) if root.is_dir() else []
    for folder in folders:
        ref = read_ref(folder) if folder.is_dir() else None
        if ref is not None:
            yield ref


def by_name(name: str) -> OfficeRef:
    """Return the office of that name (or id).

    Raises:
        UsageError: there is none, or there are several on different repositories.
    """
    offices = list(every_office())
    found = [ref for ref in offices if name in (ref.name, ref.id)]
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(f"`{ref.id}` ({ref.repo})" for ref in found)
        message = f"several offices are called `{name}`: {ids}"
        raise UsageError(message, hint="name one by that longer name")
    near = nearest(name, [ref.name for ref in offices])
    hint = f"did you mean `{near}`?" if near else "`mdtmux ps --all` lists the offices"
    message = f"there is no office `{name}`"
    raise UsageError(message, hint=hint)


def by_file(file: Path) -> OfficeRef | None:
    """Return the office that was last brought up from that file, if any was.

    A file whose `name:` was changed has been several offices.
    """
    found = all_of_file(file)
    return found[0] if found else None


def all_of_file(file: Path) -> list[OfficeRef]:
    """Return every office that was brought up from that file, the last one first."""
    real = Path(os.path.realpath(file))
    found = [ref for ref in every_office() if ref.file == real]
    return sorted(found, key=_brought_up, reverse=True)


def _brought_up(ref: OfficeRef) -> float:
    try:
        return (ref.state / "office.json").stat().st_mtime
    except OSError:
        return 0.0


def here() -> OfficeRef | None:
    """Return the office in whose pane this process runs, if it runs in one."""
    folder = os.environ.get("MDTMUX_STATE")
    return read_ref(Path(folder)) if folder else None
