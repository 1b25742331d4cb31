"""Agents for tests of the kinds, as the office file gives them."""

from __future__ import annotations

from dataclasses import replace

from mdtmux.names import AgentName
from mdtmux.office.model import Agent, Isolation, Marks, Paste, Ready, Stop

PLAIN = Agent(
    name=AgentName("jim"),
    role="worker",
    kind="custom",
    command=None,
    shell=None,
    args=(),
    model=None,
    branch="office/jim",
    base="HEAD",
    isolation=Isolation.OWN,
    shares=None,
    dir=None,
    copy=(),
    link=(),
    setup=(),
    env=(),
    env_file=(),
    unset=(),
    prompt=None,
    ready=Ready(),
    stop=Stop(),
    marks=Marks(),
    paste=Paste.AUTO,
    depends_on=(),
    is_process=False,
    line=1,
)


def of_kind(kind: str, *command: str, args: tuple[str, ...] = ()) -> Agent:
    """Return an agent of a kind, with its command and arguments."""
    return replace(PLAIN, kind=kind, command=command or None, args=args)
