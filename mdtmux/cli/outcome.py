"""What came of a `down`, in words and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mdtmux.cli import output
from mdtmux.running.clearing import Cleared
from mdtmux.running.down import DownResult
from mdtmux.running.offices import OfficeRef


@dataclass(frozen=True, slots=True)
class Outcome:
    """The whole of a `down`: `removed` maps agents to what became of their worktree."""

    ref: OfficeRef
    result: DownResult
    removed: Mapping[str, Cleared] | None

    @property
    def code(self) -> int:
        """The exit code: 1 when something survived, 4 when a worktree was refused."""
        if self.result.survivors:
            return 1
        return 4 if any(one.why for one in (self.removed or {}).values()) else 0


def show_outcome(outcome: Outcome, *, as_json: bool) -> None:
    """Print what `down` did."""
    result = outcome.result
    if as_json:
        survivors = [
            {"agent": s.agent, "pid": s.pid, "argv": s.argv} for s in result.survivors
        ]
        output.emit_json(
            {
                "office": outcome.ref.name,
                "stopped": result.stopped,
                "survivors": survivors,
                "left_alone": result.strangers,
                "worktrees": _worktrees_json(outcome.removed),
            }
        )
        return
    count = len(result.stopped)
    name = outcome.ref.name
    output.echo(
        f"office `{name}`: {count} stopped"
        if count
        else f"office `{name}` is not running"
    )
    for survivor in result.survivors:
        line = " ".join(survivor.argv)[:100]
        output.error(
            f"process {survivor.pid} of `{survivor.agent}` would not end: {line}"
        )
    for stranger in result.strangers:
        output.note(f"left alone, not known to be ours: {stranger}")
    for agent, cleared in (outcome.removed or {}).items():
        if cleared.why:
            output.error(f"`{agent}`: {cleared.why}", cleared.hint)
        else:
            output.echo(f"{agent}: worktree removed, branch kept{taken(cleared)}")


def taken(cleared: Cleared) -> str:
    """Say what a removal took that was nowhere else, and what brings it back."""
    if not cleared.taken:
        return ""
    what = output.clean("; ".join(cleared.taken))
    return f"; taken: {what}; bring back: mdtmux undo {cleared.undo}"


def _worktrees_json(removed: Mapping[str, Cleared] | None) -> object:
    if removed is None:
        return None
    return {
        agent: {"stays": one.why or None, "taken": list(one.taken), "undo": one.undo}
        for agent, one in removed.items()
    }
