"""Start agents: one tmux script for all panes, and a record of each run."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from mdtmux.errors import MdtmuxError, NoServer, TmuxError
from mdtmux.names import RunId
from mdtmux.office.model import Office
from mdtmux.record.marks import mark, measured
from mdtmux.record.writer import pipe_command
from mdtmux.running import panes
from mdtmux.running.holding import server_held
from mdtmux.running.jobs import Job, check_places
from mdtmux.running.observe import Standing, panes_of
from mdtmux.running.offices import OfficeRef
from mdtmux.running.plan import digest
from mdtmux.running.records import PromptState, RunRecord
from mdtmux.running.scene import make_scene, only_other
from mdtmux.system import launch
from mdtmux.system.files import read_json, write_json
from mdtmux.system.processes import age, identify, working_directory
from mdtmux.system.screen import Pane
from mdtmux.system.tmux import Tmux

# Seconds that an old server may take to be gone, and between two tries meanwhile.
_LEAVING = 2.0
_PAUSE = 0.02


def start(
    office: Office, ref: OfficeRef, tmux: Tmux, jobs: Sequence[Job]
) -> dict[str, RunRecord | MdtmuxError]:
    """Start the jobs' panes in one tmux client; return a record or the error of each.

    Call it with the office lock held, after the worktrees stand; save the records.
    The runs are noted before the panes are made, so that whoever finds a pane after
    a crash knows its run for ours.
    """
    with server_held(ref.socket):
        return _start(office, ref, tmux, jobs)


def _start(
    office: Office, ref: OfficeRef, tmux: Tmux, jobs: Sequence[Job]
) -> dict[str, RunRecord | MdtmuxError]:
    results: dict[str, RunRecord | MdtmuxError] = {}
    existing = tmux.panes()
    standing = panes_of(ref, existing)
    plans: dict[str, panes.PanePlan] = {}
    for job in jobs:
        name = job.agent.name
        try:
            check_places(job, ref.common_dir)
            _check_pane(ref, standing.get(name))
            plans[name] = _plan(office, ref, job, standing.get(name))
        except MdtmuxError as error:
            results[name] = error
    if not plans:
        return results
    ready = [job for job in jobs if job.agent.name in plans]
    _note_starts(ref, ready)
    _mark_recordings(office, ref, ready, standing)
    scene = make_scene(
        office, ref, existing, [one.environment for one in plans.values()]
    )
    lean = [only_other(existing, plan) for plan in plans.values()]
    made, said = _run(tmux, panes.script(scene, lean))
    for job in ready:
        pane = made.get(job.agent.name)
        results[job.agent.name] = (
            _record(job, pane) if pane else TmuxError(f"tmux made no pane: {said}")
        )
    return results


def _check_pane(ref: OfficeRef, old: Pane | None) -> None:
    """Check that nothing lives in the pane that would be taken again.

    Raises:
        MdtmuxError: a person has started something there.
    """
    if old is not None and not old.dead and identify(old.pid) is not None:
        message = f"not started: pane {old.pane} runs `{old.command}`, not the agent"
        ends = f"{ref.socket.command()} kill-pane -t {old.pane}"
        raise MdtmuxError(message, hint=f"end it, or `{ends}`")


def _mark_recordings(
    office: Office, ref: OfficeRef, jobs: Sequence[Job], standing: Mapping[str, Pane]
) -> None:
    for job in jobs:
        folder = ref.state / "record" / job.agent.name
        old = standing.get(job.agent.name)
        if old is not None:
            measured(folder, old.width, old.height)
        mark(folder, job.run, office.tmux.width, office.tmux.height)


def _plan(office: Office, ref: OfficeRef, job: Job, old: Pane | None) -> panes.PanePlan:
    directory = Path(os.path.realpath(job.directory))
    record = ref.state / "record" / job.agent.name
    goes_on = old is not None and old.piped and old.buffer == office.buffer
    return panes.PanePlan(
        agent=job.agent.name,
        run=job.run,
        is_process=job.agent.is_process,
        command=launch.command(directory, job.env["PATH"], job.argv),
        environment=launch.pane_environment(job.env),
        pipe=None if goes_on else pipe_command(record, office.buffer),
        reuse=old.pane if old is not None else None,
        piped=old is not None and old.piped,
        buffer=office.buffer,
        pinned=job.agent.role == "boss" and office.agents[0].name == job.agent.name,
    )


def _run(tmux: Tmux, script: str) -> tuple[Mapping[str, panes.MadePane], str]:
    """Run the script; a server that was just going away is waited for."""
    deadline = time.monotonic() + _LEAVING
    while True:
        try:
            return panes.read_made(tmux.batch(script)), ""
        except NoServer:
            # tmux 3.3a: a new session right after the last one ended may meet the old
            # server on its way out ("server exited unexpectedly").
            if time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE)
        except TmuxError as error:
            return panes.read_made(error.output), error.message


def _note_starts(ref: OfficeRef, jobs: Sequence[Job]) -> None:
    # Those of others stay: their records may still be missing.
    known = read_json(ref.state / "starting.json")
    noted = dict(known) if isinstance(known, dict) else {}
    noted |= {job.agent.name: job.run for job in jobs}
    write_json(ref.state / "starting.json", noted)


def _was_noted(state: Path, agent: str, run: str) -> bool:
    value = read_json(state / "starting.json")
    return isinstance(value, dict) and value.get(agent) == run


def _record(job: Job, pane: panes.MadePane) -> RunRecord:
    found = identify(pane.pid)
    agent = job.agent
    return RunRecord(
        run=job.run,
        agent=agent,
        pane=pane.pane,
        server_pid=pane.server_pid,
        # Also of one that has ended by now: another process in its pane is not it.
        pid=pane.pid,
        created=found.created if found else 0.0,
        directory=Path(os.path.realpath(job.directory)),
        worktree=None if agent.is_process else Path(os.path.realpath(job.top)),
        branch=job.branch,
        started=time.time(),
        ready=False,
        prompt=PromptState.PENDING if agent.prompt is not None else PromptState.NONE,
        digest=digest(agent),
        private=job.private,
    )


def adopt(ref: OfficeRef, job: Job, standing: Standing) -> RunRecord:
    """Return the record of a live agent whose start was interrupted.

    What the old record knows is kept when it is of the same run; the pane and the
    process are what is there now. `standing` must have a live pane.
    """
    pane, known = standing.pane, standing.record
    assert pane is not None
    if known is None or known.run != pane.run:
        known = _blank(ref.state, job, standing, pane)
    found = standing.identity
    return dataclasses.replace(
        known,
        agent=job.agent,
        pane=pane.pane,
        server_pid=pane.server_pid,
        pid=found.pid if found else 0,
        created=found.created if found else 0.0,
    )


def _blank(state: Path, job: Job, standing: Standing, pane: Pane) -> RunRecord:
    """Return what can be said of a run that no record tells of.

    When the last `up` noted its start, nothing was typed into it yet; else its
    prompt may have been, and is not typed again.
    """
    identity = standing.identity
    made = panes.MadePane(job.agent.name, pane.pane, pane.pid, pane.server_pid)
    record = dataclasses.replace(_record(job, made), run=RunId(pane.run))
    if not _was_noted(state, job.agent.name, pane.run) and job.agent.prompt is not None:
        record = dataclasses.replace(record, prompt=PromptState.UNPROVEN)
    place = working_directory(identity.pid) if identity else None
    started = time.time() - age(identity) if identity else record.started
    return dataclasses.replace(
        record, directory=place or record.directory, started=started
    )
