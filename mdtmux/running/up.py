"""Bring an office up: check everything, then make only what is missing, then prove it."""

from __future__ import annotations

import dataclasses
import os
import threading
from collections.abc import Collection, Sequence
from contextlib import ExitStack

from mdtmux.errors import MdtmuxError
from mdtmux.office.model import Agent, Office
from mdtmux.running.environment import install_command
from mdtmux.running.events import log_event
from mdtmux.running.failures import note_failures
from mdtmux.running.holding import held
from mdtmux.running.jobs import Job, faults, make_job, tops
from mdtmux.running.offices import OfficeRef, save_ref
from mdtmux.running.plan import Act, PlanRow
from mdtmux.running.prompts import (
    resume_prompt,
    settle_prompt,
    wake_pumps,
    withdraw_prompt,
)
from mdtmux.running.reception import Reception
from mdtmux.running.records import PromptState, RunRecord
from mdtmux.running.setup import run_setups
from mdtmux.running.starting import adopt, start
from mdtmux.running.stopping import end_earlier_lives
from mdtmux.running.surveying import UpPlan, office_ref, survey
from mdtmux.running.trees import build_trees
from mdtmux.running.verdicts import UpOptions, Verdict, Voice
from mdtmux.running.wish import Wish, write_wish
from mdtmux.system.tmux import Tmux
from mdtmux.worktrees.modules import empty
from mdtmux.worktrees.plan import Action


def bring_up(
    office: Office, options: UpOptions, voice: Voice
) -> tuple[OfficeRef, list[Verdict]]:
    """Bring the office to what the file says and return one verdict per agent.

    Raises:
        Busy: another `up` or `down` holds the office.
        MdtmuxError: nothing was started, because something is not usable.
    """
    with held(office_ref(office)), ExitStack() as stack:
        plan = survey(office, options.agents)
        work = _Work(plan, options, voice, stack)
        work.check()
        save_ref(dataclasses.replace(plan.ref, as_kind=options.as_kind), office)
        install_command(plan.ref)
        work.start_all()
        work.remember()
        wake_pumps(plan.ref, [agent.name for agent in office.agents])
        return plan.ref, work.verdicts()


