"""Make an `Agent` of the mapping that was read for it. Prompt files are read here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mdtmux.names import AgentName
from mdtmux.office import schema
from mdtmux.office.disk import Folder
from mdtmux.office.fields import Record
from mdtmux.office.inside import furnishing, inside, overlap
from mdtmux.office.keys import STARTS, Keys, declared_kind, lay_over
from mdtmux.office.model import Agent, Isolation, Marks, Paste, Permissions, Ready, Stop
from mdtmux.office.values import CUSTOM, KINDS, NEVER_ASK

PROCESS = "process"
_FILE = "file:"
# They shape a worktree while it is made; without an own one they would do nothing.
_WORKTREE_KEYS = (
    schema.BRANCH, schema.BASE, schema.COPY, schema.LINK, schema.SETUP,
)  # fmt: skip

# Kinds whose program has no option for a model, and what to do about it.
_UNTOLD = {
    CUSTOM: ("a custom command is not told its model", "write it into `command`"),
    "openclaw": (
        "OpenClaw is not told its model",
        "set `agents.defaults.model` in its own configuration",
    ),
}


@dataclass(frozen=True, slots=True)
class Setting:
    """What the members of one office have in common."""

    office: str
    base: str
    folder: Folder
    defaults: Record | None


@dataclass(frozen=True, slots=True)
class Member:
    """An agent together with the keys that it was made of."""

    agent: Agent
    keys: Keys


def read_agent(record: Record, setting: Setting) -> Member | None:
    """Return the agent; None when it has no usable name."""
    keys = lay_over(record, setting.defaults)
    kind = _kind(keys)
    _refuse_idle_keys(keys, kind)
    return _make(keys, setting, kind or CUSTOM)


def read_process(record: Record, setting: Setting) -> Member | None:
    """Return the side process as an agent; None when it has no usable name."""
    keys = Keys(record, None)
    if not keys.has(*STARTS):
        record.where.fault("a process needs `command` or `shell`")
    return _make(keys, setting, PROCESS)


def _make(keys: Keys, setting: Setting, kind: str) -> Member | None:
    name = keys.get(schema.NAME)
    if name is None:
        return None
    isolation, shares = _isolation(keys, kind)
    own = isolation is Isolation.OWN
    copied, linked = _furnishing(keys)
    env, unset = _environment(keys)
    agent = Agent(
        name=AgentName(name),
        role=PROCESS if kind == PROCESS else keys.get(schema.ROLE) or "worker",
        kind=kind,
        command=keys.get(schema.COMMAND),
        shell=keys.get(schema.SHELL),
        args=keys.get(schema.ARGS) or (),
        model=None if kind in _UNTOLD else keys.get(schema.MODEL),
        branch=(keys.get(schema.BRANCH) or f"{setting.office}/{name}") if own else "",
        base=keys.get(schema.BASE) or setting.base,
        isolation=isolation,
        shares=None if shares is None else AgentName(shares),
        dir=_dir(keys, isolation, setting.folder),
        copy=copied if own else (),
        link=linked if own else (),
        setup=keys.get(schema.SETUP) or () if own else (),
        env=env,
        env_file=_env_files(keys, setting.folder),
        unset=unset,
        prompt=_prompt(keys, setting.folder),
        ready=keys.get(schema.READY) or Ready(),
        stop=keys.get(schema.STOP) or Stop(),
        marks=(keys.get(schema.SCREEN) if kind == CUSTOM else None) or Marks(),
        paste=Paste(keys.get(schema.PASTE) or Paste.AUTO),
        permissions=Permissions(keys.get(schema.PERMISSIONS) or Permissions.ASK),
        depends_on=tuple(map(AgentName, keys.get(schema.DEPENDS_ON) or ())),
        is_process=kind == PROCESS,
        line=keys.own.where.line,
    )
    return Member(agent, keys)


def _isolation(keys: Keys, kind: str | None) -> tuple[Isolation, str | None]:
    if kind == PROCESS:
        return Isolation.OFFICE, None
    return keys.get(schema.WORKTREE) or (Isolation.OWN, None)


def _kind(keys: Keys) -> str | None:
    """Return the kind; None when it is missing or wrong, which has been noted."""
    kind = declared_kind(keys.own)
    if kind is None and keys.defaults is not None:
        kind = declared_kind(keys.defaults)
    if kind is None:
        hint = "known kinds: " + ", ".join(KINDS)
        keys.own.where.fault("neither `kind` nor `command` says what runs", hint)
    if kind == CUSTOM and not keys.has(*STARTS):
        keys.at(schema.KIND).fault("`kind: custom` needs `command` or `shell`")
    return kind or None


def _refuse_idle_keys(keys: Keys, kind: str | None) -> None:
    """Note the agent's own keys that would do nothing."""
    own = keys.own
    if kind in _UNTOLD and own.has(schema.MODEL):
        own.at(schema.MODEL).fault(*_UNTOLD[kind])
    _judge_permissions(keys, kind)
    if kind not in (CUSTOM, None) and own.has(schema.SCREEN):
        own.at(schema.SCREEN).fault(
            f"the kind `{kind}` reads its own screen", "it is a key of `kind: custom`"
        )
    isolation, _ = _isolation(keys, kind)
    if isolation is not Isolation.OWN:
        for field in _WORKTREE_KEYS:
            if own.has(field):
                own.at(field).fault("it needs a worktree of its own")


