"""Where Tab finds agents, offices and templates: in files, never by asking tmux.

A Tab must cost no more than the start of click, so nothing here loads a library: the
office's own `office.json` is read, and an office file that was never brought up is
scanned by its lines.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import click

from mdtmux.office.finding import find

Values = dict[str, str]

# The kinds of agents, told again because the office's own table takes long to load.
KINDS = ("claude", "opencode", "clerk", "custom")
_LARGEST = 1_000_000  # bytes of a file that Tab is willing to read
_BLOCK = re.compile(r"(agents|clones|processes):\s*(#.*)?$")
_FLOW = re.compile(r"(agents|clones|processes):\s*\[")
_NAME = r"""["']?([A-Za-z0-9][A-Za-z0-9_-]{0,63})["']?"""
_KEY = re.compile(rf"name:\s+{_NAME}\s*(#.*)?$")
_FLOW_NAME = re.compile(rf"[{{,]\s*name:\s+{_NAME}\s*(?=[,}}])")


def _states() -> Iterator[dict[str, object]]:
    """Give what each office of this user wrote about itself."""
    import json

    base = os.environ.get("XDG_STATE_HOME", "")
    root = Path(base) if base.startswith("/") else Path.home() / ".local/state"
    for file in sorted(root.glob("mdtmux/*/office.json")):
        try:
            value = json.loads(_read(file))
        except (OSError, ValueError):
            continue
        if isinstance(value, dict) and isinstance(value.get("name"), str):
            # Agents that the file does not name have a record of their run alone.
            runs = sorted(path.stem for path in file.parent.glob("runs/*.json"))
            yield {**value, "id": file.parent.name, "runs": runs}


def _read(file: Path) -> str:
    with file.open(encoding="utf-8-sig", errors="replace") as stream:
        return stream.read(_LARGEST)


def _option(ctx: click.Context, name: str) -> str | None:
    value = ctx.find_root().params.get(name)
    return value if isinstance(value, str) and value else None


def _named_file(ctx: click.Context) -> str | None:
    """Return the file of `-f`, or the first word of `up [FILE] [AGENT…]` when it is one."""
    names = ctx.params.get("names")
    first = names[0] if isinstance(names, tuple) and names else ""
    return first if first.endswith((".yaml", ".yml")) else _option(ctx, "file")


def _office_file(ctx: click.Context) -> Path | None:
    """Return the office file that is meant: named, or found by walking up."""
    named = _named_file(ctx)
    if named:
        return Path(os.path.realpath(named))
    found = find(Path.cwd())
    return None if found is None else Path(os.path.realpath(found))


def offices(ctx: click.Context) -> Values:
    """Return the offices of this user, each with its repository."""
    states = list(_states())
    names = [str(state["name"]) for state in states]
    found: Values = {}
    for state in states:
        # Offices of one name on two repositories are told apart by their longer name.
        name = str(state["name"])
        key = name if names.count(name) == 1 else str(state["id"])
        found[key] = str(state.get("repo", ""))
    return found


def agents(ctx: click.Context) -> Values:
    """Return the agents of the office that the command line is about."""
    office, states = _option(ctx, "office"), list(_states())
    if office is None and _named_file(ctx) is None:
        office = os.environ.get("MDTMUX_OFFICE")
    if office:
        return _named([s for s in states if office in (s["name"], s["id"])])
    file = _office_file(ctx)
    if file is None:
        return _named(states)
    found = _named([state for state in states if state.get("file") == str(file)])
    for name in agents_in(_read(file)):
        found.setdefault(name, "")
    return found


def _named(states: list[dict[str, object]]) -> Values:
    found: Values = {}
    for state in states:
        rows = state.get("agents")
        for row in rows if isinstance(rows, list) else []:
            facts = [row.get(key) for key in ("role", "kind")]
            text = ", ".join(fact for fact in facts if isinstance(fact, str))
            found.setdefault(str(row["name"]), text)
        runs = state["runs"]
        for name in runs if isinstance(runs, list) else []:
            found.setdefault(str(name), "")
    return found


def agents_in(text: str) -> list[str]:
    """Return the names of agents and processes in an office file, by its lines.

    Good enough for Tab: what the file means is decided by its reader alone.
    """
    found: list[str] = []
    inside, column = False, -1
    for line in text.splitlines():
        if line[:1] not in ("", " ", "#", "-", "]"):
            inside, column = _BLOCK.match(line) is not None, -1
            if _FLOW.match(line):
                inside, column = True, len(line)
        if not inside:
            continue
        found += _FLOW_NAME.findall(line)
        body = line.lstrip(" ")
        if body.startswith("- "):
            # The first item says where the items' keys stand; deeper lists do not.
            indent = len(line) - len(body)
            body = body[2:].lstrip(" ")
            if column == -1 or indent < column:
                column = len(line) - len(body)
        if len(line) - len(body) == column and (match := _KEY.match(body)):
            found.append(match.group(1))
    return list(dict.fromkeys(found))


def layouts() -> Path:
    """Return the folder of the templates: in the package, or beside it in a clone."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "layouts"
    return inside if inside.is_dir() else package.parent / "layouts"


def templates(ctx: click.Context) -> Values:
    """Return the templates, each with its first line of comment."""
    found: Values = {}
    for file in sorted(layouts().glob("*.yaml")):
        first = _read(file).partition("\n")[0]
        found[file.stem] = first.lstrip("# ") if first.startswith("# ") else ""
    return found


def kinds(ctx: click.Context) -> Values:
    """Return the kinds of agents."""
    return dict.fromkeys(KINDS, "")