class _Work:
    """One run of `up`: its jobs and what became of them."""

    def __init__(
        self,
        plan: UpPlan,
        options: UpOptions,
        voice: Voice,
        stack: ExitStack,
    ) -> None:
        self.plan = plan
        self.options = options
        self.voice = voice
        self.tell = voice.tell
        self.note = voice.note
        self.tmux = Tmux(plan.ref.socket)
        self.results: dict[str, Verdict] = {}
        self.jobs = self._jobs()
        self.reception = Reception(plan.ref, options, self._done, stack)
        self._lock = threading.Lock()

    def _jobs(self) -> dict[str, Job]:
        starting = [row.name for row in self.plan.rows if row.act is Act.START]
        agents = self.plan.office.agents
        return {one.name: self._job(one) for one in agents if one.name in starting}

    def _job(self, agent: Agent) -> Job:
        plan = self.plan
        where = tops(plan.office, plan.repository.top, plan.trees.paths)
        return make_job(plan.ref, agent, where[agent.name], os.environ)

    def check(self) -> None:
        """Refuse before anything is made when no agent's program could be found.

        One missing program is that agent's fault alone: the others come up.
        """
        for name, fault in faults(list(self.jobs.values())).items():
            self.results[name] = Verdict(name, up=False, word="failed", detail=fault)

    def start_all(self) -> None:
        """Make worktrees, then start the agents in the order of their dependencies."""
        todo = [job for name, job in self.jobs.items() if name not in self.results]
        kept = [row.name for row in self.plan.rows if row.act is Act.KEEP]
        # A stop that was killed before it acted has left its wish to those that live.
        wished = [*kept, *self.jobs]
        write_wish(self.plan.ref.state, wished, Wish.UP)
        if not self.options.prompts:
            self._withdraw_prompts(wished)
        for name, error in build_trees(
            self.plan.trees, [j.agent.name for j in todo], self.note
        ).items():
            self._fail(name, error.message)
        names = {job.agent.name for job in todo}
        earlier = [one for one in self.plan.standings.values() if one.name in names]
        state = self.plan.ref.state
        for name, fault in end_earlier_lives(
            state, self.tmux, earlier, self.note
        ).items():
            self._fail(name, fault)
        self._setup([job for job in todo if job.agent.name not in self.results])
        pending = [job for job in todo if job.agent.name not in self.results]
        # Those that others wait for must be seen to be ready first.
        self._attend({name for job in pending for name in job.agent.depends_on})
        while pending:
            wave = [job for job in pending if self._free(job, pending)]
            self._start_wave([job for job in wave if not self._blocked(job)])
            pending = [job for job in pending if job not in wave]
        self._attend()

    def _withdraw_prompts(self, names: Sequence[str]) -> None:
        for name in names:
            if withdraw_prompt(self.plan.ref, name, "--no-prompt was given"):
                self.note(f"{name}: its first prompt is taken out of the queue")

    def _setup(self, jobs: Sequence[Job]) -> None:
        for name, fault in run_setups(self.plan.ref.state, jobs, self.voice).items():
            self._fail(name, fault)
        self._tell_of_modules(
            [job for job in jobs if job.agent.name not in self.results]
        )

    def _tell_of_modules(self, jobs: Sequence[Job]) -> None:
        """Tell once of submodules that nothing has filled in the new worktrees."""
        steps = self.plan.trees.steps
        new = {step.agent for step in steps if step.action is Action.CREATE}
        bare = [j.agent.name for j in jobs if j.agent.name in new and empty(j.top)]
        if bare:
            self.note(
                f"submodules are empty in the new worktrees of {', '.join(bare)};"
                " `setup:` can fill them: git submodule update --init"
            )

    def _free(self, job: Job, pending: Sequence[Job]) -> bool:
        waiting = {other.agent.name for other in pending}
        return not any(name in waiting for name in job.agent.depends_on)

    def _blocked(self, job: Job) -> bool:
        for name in job.agent.depends_on:
            verdict = self.results.get(name)
            standing = self.plan.standings.get(name)
            good = verdict.up if verdict else bool(standing and standing.lives)
            if not good:
                self._fail(
                    job.agent.name, f"not started: `{name}`, which it needs, is not up"
                )
                return True
        return False

    def _start_wave(self, jobs: Sequence[Job]) -> None:
        if not jobs:
            return
        self.tell(f"starting {', '.join(job.agent.name for job in jobs)}")
        try:
            started = start(self.plan.office, self.plan.ref, self.tmux, jobs)
        except MdtmuxError as error:
            started = {job.agent.name: error for job in jobs}
        records: list[RunRecord] = []
        for name, result in started.items():
            if isinstance(result, RunRecord):
                records.append(result)
            else:
                self._fail(name, result.message)
        self.reception.welcome(records)

    def _attend(self, only: Collection[str] | None = None) -> None:
        """Finish what an interrupted `up` began: agents not yet ready, prompts owed."""
        records: list[RunRecord] = []
        for row in self.plan.rows:
            standing = self.plan.standings.get(row.name)
            agent = self.plan.office.agent(row.name)
            if row.act is not Act.KEEP or standing is None or agent is None:
                continue
            if row.name in self.results or (only is not None and row.name not in only):
                continue
            if not standing.proven or row.owes_prompt:
                record = adopt(self.plan.ref, self._job(agent), standing)
                records.append(resume_prompt(self.plan.ref, record))
        if records:
            self.tell(f"attending to {', '.join(r.agent.name for r in records)}")
            self.reception.welcome(records)

    def remember(self) -> None:
        """Keep why agents are not up, for those who ask later."""
        failed = {
            n: one.detail for n, one in self.results.items() if one.word == "failed"
        }
        note_failures(self.plan.ref.state, self.jobs, failed)

    def _fail(self, name: str, detail: str) -> None:
        self._done(Verdict(name, up=False, word="failed", detail=detail))

    def _done(self, verdict: Verdict) -> None:
        state = self.plan.ref.state
        log_event(
            state, "up", agent=verdict.agent, result=verdict.word, reason=verdict.detail
        )
        with self._lock:
            self.results[verdict.agent] = verdict
        self.tell(f"{verdict.agent}: {verdict.word}")

    def _kept(self, row: PlanRow) -> Verdict:
        detail = row.why
        if row.drift:
            detail += f"; the file differs: {', '.join(row.drift)}"
        record = self.plan.standings[row.name].record
        if record and settle_prompt(self.plan.ref, record) is PromptState.UNPROVEN:
            detail = f"see whether it has arrived: mdtmux attach {row.name}; {detail}"
            return Verdict(row.name, up=False, word="prompt unproven", detail=detail)
        return Verdict(row.name, up=True, word="kept", detail=detail)

    def verdicts(self) -> list[Verdict]:
        """Return one verdict per agent of the plan, in the file's order."""
        found: list[Verdict] = []
        for row in self.plan.rows:
            verdict = self.results.get(row.name)
            if verdict is None and row.act is Act.KEEP:
                verdict = self._kept(row)
            if verdict is not None:
                found.append(verdict)
        return found
