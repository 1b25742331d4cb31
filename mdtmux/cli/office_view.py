"""An office file as `config` prints it: for people and as JSON, without secrets."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Iterator

from mdtmux.agents.kinds import kind_of
from mdtmux.office.model import Agent, Isolation, Office
from mdtmux.office.nodes import visible
from mdtmux.units import format_duration, format_size

_WIDTH = 12


def office_json(office: Office, *, prompts: bool) -> dict[str, object]:
    """Return the office; variables by name alone, prompts when asked for."""
    return {
        "name": office.name,
        "version": office.version,
        "file": str(office.file),
        "repo": str(office.repo),
        "base": office.base,
        "worktrees": office.worktrees,
        "buffer": office.buffer,
        "tmux": dataclasses.asdict(office.tmux),
        "agents": [_agent_json(agent, prompts) for agent in office.agents],
    }


def office_text(office: Office, *, prompts: bool) -> str:
    """Return the office for people: a block for each agent, keys that say something."""
    tmux = office.tmux
    facts = {
        "office": office.name,
        "version": office.version or "",
        "file": str(office.file),
        "repo": str(office.repo),
        "base": office.base,
        "worktrees": office.worktrees,
        "buffer": format_size(office.buffer),
        "tmux": f"{tmux.socket} server, {tmux.layout}, {tmux.width}x{tmux.height}, "
        f"{tmux.panes_per_window} panes per window, status {tmux.status}",
    }
    blocks = [_block(facts, "")]
    blocks += [_block(_agent_facts(agent, prompts), "  ") for agent in office.agents]
    return "\n\n".join(blocks)


def _agent_json(agent: Agent, prompts: bool) -> dict[str, object]:
    prompt = agent.prompt
    found: dict[str, object] = {
        "name": agent.name,
        "role": agent.role,
        "kind": agent.kind,
        "argv": list(kind_of(agent).argv(agent)),
        "model": agent.model,
        "worktree": _worktree(agent),
        "branch": agent.branch or None,
        "base": agent.base if agent.isolation is Isolation.OWN else None,
        "dir": agent.dir,
        "copy": list(agent.copy),
        "link": list(agent.link),
        "setup": list(agent.setup),
        "env": [name for name, _ in agent.env],
        "env_file": [str(path) for path in agent.env_file],
        "unset": list(agent.unset),
        "prompt_bytes": None if prompt is None else len(prompt.encode()),
        "ready": dataclasses.asdict(agent.ready),
        "stop": dataclasses.asdict(agent.stop),
        "screen": dataclasses.asdict(agent.marks),
        "paste": agent.paste.value,
        "depends_on": list(agent.depends_on),
        "line": agent.line,
    }
    if prompts:
        found["prompt"] = prompt
    return found


def _worktree(agent: Agent) -> object:
    if agent.shares is not None:
        return {"share": agent.shares}
    return agent.isolation is Isolation.OWN


def _agent_facts(agent: Agent, prompts: bool) -> dict[str, str]:
    own = agent.isolation is Isolation.OWN
    places = {
        Isolation.OWN: f"its own, branch {agent.branch} from {agent.base}",
        Isolation.OFFICE: "none, works in the repository itself",
        Isolation.SHARE: f"that of {agent.shares}, branch {agent.branch}",
    }
    facts = {
        agent.name: agent.role if agent.is_process else f"{agent.role}, {agent.kind}",
        "argv": shlex.join(kind_of(agent).argv(agent)),
        "model": agent.model or "",
        "worktree": "" if agent.is_process and not own else places[agent.isolation],
        "dir": agent.dir or "",
        "copy": " ".join(agent.copy),
        "link": " ".join(agent.link),
        "setup": "; ".join(agent.setup),
        "env": " ".join(name for name, _ in agent.env),
        "env_file": " ".join(map(str, agent.env_file)),
        "unset": " ".join(agent.unset),
        "ready": _ready(agent),
        "stop": _stop(agent),
        "depends_on": " ".join(agent.depends_on),
    }
    if agent.prompt is not None:
        size = format_size(len(agent.prompt.encode()))
        facts["prompt"] = agent.prompt if prompts else size
    return facts


def _ready(agent: Agent) -> str:
    sign = agent.ready.pattern
    by = "its process runs"
    if sign is not None:
        by = f"`{sign}` stands on the screen"
    elif kind_of(agent).reads_screen:
        by = "its screen takes input"
    return f"{by}, within {format_duration(agent.ready.timeout)}"


def _stop(agent: Agent) -> str:
    keys = agent.stop.keys
    named = kind_of(agent).stop_keys if keys is None else keys
    typed = " ".join(repr(key) if " " in key else key for key in named) or "no keys"
    return f"{typed}, TERM after {format_duration(agent.stop.timeout)}, then KILL"


def _block(facts: dict[str, str], indent: str) -> str:
    return "\n".join(_lines(facts, indent))


def _lines(facts: dict[str, str], indent: str) -> Iterator[str]:
    for number, (key, value) in enumerate(facts.items()):
        if not value:
            continue
        first, *rest = value.rstrip("\n").split("\n")
        left = f"{indent}{key}" if number else key
        yield f"{left.ljust(_WIDTH)} {visible(first)}"
        for line in rest:
            yield f"{'':{_WIDTH}} {visible(line)}"
