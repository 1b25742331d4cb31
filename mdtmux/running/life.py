"""Stop agents of an office, and remove one, with the office held."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mdtmux.errors import Refused
from mdtmux.running.down import close_panes, stop_pumps
from mdtmux.running.events import log_event
from mdtmux.running.holding import held
from mdtmux.running.observe import observe
from mdtmux.running.offices import OfficeRef, drop_agent
from mdtmux.running.records import forget
from mdtmux.running.stopping import (
    Halt,
    halt_of,
    processes_of,
    stop_agents,
)
from mdtmux.running.wish import Wish, drop_wish, write_wish
from mdtmux.system.tmux import Tmux


def stop(ref: OfficeRef, names: Sequence[str], timeout: float | None) -> Halt:
    """Stop the agents and everything they started; their panes stay, ended.

    Raises:
        Busy: another `up` or `down` holds the office.
    """
    tmux = Tmux(ref.socket)
    with held(ref):
        write_wish(ref.state, names, Wish.STOPPED)
        standings = observe(ref, tmux)
        chosen = [standings[name] for name in names if name in standings]
        texts = stop_pumps(ref, chosen)
        alive = processes_of(ref.state, chosen)
        live = [one for one in chosen if one.lives or alive.get(one.name)]
        log_event(ref.state, "stop", agents=[one.name for one in live])
        survivors = stop_agents(ref.state, tmux, live, timeout)
        return halt_of(names, [one.name for one in live], survivors, texts)


def remove(
    ref: OfficeRef, name: str, take_down: Callable[[], None], timeout: float | None
) -> Halt:
    """Stop the agent, let `take_down` remove its worktree, close its pane, forget it.

    Raises:
        MdtmuxError: `take_down` refused: the agent stays stopped, its work untouched.
        Refused: somebody started it again meanwhile; it is left alone.
    """
    halt = stop(ref, [name], timeout)
    if halt.survivors:
        return halt
    take_down()
    tmux = Tmux(ref.socket)
    with held(ref):
        standing = observe(ref, tmux).get(name)
        if standing is not None and standing.identity is not None:
            message = f"agent `{name}` was started again meanwhile"
            raise Refused(message, hint=f"`mdtmux rm {name}` again removes it")
        if standing is not None:
            close_panes(ref, tmux, [standing])
        forget(ref.state, name)
        drop_wish(ref.state, name)
        drop_agent(ref, name)
        log_event(ref.state, "rm", agent=name)
    return halt
