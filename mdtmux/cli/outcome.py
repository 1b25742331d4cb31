"""What came of a `down`, in words and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mdtmux.cli import output
from mdtmux.running.down import DownResult
from mdtmux.running.offices import OfficeRef


@dataclass(frozen=True, slots=True)
class Outcome:
    """The whole of a `down`: `removed` maps agents to what became of their worktree.

    A worktree's entry is "" when it was removed, else the reason why it stays.
    """

    ref: OfficeRef
    result: DownResult
    removed: Mapping[str, str] | None

    @property
    def good(self) -> bool:
        """Whether everything that was asked is done."""
        return not self.result.survivors and not any((self.removed or {}).values())


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
                "worktrees": outcome.removed,
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
        output.note(f"left alone in the session, not ours: pane {stranger}")
    for agent, why in (outcome.removed or {}).items():
        if why:
            output.error(f"the worktree of `{agent}` stays: {why}")
        else:
            output.echo(f"{agent}: worktree removed, branch kept")
