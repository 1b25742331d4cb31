"""What tmux says of a pane and what stands on its screen, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

from mdtmux.names import PaneId


@dataclass(frozen=True, slots=True)
class Pane:
    """One row of tmux's pane list; `dead_time` is seconds since the epoch.

    `status` and `signal` are those of a dead pane: one of them is set (tmux 3.3 leaves
    the status blank for a death by signal), none in the first moment after its end.
    """

    session: str
    window_id: str
    pane: PaneId
    pid: int
    dead: bool
    status: int | None
    signal: int | None
    dead_time: int | None
    in_mode: bool
    width: int
    height: int
    cursor_x: int
    cursor_y: int
    history_size: int
    alternate: bool
    tty: str
    active: bool
    window_active: bool
    server_pid: int
    piped: bool
    command: str
    buffer: int
    office: str
    agent: str
    run: str
    title: str

    def ended(self) -> str:
        """Say how the process of a dead pane ended, as far as tmux knows."""
        if self.signal is not None:
            return f"ended by signal {self.signal}"
        return "ended" if self.status is None else f"ended with status {self.status}"


@dataclass(frozen=True, slots=True)
class Screen:
    """The visible rows of a pane, top first, and where the cursor stands (from 0).

    `lines` is plain text with trailing blanks cut; `styled` are the same rows with
    their SGR sequences, for telling a ghost suggestion from typed text.
    """

    lines: tuple[str, ...]
    styled: tuple[str, ...]
    cursor_x: int
    cursor_y: int
    width: int
    height: int
    history_size: int
    title: str
    dead: bool

    def text(self) -> str:
        """Return the plain rows as one string."""
        return "\n".join(self.lines)

    def written(self) -> tuple[str, ...]:
        """Return the plain rows without the blank ones."""
        return tuple(line for line in self.lines if line.strip())
