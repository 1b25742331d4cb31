"""What came of a `down`, in words and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mdtmux.cli import output
from mdtmux.delivery.receipt import Outcome as Sent
from mdtmux.delivery.receipt import Receipt
from mdtmux.running.clearing import Cleared
from mdtmux.running.down import DownResult
from mdtmux.running.offices import OfficeRef
from mdtmux.running.stopping import Halt, Survivor


@dataclass(frozen=True, slots=True)
class Outcome:
    """The whole of a `down`: `removed` maps agents to what became of their worktree."""

    ref: OfficeRef
    result: DownResult
    removed: Mapping[str, Cleared] | None

    @property
    def code(self) -> int:
        """The exit code: 1 when something survived, 4 when a worktree was refused."""
        if self.result.halt.survivors:
            return 1
        return 4 if any(one.why for one in (self.removed or {}).values()) else 0


def show_outcome(outcome: Outcome, *, as_json: bool) -> None:
    """Print what `down` did."""
    result, halt = outcome.result, outcome.result.halt
    tell_texts(halt.texts)
    tell_survivors(halt.survivors)
    if as_json:
        output.emit_json(
            {
                "office": outcome.ref.name,
                **halt_json(halt),
                "left_alone": result.strangers,
                "worktrees": _worktrees_json(outcome.removed),
            }
        )
        return
    output.echo(_first_line(outcome))
    for stranger in result.strangers:
        output.note(f"left alone, not known to be ours: {stranger}")
    for agent, cleared in (outcome.removed or {}).items():
        if cleared.why:
            output.error(f"`{agent}`: {cleared.why}", cleared.hint)
        else:
            output.echo(f"{agent}: worktree removed, branch kept{taken(cleared)}")


def _first_line(outcome: Outcome) -> str:
    halt, named = outcome.result.halt, bool(outcome.result.names)
    if not (named or halt.stopped or halt.survivors):
        return f"office `{outcome.ref.name}` is not running"
    line = f"office `{outcome.ref.name}`: {len(halt.stopped)} stopped"
    return f"{line}; {idle_words(halt)}" if named and halt.not_running else line


def ending(agents: Sequence[str]) -> str:
    """Say what is waited for while agents are being stopped; none named: all."""
    who = ", ".join(agents) or "the agents"
    return f"waiting for {who} to end; then comes TERM, then KILL"


def idle_words(halt: Halt) -> str:
    """Say of whom there was nothing to stop."""
    verb = "was" if len(halt.not_running) == 1 else "were"
    return f"{', '.join(halt.not_running)} {verb} not running"


def halt_json(halt: Halt) -> dict[str, object]:
    """Return what came of stopping agents as a JSON object."""
    return {
        "stopped": halt.stopped,
        "not_running": halt.not_running,
        "survivors": [
            {"agent": one.agent, "pid": one.pid, "argv": one.argv}
            for one in halt.survivors
        ],
        "texts": [one.as_json() for one in halt.texts],
    }


def tell_survivors(survivors: Sequence[Survivor]) -> None:
    """Tell of each process that would not end."""
    for one in survivors:
        line = " ".join(one.argv)[:100]
        output.error(f"process {one.pid} of `{one.agent}` would not end: {line}")


def tell_texts(texts: Sequence[Receipt]) -> None:
    """Tell what became of each text that was being typed when its agent was stopped."""
    for one in texts:
        what = f"text {one.id} ({one.bytes} bytes)"
        if one.outcome is Sent.QUEUED:
            output.note(f"{one.agent}: {what}: {one.reason}")
        else:
            output.error(
                f"`{one.agent}`: {what}: {one.outcome}: {one.reason}", one.hint
            )


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
