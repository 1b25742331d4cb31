"""Which office a command is about: by option, by pane, by folder, or the only one."""

from __future__ import annotations

import os
from pathlib import Path

import click

from mdtmux.errors import UsageError
from mdtmux.names import nearest
from mdtmux.office.finding import find
from mdtmux.running import offices
from mdtmux.running.offices import OfficeRef
from mdtmux.running.records import RunRecord, load, load_all
from mdtmux.worktrees.record import Store


def _global(ctx: click.Context, name: str) -> str | None:
    value = (ctx.find_root().obj or {}).get(name)
    return value if isinstance(value, str) else None


def office_file(ctx: click.Context, argument: str | None = None) -> Path:
    """Return the office file that the command is to read.

    Raises:
        UsageError: no file is named and none is found.
    """
    named = argument or _global(ctx, "file")
    if named:
        return Path(named)
    if _global(ctx, "office"):
        return current_office(ctx).file
    inside = os.environ.get("MDTMUX_FILE")
    if inside:
        return Path(inside)
    found = find(Path.cwd())
    if found is None:
        message = "there is no office file here or in a folder above"
        raise UsageError(
            message, hint="`mdtmux init` writes one, or name it with -f FILE"
        )
    return found


def current_office(ctx: click.Context, argument: str | None = None) -> OfficeRef:
    """Return the office that the command is about; it must have been up once.

    The order: the command's own file, -o NAME, -f FILE, the pane's own office,
    $MDTMUX_OFFICE, the office file found by walking up, the worktree one stands in,
    the only office there is.

    Raises:
        UsageError: none is found, or several could be meant.
    """
    name, file = _global(ctx, "office"), _global(ctx, "file")
    if argument:
        return _of_file(Path(argument))
    if name:
        return offices.by_name(name)
    if file:
        return _of_file(Path(file))
    found = offices.here()
    if found is None and os.environ.get("MDTMUX_OFFICE"):
        return offices.by_name(os.environ["MDTMUX_OFFICE"])
    found = found or _by_place(Path.cwd())
    if found is not None:
        return found
    file_here = find(Path.cwd())
    if file_here is not None:
        # Somebody who stands in a project means it, not the only office elsewhere.
        return _of_file(file_here)
    known = list(offices.every_office())
    if len(known) == 1:
        return known[0]
    if known:
        names = ", ".join(f"`{ref.name}`" for ref in known)
        message = f"which office? there are {names}"
        raise UsageError(message, hint="name one with -o NAME, or go to its folder")
    message = "no office has been brought up yet"
    raise UsageError(message, hint="`mdtmux up office.yaml` brings one up")


def is_near(ctx: click.Context, ref: OfficeRef) -> bool:
    """Tell whether the user knows which office it is: by name, by pane, by folder."""
    given = _global(ctx, "office") or _global(ctx, "file")
    if given or offices.here() is not None or os.environ.get("MDTMUX_OFFICE"):
        return True
    file = find(Path.cwd())
    return file is not None and Path(os.path.realpath(file)) == ref.file


def _of_file(file: Path) -> OfficeRef:
    ref = offices.by_file(file)
    if ref is None and not file.is_file():
        message = f"there is no office file `{file}`"
        raise UsageError(message)
    if ref is None:
        message = f"the office of `{file}` has not been brought up"
        raise UsageError(message, hint=f"`mdtmux up {file}` does that")
    return ref


def _by_place(folder: Path) -> OfficeRef | None:
    file = find(folder)
    if file is not None and (ref := offices.by_file(file)) is not None:
        return ref
    real = Path(os.path.realpath(folder))
    for ref in offices.every_office():
        for record in load_all(ref.state).values():
            place = record.worktree
            if place is not None and (place == real or place in real.parents):
                return ref
    return None


def known_agents(ref: OfficeRef) -> list[str]:
    """Return the names of every agent that the office's file or state has."""
    worktrees = Store(ref.state).read()
    return list(dict.fromkeys([*ref.agents, *load_all(ref.state), *worktrees]))


def check_agent(ref: OfficeRef, name: str) -> str:
    """Return the name when the office has an agent of exactly that name.

    Raises:
        UsageError: it has not; suggests the nearest.
    """
    names = known_agents(ref)
    if name in names:
        return name
    near = nearest(name, names)
    known = "agents: " + ", ".join(names) if names else "it has none yet"
    hint = f"did you mean `{near}`?" if near else known
    message = f"office `{ref.name}` has no agent `{name}`"
    raise UsageError(message, hint=hint)


def record_of(ref: OfficeRef, name: str) -> RunRecord | None:
    """Return the record of an agent of the office, None when it was never started.

    Raises:
        UsageError: the office has no such agent.
    """
    return load(ref.state, check_agent(ref, name))
