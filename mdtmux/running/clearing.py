"""Take the worktrees of stopped agents away, when that loses nothing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mdtmux.errors import MdtmuxError
from mdtmux.running.holding import held
from mdtmux.running.neighbours import strangers
from mdtmux.running.observe import Standing, observe
from mdtmux.running.offices import OfficeRef
from mdtmux.running.stopping import Survivor
from mdtmux.system.screen import Pane
from mdtmux.system.tmux import Tmux
from mdtmux.worktrees.record import Record, Store
from mdtmux.worktrees.remove import Removal, remove_all
from mdtmux.worktrees.repository import inspect
from mdtmux.worktrees.work import stops


@dataclass(frozen=True, slots=True)
class Cleared:
    """What became of one worktree: `why` it stays, with a hint; "" when it is gone.

    `taken` says what went that was nowhere else; `undo` is the id that brings it back.
    """

    why: str = ""
    hint: str | None = None
    taken: tuple[str, ...] = ()
    undo: str | None = None


def remove_trees(
    ref: OfficeRef,
    agents: Sequence[str],
    *,
    force: bool,
    survivors: Sequence[Survivor] = (),
) -> dict[str, Cleared]:
    """Remove the worktrees of the agents (all when none is named).

    Returns what became of each, by agent. A worktree in which an agent still works
    stays, force or not; so does that of one of whom a process would not end.

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
    return inhabited | {name: _cleared(result) for name, result in results.items()}


def _stays(who: str) -> Cleared:
    return Cleared(f"agent `{who}` works in it", f"run {stops([who])} first")


def _taken_over(ref: OfficeRef, standing: Standing, pane: Pane) -> Cleared:
    # No stop of ours ends what a person has started there.
    ends = f"{ref.socket.command()} kill-pane -t {pane.pane}"
    return Cleared(standing.why, f"end it, or `{ends}`")


def _cleared(result: Removal | MdtmuxError) -> Cleared:
    if isinstance(result, MdtmuxError):
        return Cleared(result.message, result.hint)
    return Cleared(taken=result.told, undo=result.undo)


def _chosen(ref: OfficeRef, agents: Sequence[str]) -> list[Record]:
    known = Store(ref.state).read()
    return [record for name, record in known.items() if not agents or name in agents]


def _inhabited(
    ref: OfficeRef, records: Sequence[Record], surviving: Collection[str]
) -> dict[str, Cleared]:
    """Return, by owner, why the worktree stays: somebody lives in it."""
    standings = observe(ref, Tmux(ref.socket)).values()
    others = strangers(ref, [record.path for record in records])
    by_path = {record.path: record.agent for record in records}
    found = {by_path[path]: _stays(name) for name, path in others}
    for record in records:
        for standing in standings:
            left = standing.name in surviving and standing.worked_in(record.path)
            if not (standing.lives_in(record.path) or left):
                continue
            pane = standing.pane
            alien = pane is not None and standing.root is None and not left
            found[record.agent] = (
                _taken_over(ref, standing, pane)
                if pane is not None and alien
                else _stays(standing.name)
            )
    return found
