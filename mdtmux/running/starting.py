"""Start agents: their specifications, one tmux script for all panes, their records."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from mdtmux.errors import MdtmuxError, NoServer, TmuxError
from mdtmux.names import PaneId, RunId
from mdtmux.office.model import Agent, Office
from mdtmux.record.history import history_limit
from mdtmux.record.marks import mark
from mdtmux.record.writer import pipe_command
from mdtmux.running import panes
from mdtmux.running.jobs import Job, check_places
from mdtmux.running.observe import Standing, panes_of
from mdtmux.running.offices import OfficeRef
from mdtmux.running.plan import digest
from mdtmux.running.records import PromptState, RunRecord, save
from mdtmux.system.files import private_dir
from mdtmux.system.launch import LaunchSpec, write_spec
from mdtmux.system.processes import identify, working_directory
from mdtmux.system.screen import Pane
from mdtmux.system.tmux import Tmux


def start(
    office: Office, ref: OfficeRef, tmux: Tmux, jobs: Sequence[Job]
) -> dict[str, RunRecord | MdtmuxError]:
    """Start the jobs' panes in one tmux client; return a record or the error of each.

    Call it with the office lock held, after the worktrees stand. A record is saved
    before the panes are made: whoever finds a pane after a crash knows its run.
    """
    failed: dict[str, RunRecord | MdtmuxError] = {}
    ready: list[tuple[Job, tuple[str, ...]]] = []
    for job in jobs:
        try:
            check_places(job)
            ready.append((job, _write_script(ref, job)))
        except MdtmuxError as error:
            failed[job.agent.name] = error
    if not ready:
        return failed
    existing = tmux.panes()
    for job, _ in ready:
        save(ref.state, _record(job, None))
        folder = ref.state / "record" / job.agent.name
        mark(folder, job.run, office.tmux.width, office.tmux.height)
    plans = _plans(office, ref, ready, panes_of(ref, existing))
    scene = _scene(office, ref, existing)
    made, said = _run(tmux, panes.script(scene, plans))
    for job, _ in ready:
        pane = made.get(job.agent.name)
        if pane is None:
            failed[job.agent.name] = TmuxError(f"tmux made no pane: {said}")
            continue
        record = _record(job, pane)
        save(ref.state, record)
        failed[job.agent.name] = record
    return failed


def _write_script(ref: OfficeRef, job: Job) -> tuple[str, ...]:
    folder = private_dir(ref.state / "launch")
    for stale in folder.glob(f"{job.agent.name}-*.sh"):
        stale.unlink(missing_ok=True)
    directory = Path(os.path.realpath(job.directory))
    script = folder / f"{job.agent.name}-{job.run}.sh"
    return write_spec(LaunchSpec(job.argv, directory, job.env, script))


def _plans(
    office: Office,
    ref: OfficeRef,
    ready: Sequence[tuple[Job, tuple[str, ...]]],
    standing: Mapping[str, Pane],
) -> list[panes.PanePlan]:
    plans: list[panes.PanePlan] = []
    for job, command in ready:
        name = job.agent.name
        old = standing.get(name)
        plans.append(
            panes.PanePlan(
                agent=name,
                run=job.run,
                is_process=job.agent.is_process,
                command=command,
                pipe=pipe_command(ref.state / "record" / name, office.buffer),
                reuse=old.pane if old is not None else None,
                piped=old is not None and old.piped,
            )
        )
    return plans


def _scene(office: Office, ref: OfficeRef, existing: Sequence[Pane]) -> panes.Scene:
    ours = [pane for pane in existing if pane.session == ref.session]
    options = office.tmux
    processes = {agent.name for agent in office.agents if agent.is_process}
    counts: dict[str, list[Pane]] = {}
    for pane in ours:
        counts.setdefault(pane.window_id, []).append(pane)
    rooms = tuple(
        panes.Room(
            window,
            any(pane.agent in processes for pane in members),
            options.panes_per_window - len(members),
        )
        for window, members in counts.items()
        if all(pane.office == ref.id for pane in members)
    )
    selected = next((pane.window_id for pane in ours if pane.window_active), None)
    columns = options.width // (2 if options.panes_per_window > 1 else 1)
    return panes.Scene(
        session=ref.session,
        office=ref.id,
        options=options,
        history=history_limit(office.buffer, columns),
        rooms=rooms,
        selected=selected,
    )


def _run(tmux: Tmux, script: str) -> tuple[dict[str, panes.MadePane], str]:
    """Run the script; a server that was just going away is asked once more."""
    try:
        return panes.read_made(tmux.batch(script)), ""
    except NoServer:
        # tmux 3.3a: a new session right after the last one ended may meet the old
        # server on its way out ("server exited unexpectedly").
        return panes.read_made(tmux.batch(script)), ""
    except TmuxError as error:
        return panes.read_made(error.output), error.message


def _record(job: Job, pane: panes.MadePane | None) -> RunRecord:
    found = identify(pane.pid) if pane else None
    agent = job.agent
    return RunRecord(
        run=job.run,
        agent=agent,
        pane=pane.pane if pane else PaneId(""),
        server_pid=pane.server_pid if pane else 0,
        pid=found.pid if found else 0,
        created=found.created if found else 0.0,
        directory=Path(os.path.realpath(job.directory)),
        worktree=None if agent.is_process else Path(os.path.realpath(job.top)),
        branch=agent.branch if not agent.is_process else None,
        started=time.time(),
        ready=False,
        prompt=PromptState.PENDING if agent.prompt is not None else PromptState.NONE,
        digest=digest(agent),
    )


def adopt(agent: Agent, standing: Standing) -> RunRecord:
    """Return the record of a live agent whose start was interrupted.

    What the old record knows is kept when it is of the same run; the pane and the
    process are what is there now. `standing` must have a live pane.
    """
    pane, known = standing.pane, standing.record
    assert pane is not None
    if known is None or known.run != pane.run:
        known = _blank(agent, RunId(pane.run), standing)
    found = standing.identity
    return dataclasses.replace(
        known,
        agent=agent,
        pane=pane.pane,
        server_pid=pane.server_pid,
        pid=found.pid if found else 0,
        created=found.created if found else 0.0,
    )


def _blank(agent: Agent, run: RunId, standing: Standing) -> RunRecord:
    """Return what can be said of a run that no record tells of.

    Its prompt may have been typed: it is not typed again.
    """
    identity = standing.identity
    place = working_directory(identity.pid) if identity else None
    return RunRecord(
        run=run,
        agent=agent,
        pane=PaneId(""),
        server_pid=0,
        pid=0,
        created=0.0,
        directory=place or Path("/"),
        worktree=None,
        branch=None,
        started=identity.created if identity else time.time(),
        ready=False,
        prompt=PromptState.UNPROVEN if agent.prompt is not None else PromptState.NONE,
        digest="",
    )
