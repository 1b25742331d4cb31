"""The session as it is before new panes are made: its room, its size, its variables."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from mdtmux.office.model import Office
from mdtmux.record.history import history_limit
from mdtmux.running.offices import OfficeRef
from mdtmux.running.panes import PanePlan, Room, Scene
from mdtmux.system.launch import inherited_in_vain
from mdtmux.system.processes import variable_names
from mdtmux.system.screen import Pane
from mdtmux.system.tmux import client_environment


def make_scene(
    office: Office,
    ref: OfficeRef,
    existing: Sequence[Pane],
    environments: Sequence[Mapping[str, str]],
) -> Scene:
    """Return the scene for new panes with these environments.

    `existing` are all panes of the server, none when it does not run yet.
    """
    ours = [pane for pane in existing if pane.session == ref.session]
    options = office.tmux
    columns = options.width // (2 if options.panes_per_window > 1 else 1)
    return Scene(
        session=ref.session,
        office=ref.id,
        options=options,
        history=history_limit(office.buffer, columns),
        rooms=_rooms(office, ref, ours),
        selected=next((pane.window_id for pane in ours if pane.window_active), None),
        unwanted=_unwanted(existing, environments),
    )


def _rooms(office: Office, ref: OfficeRef, ours: Sequence[Pane]) -> tuple[Room, ...]:
    processes = {agent.name for agent in office.agents if agent.is_process}
    windows: dict[str, list[Pane]] = {}
    for pane in ours:
        windows.setdefault(pane.window_id, []).append(pane)
    return tuple(
        Room(
            window,
            any(pane.agent in processes for pane in members),
            office.tmux.panes_per_window - len(members),
        )
        for window, members in windows.items()
        # A window with somebody's own pane in it is theirs to arrange.
        if all(pane.office == ref.id and pane.agent for pane in members)
    )


def _unwanted(
    existing: Sequence[Pane], environments: Sequence[Mapping[str, str]]
) -> tuple[str, ...]:
    """Return the server's variables that some agent must not inherit."""
    server: Sequence[str] = list(client_environment())
    if existing:
        server = variable_names(existing[0].server_pid) or ()
    names = {name for env in environments for name in inherited_in_vain(server, env)}
    return tuple(sorted(names))


def only_other(existing: Sequence[Pane], plan: PanePlan) -> PanePlan:
    """Return the plan with only what its pane does not have from its server.

    A server that does not run yet will have the variables of the client that starts
    it; of one that runs nothing is taken for granted.
    """
    server = {} if existing else client_environment()
    env = {k: v for k, v in plan.environment.items() if server.get(k) != v}
    return dataclasses.replace(plan, environment=env)
