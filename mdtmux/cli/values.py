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
State = dict[str, object]

# The kinds of agents, told again because the office's own table takes long to load.
KINDS = (
    "claude",
    "codex",
    "opencode",
    "gemini",
    "qwen",
    "pi",
    "openclaw",
    "clerk",
    "custom",
)
_LARGEST = 1_000_000  # bytes of a file that Tab is willing to read
_BLOCK = re.compile(r"(agents|clones|processes):\s*(#.*)?$")
_FLOW = re.compile(r"(agents|clones|processes):\s*\[")
_NAME = r"""["']?([A-Za-z0-9][A-Za-z0-9_-]{0,63})["']?"""
_KEY = re.compile(rf"name:\s+{_NAME}\s*(#.*)?$")
_FLOW_NAME = re.compile(rf"[{{,]\s*name:\s+{_NAME}\s*(?=[,}}])")


def _states() -> Iterator[State]:
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
            places = {"id": file.parent.name, "folder": str(file.parent)}
            written = f"{file.stat().st_mtime_ns:020d}"
            yield {**value, **places, "runs": runs, "written": written}


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
    """Return agents and processes of the office that the command line is about.

    None where the command would not know which office is meant.
    """
    return _members(ctx, processes=True)


def takers(ctx: click.Context) -> Values:
    """Return the agents of that office alone: processes take no text and no mail."""
    return _members(ctx, processes=False)


def _members(ctx: click.Context, *, processes: bool) -> Values:
    state, file = _meant(ctx)
    found = _named(state, processes=processes) if state is not None else {}
    if file is not None:
        for name in agents_in(_read(file), processes=processes):
            found.setdefault(name, "")
    return found


def _meant(ctx: click.Context) -> tuple[State | None, Path | None]:
    """Return state and file of the office, in the order in which commands look."""
    states = list(_states())
    office, named = _option(ctx, "office"), _named_file(ctx)
    if office is None and named is None:
        inside = Path(os.environ.get("MDTMUX_STATE", "")).name
        office = inside or os.environ.get("MDTMUX_OFFICE")
    if office:
        return _only(
            [one for one in states if office in (one["name"], one["id"])]
        ), None
    found = named or find(Path.cwd())
    if found:
        file = Path(os.path.realpath(found))
        return _last([one for one in states if one.get("file") == str(file)]), file
    place = Path(os.path.realpath(Path.cwd()))
    at = [one for one in states if _works_in(one, place)]
    return _only(at or states), None


def _only(states: list[State]) -> State | None:
    return states[0] if len(states) == 1 else None


def _last(states: list[State]) -> State | None:
    """Return the state that was written last: a file's `name:` may have been changed."""
    return max(states, key=lambda one: str(one["written"]), default=None)


def _works_in(state: State, place: Path) -> bool:
    import json

    for file in Path(str(state["folder"])).glob("runs/*.json"):
        tree = json.loads(_read(file)).get("worktree")
        if tree and (Path(tree) == place or Path(tree) in place.parents):
            return True
    return False


def _named(state: State, *, processes: bool) -> Values:
    found: Values = {}
    rows, runs = state.get("agents"), state["runs"]
    known = rows if isinstance(rows, list) else []
    for row in known:
        facts = [row.get(key) for key in ("role", "kind")]
        text = ", ".join(fact for fact in facts if isinstance(fact, str))
        if processes or not row.get("process"):
            found.setdefault(str(row["name"]), text)
    names = {str(row["name"]) for row in known}
    for name in runs if isinstance(runs, list) else []:
        if str(name) not in names:
            found.setdefault(str(name), "")
    return found


def agents_in(text: str, *, processes: bool = True) -> list[str]:
    """Return the names of agents and processes in an office file, by its lines.

    Good enough for Tab: what the file means is decided by its reader alone.
    """
    found: list[str] = []
    inside, column = False, -1
    for line in text.splitlines():
        if line[:1] not in ("", " ", "#", "-", "]"):
            block, flow = _BLOCK.match(line), _FLOW.match(line)
            key = block or flow
            inside = key is not None and (processes or key[1] != "processes")
            column = len(line) if flow else -1
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
