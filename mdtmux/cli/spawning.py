"""Make the member that `spawn` adds from its options."""

from __future__ import annotations

import shlex

from mdtmux.agents.kinds import KINDS
from mdtmux.errors import Refused, UsageError
from mdtmux.names import check_name, nearest
from mdtmux.office.model import Agent, Office
from mdtmux.running.members import new_member


def member(office: Office, name: str, kind: str | None, line: str | None) -> Agent:
    """Return the new agent.

    Raises:
        UsageError: the name, the kind or the command line cannot be used.
        Refused: the office already has an agent of that name.
    """
    check_name(name, "agent")
    taken = {agent.name.casefold(): agent.name for agent in office.agents}
    if name.casefold() in taken:
        # File systems that fold case would give both one worktree.
        known = taken[name.casefold()]
        message = f"the office already has an agent `{known}`"
        raise Refused(message, hint=f"`mdtmux start {known}` starts it")
    command = _split(line) if line is not None else None
    chosen = kind or ("custom" if command else _default(office))
    if chosen not in KINDS:
        near = nearest(chosen, KINDS)
        hint = f"did you mean `{near}`?" if near else "kinds: " + ", ".join(KINDS)
        message = f"there is no kind `{chosen}`"
        raise UsageError(message, hint=hint)
    if chosen == "custom" and not command:
        message = "kind `custom` needs --command"
        raise UsageError(message)
    return new_member(office, name, chosen, command)


def _split(line: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(line))
    except ValueError as error:
        message = f"--command: {error}"
        raise UsageError(message) from error
    if not words:
        message = "--command is empty"
        raise UsageError(message)
    return words


def _default(office: Office) -> str:
    kinds = [agent.kind for agent in office.agents if not agent.is_process]
    usable = [kind for kind in kinds if kind != "custom"]
    if not usable:
        message = "which kind? every agent of the office is `custom`"
        raise UsageError(message, hint="give --kind or --command")
    return usable[0]
