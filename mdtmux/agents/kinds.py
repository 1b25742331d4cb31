"""The kinds of agents by name."""

from __future__ import annotations

from collections.abc import Mapping

from mdtmux.agents.base import Kind
from mdtmux.agents.claude import CLAUDE
from mdtmux.agents.clerk.kind import CLERK
from mdtmux.agents.custom import Custom, custom
from mdtmux.agents.opencode import OPENCODE
from mdtmux.agents.process import PROCESS
from mdtmux.errors import UsageError
from mdtmux.names import nearest
from mdtmux.office.model import Agent

KINDS: Mapping[str, Kind] = {
    kind.name: kind for kind in (CLAUDE, OPENCODE, CLERK, Custom(), PROCESS)
}


def kind_of(agent: Agent) -> Kind:
    """Return an agent's kind; `custom` with the patterns of the office file.

    Raises:
        UsageError: there is no such kind, or a pattern is no regular expression.
    """
    if agent.is_process:
        return PROCESS
    if agent.kind == "custom":
        return custom(agent)
    kind = KINDS.get(agent.kind)
    if kind is None:
        near = nearest(agent.kind, KINDS)
        message = f"agent `{agent.name}`: there is no kind `{agent.kind}`"
        hint = f"did you mean `{near}`?" if near else f"kinds: {', '.join(KINDS)}"
        raise UsageError(message, hint=hint)
    return kind