def _judge_permissions(keys: Keys, kind: str | None) -> None:
    """Note a wish that the kind's CLI cannot hold."""
    if kind in (CUSTOM, "clerk") and keys.own.has(schema.PERMISSIONS):
        keys.own.at(schema.PERMISSIONS).fault(
            f"the kind `{kind}` has no permission mode",
            "give a custom command its own option for it" if kind == CUSTOM else None,
        )
    elif kind == "opencode" and keys.has(schema.PERMISSIONS):
        # Its own configuration goes before whatever is told from outside (1.18.33).
        keys.at(schema.PERMISSIONS).fault(
            "not supported yet for the kind `opencode`",
            "set `permission` in its own configuration, or give `args: [--auto]`",
        )
    elif kind in NEVER_ASK and keys.get(schema.PERMISSIONS) == Permissions.ASK:
        keys.at(schema.PERMISSIONS).fault(
            f"the kind `{kind}` never asks: its CLI has no approvals",
            "leave it out or write `auto`: it goes ahead in both cases",
        )


def _dir(keys: Keys, isolation: Isolation, folder: Folder) -> str | None:
    text = keys.get(schema.DIR)
    if text is None:
        return None
    where = keys.at(schema.DIR)
    if isolation is Isolation.OFFICE and text.startswith(("/", "~")):
        path = folder.resolve(text, where)
        return None if path is None else str(path)
    relative = inside(text, where)
    return None if relative == "." else relative


def _furnishing(keys: Keys) -> tuple[tuple[str, ...], tuple[str, ...]]:
    copied = furnishing(keys.get(schema.COPY) or (), keys.at(schema.COPY))
    linked = furnishing(keys.get(schema.LINK) or (), keys.at(schema.LINK))
    both = overlap(copied, linked)
    if both is not None:
        message = f"`{both[1]}` is linked while `{both[0]}` is copied"
        keys.at(schema.LINK).fault(message, "a copy would land in the repository")
    return copied, linked


def _environment(keys: Keys) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Return variables and those to unset: own ones win, `env` is merged by name."""
    own = dict(keys.own.get(schema.ENV) or ())
    below = keys.defaults.get(schema.ENV) if keys.defaults else None
    unset = keys.get(schema.UNSET) or ()
    if keys.owns(schema.UNSET):
        for name in sorted(set(own) & set(unset)):
            keys.at(schema.UNSET).fault(f"`{name}` is set in `env` and unset")
        below = tuple(pair for pair in below or () if pair[0] not in unset)
    env = {**dict(below or ()), **own}
    return tuple(env.items()), tuple(name for name in unset if name not in env)


def _env_files(keys: Keys, folder: Folder) -> tuple[Path, ...]:
    where = keys.at(schema.ENV_FILE)
    found = [folder.env_file(text, where) for text in keys.get(schema.ENV_FILE) or ()]
    return tuple(path for path in found if path is not None)


def _prompt(keys: Keys, folder: Folder) -> str | None:
    text = keys.get(schema.PROMPT)
    if text is None or not text.strip():
        return None
    if not text.startswith(_FILE):
        return text
    where = keys.at(schema.PROMPT)
    name = text.removeprefix(_FILE).strip()
    if not name:
        where.fault("`file:` names no file")
        return None
    return folder.prompt(name, where)
