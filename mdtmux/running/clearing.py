"""Take the worktrees of stopped agents away, when that loses nothing."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from mdtmux.errors import MdtmuxError
from mdtmux.running.holding import held
from mdtmux.running.observe import observe
from mdtmux.running.offices import OfficeRef
from mdtmux.running.stopping import Survivor
from mdtmux.system.tmux import Tmux
from mdtmux.worktrees.record import Record, Store
from mdtmux.worktrees.remove import remove_all
from mdtmux.worktrees.repository import inspect


def remove_trees(
    ref: OfficeRef,
    agents: Sequence[str],
    *,
    force: bool,
    survivors: Sequence[Survivor] = (),
) -> dict[str, str]:
    """Remove the worktrees of the agents (all when none is named).

    Returns, by agent, why a worktree stays; "" for one that is gone. A worktree in
    which an agent still works stays, force or not; so does that of one of whom a
    process would not end.

    Raises:
        Busy: another `up` or `down` holds the office.
        MdtmuxError: the repository is not there.
    """
    with held(ref):
        records = _chosen(ref, agents)
        if not records:
            return {}
        inhabited = _inhabited(ref, records, {one.agent for one in survivors})
        free = [record for record in records if record.agent not in inhabited]
        repository = inspect(ref.repo)
        results = remove_all(repository, free, ref.state, force=force)
    words = {name: f"agent `{who}` works in it" for name, who in inhabited.items()}
    for name, result in results.items():
        words[name] = result.message if isinstance(result, MdtmuxError) else ""
    return words


def _chosen(ref: OfficeRef, agents: Sequence[str]) -> list[Record]:
    known = Store(ref.state).read()
    return [record for name, record in known.items() if not agents or name in agents]


def _inhabited(
    ref: OfficeRef, records: Sequence[Record], surviving: Collection[str]
) -> dict[str, str]:
    """Return, by owner, an agent that lives in the worktree."""
    standings = observe(ref, Tmux(ref.socket)).values()
    return {
        record.agent: standing.name
        for record in records
        for standing in standings
        if standing.lives_in(record.path)
        or (standing.name in surviving and standing.worked_in(record.path))
    }
