"""Remove one agent with its worktree, and say what became of its work."""

from __future__ import annotations

from dataclasses import dataclass

import click

from mdtmux.cli import output
from mdtmux.cli.loading import load_office
from mdtmux.cli.outcome import taken, tell_texts
from mdtmux.delivery import queue
from mdtmux.errors import MdtmuxError, Refused
from mdtmux.mail.post import Post
from mdtmux.running.clearing import Cleared, remove_trees
from mdtmux.running.life import remove
from mdtmux.running.members import drop_member
from mdtmux.running.offices import OfficeRef
from mdtmux.running.records import load
from mdtmux.worktrees.record import Store
from mdtmux.worktrees.repository import HEADS, has_commit


@dataclass(frozen=True, slots=True)
class Gone:
    """An agent that was removed: its branch if it has one, or whose worktree it shared."""

    agent: str
    branch: str | None
    shared: str | None
    cleared: Cleared

    def __str__(self) -> str:
        """Say what is kept, and what was taken with the id that brings it back."""
        kept = ""
        if self.branch:
            kept = f"; its branch `{self.branch}` is kept{taken(self.cleared)}"
        elif taken(self.cleared):
            kept = taken(self.cleared)
        elif self.shared:
            kept = f"; the worktree of `{self.shared}` stays"
        return f"{self.agent}: removed{kept}"

    def as_json(self) -> dict[str, object]:
        """Return it as a JSON object."""
        gone = self.cleared
        return {"removed": self.agent, "taken": list(gone.taken), "undo": gone.undo}


def way_back(ctx: click.Context, ref: OfficeRef, agent: str) -> str:
    """Return the command that brings back an agent that was removed; "" if it was not.

    Nothing is said either while the office file cannot be read.
    """
    if load(ref.state, agent) is not None:
        return ""
    try:
        office = load_office(ctx, str(ref.file), ref.as_kind)
    except MdtmuxError:
        return ""
    if office.agent(agent) is not None:
        return f"mdtmux start {agent}"
    return f"mdtmux spawn --name {agent}"


def remove_agent(
    ref: OfficeRef, agent: str, *, force: bool, timeout: float | None
) -> Gone:
    """Stop the agent, remove its worktree, forget it.

    Raises:
        Refused: its worktree stays; the agent is stopped all the same.
        MdtmuxError: a process of it would not end.
    """
    tree, record = Store(ref.state).read().get(agent), load(ref.state, agent)
    found: dict[str, Cleared] = {}

    def take_down() -> None:
        found.update(remove_trees(ref, (agent,), force=force))
        stays = found.get(agent)
        if stays is not None and stays.why:
            message = f"agent `{agent}` is stopped, not removed: {stays.why}"
            raise Refused(message, hint=stays.hint)

    halt = remove(ref, agent, take_down, timeout)
    tell_texts(halt.texts)
    if halt.survivors:
        pids = ", ".join(str(one.pid) for one in halt.survivors)
        message = f"not removed: processes {pids} of `{agent}` would not end"
        raise MdtmuxError(message)
    if drop_member(ref.state, agent):
        # One of the file may come up again, and finds its mail.
        Post(ref.state, ()).give_up(agent, f"`{agent}` was removed")
    _tell_waiting(ref, agent)
    branch = tree.branch if tree is not None and agent in found else None
    if branch is not None and not has_commit(ref.common_dir, HEADS + branch):
        branch = None
    shared = record.agent.shares if record is not None else None
    return Gone(agent, branch, shared, found.get(agent, Cleared()))


def _tell_waiting(ref: OfficeRef, agent: str) -> None:
    """Tell of texts that were never typed: an agent of that name may come again."""
    ids = [item.id for item in queue.pending(ref.state, agent) if not item.prompt]
    if ids:
        told = f"not typed, and kept for the next agent of that name: {', '.join(ids)}"
        output.note(f"{agent}: {told}")
