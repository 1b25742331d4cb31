"""The kinds of agents by name; a kind's module is loaded once an agent has it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mdtmux.agents.base import Kind
from mdtmux.errors import UsageError
from mdtmux.names import nearest
from mdtmux.office.model import Agent


def kind_of(agent: Agent) -> Kind:
    """Return an agent's kind; `custom` with the patterns of the office file.

    Raises:
        UsageError: there is no such kind, or a pattern is no regular expression.
    """
    if agent.is_process:
        from mdtmux.agents.process import PROCESS

        return PROCESS
    find = KINDS.get(agent.kind)
    if find is None:
        near = nearest(agent.kind, KINDS)
        message = f"agent `{agent.name}`: there is no kind `{agent.kind}`"
        hint = f"did you mean `{near}`?" if near else f"kinds: {', '.join(KINDS)}"
        raise UsageError(message, hint=hint)
    return find(agent)


# Each imports its module where it is needed: all of them take 15 ms, which an office
# of other agents would pay at every command.
def _claude(_: Agent) -> Kind:
    from mdtmux.agents.claude import CLAUDE

    return CLAUDE


def _opencode(_: Agent) -> Kind:
    from mdtmux.agents.opencode import OPENCODE

    return OPENCODE


def _qwen(_: Agent) -> Kind:
    from mdtmux.agents.qwen import QWEN

    return QWEN


def _gemini(_: Agent) -> Kind:
    from mdtmux.agents.gemini import GEMINI

    return GEMINI


def _codex(_: Agent) -> Kind:
    from mdtmux.agents.codex import CODEX

    return CODEX


def _pi(_: Agent) -> Kind:
    from mdtmux.agents.pi import PI

    return PI


def _openclaw(_: Agent) -> Kind:
    from mdtmux.agents.openclaw import OPENCLAW

    return OPENCLAW


def _clerk(_: Agent) -> Kind:
    from mdtmux.agents.clerk.kind import CLERK

    return CLERK


def _custom(agent: Agent) -> Kind:
    from mdtmux.agents.custom import custom

    return custom(agent)


KINDS: Mapping[str, Callable[[Agent], Kind]] = {
    "claude": _claude,
    "codex": _codex,
    "opencode": _opencode,
    "gemini": _gemini,
    "qwen": _qwen,
    "pi": _pi,
    "openclaw": _openclaw,
    "clerk": _clerk,
    "custom": _custom,
}
