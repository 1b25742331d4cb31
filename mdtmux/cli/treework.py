"""What `diff`, `merge`, `discard` and `undo` need to know before they act."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import click

from mdtmux.cli import output
from mdtmux.cli.context import check_agent, current_office
from mdtmux.cli.myself import me
from mdtmux.errors import Refused, UsageError
from mdtmux.office.model import Isolation
from mdtmux.running import neighbours
from mdtmux.running.offices import OfficeRef
from mdtmux.running.records import load
from mdtmux.worktrees.record import Record, Store
from mdtmux.worktrees.repository import Repository, inspect


@dataclass(frozen=True, slots=True)
class Tree:
    """An agent's worktree with its office and repository."""

    ref: OfficeRef
    repository: Repository
    record: Record


def find(ctx: click.Context, agent: str) -> Tree:
    """Return the worktree in which the agent works, its own or a shared one.

    Raises:
        UsageError: no such agent, or it has no worktree.
    """
    ref = current_office(ctx)
    check_agent(ref, agent)
    known = Store(ref.state).read()
    run = load(ref.state, agent)
    shares = run.agent.shares if run is not None else None
    record = known.get(shares or agent)
    if record is None:
        if run is not None and run.agent.isolation is Isolation.OFFICE:
            message = f"agent `{agent}` works in the repository itself, on no branch of its own"
            raise UsageError(
                message, hint=f"git -C '{ref.repo}' diff shows what changed"
            )
        message = f"agent `{agent}` has no worktree"
        raise UsageError(
            message,
            hint="`mdtmux up` makes it; `mdtmux undo --list` shows removed ones",
        )
    return Tree(ref, inspect(ref.repo), record)


def living_in(tree: Tree) -> list[str]:
    """Return the agents that live in the worktree, also those of other offices."""
    return neighbours.living_in(tree.ref, tree.record.path)


def others_in(tree: Tree, path: Path) -> list[str]:
    """Return the agents that live in a worktree, but for the one that calls."""
    mine = me(tree.ref)
    return [name for name in neighbours.living_in(tree.ref, path) if name != mine]


def confirm(question: str, *, yes: bool) -> None:
    """Go on when `--yes` was given or a person at the terminal agrees.

    Raises:
        Refused: neither.
    """
    if yes:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        message = f"nothing was done, for there is nobody to ask: {question}"
        raise Refused(message, hint="--yes says that this is meant")
    if not click.confirm(question, err=True):
        output.note("nothing was done")
        raise click.exceptions.Exit(4)
