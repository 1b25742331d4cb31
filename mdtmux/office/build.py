"""Put an office together from the tree of its file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from mdtmux.names import OfficeName, safe_name
from mdtmux.office import rules, schema
from mdtmux.office.disk import Folder, expand
from mdtmux.office.fields import Record, read_record
from mdtmux.office.members import Member, Setting, read_agent, read_process
from mdtmux.office.model import Agent, Office, TmuxOptions
from mdtmux.office.nodes import Node
from mdtmux.office.panes import LEAST_COLUMNS, LEAST_ROWS, smallest_pane
from mdtmux.office.report import Where

_BOSS = "boss"
_BRACED = re.compile(r"\{[^{}]*\}|[{}]")
_PLACEHOLDERS = ("{repo}", "{office}", "{agent}")


def build_office(root: Node, file: Path, top: Where) -> Office | None:
    """Return the office; None, or one not to be used, after noting problems at `top`.

    `file` is the real path of the office file; relative paths start in its folder.
    """
    whole = top.enter("", root)
    record = read_record(schema.TOP, root, whole)
    if record is None:
        return None
    folder = Folder(file.parent)
    office = record.get(schema.OFFICE_NAME) or safe_name(file.parent.name)
    setting = Setting(
        office,
        record.get(schema.OFFICE_BASE) or "HEAD",
        folder,
        record.get(schema.DEFAULT_KEYS),
    )
    agents = _agents(record, setting)
    options = record.get(schema.TMUX) or TmuxOptions()
    _check_panes(options, len(agents), record)
    repo = folder.resolve(record.get(schema.REPO) or ".", record.at(schema.REPO))
    return Office(
        name=OfficeName(office),
        version=record.get(schema.VERSION),
        file=file,
        repo=repo or file.parent,
        base=setting.base,
        worktrees=_worktrees(record),
        buffer=record.get(schema.OFFICE_BUFFER) or schema.BUFFER,
        tmux=options,
        agents=agents,
    )


def _agents(record: Record, setting: Setting) -> tuple[Agent, ...]:
    """Return bosses, other agents, side processes, each group in the file's order."""
    lists = [record.get(field) for field in (schema.AGENTS, schema.PROCESSES)]
    agents, processes = (found or () for found in lists)
    given = record.has(schema.AGENTS) or record.has(schema.PROCESSES)
    # A list that was given but could not be read has been told about.
    if not agents and not processes and (() in lists or not given):
        where = record.at(schema.AGENTS)
        where.fault("an office needs at least one agent or process")
    rules.check_names((*agents, *processes))
    members = [read_agent(each, setting) for each in agents]
    members += [read_process(each, setting) for each in processes]
    return _related([member for member in members if member is not None])


def _related(members: Sequence[Member]) -> tuple[Agent, ...]:
    rules.check_branches(members)
    rules.check_dependencies(members)
    agents = rules.share_worktrees(members)
    return tuple(sorted(agents, key=lambda a: (a.is_process, a.role != _BOSS)))


def _worktrees(record: Record) -> str:
    template = record.get(schema.PLACES)
    if template is None:
        return schema.WORKTREES
    where = record.at(schema.PLACES)
    for found in _BRACED.findall(template):
        if found not in _PLACEHOLDERS:
            known = ", ".join(_PLACEHOLDERS)
            where.fault(f"`{found}` is no placeholder", f"there are {known}")
    if "{agent}" not in template:
        where.fault("the template must hold {agent}", "or all agents get one folder")
    return expand(template, where) or template


def _check_panes(options: TmuxOptions, agents: int, record: Record) -> None:
    together = max(1, min(options.panes_per_window, agents))
    columns, rows = smallest_pane(options, together)
    if columns < LEAST_COLUMNS or rows < LEAST_ROWS:
        least = f"{LEAST_COLUMNS}x{LEAST_ROWS}"
        size = f"{options.width}x{options.height}"
        record.at(schema.TMUX).fault(
            f"{together} panes {options.layout} in {size} would be {columns}x{rows}, "
            f"smaller than {least}",
            "give a larger `size` or fewer `panes_per_window`",
        )
