"""Wait until started agents are ready and give each its first prompt."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack

from mdtmux.agents.kinds import kind_of
from mdtmux.errors import MdtmuxError
from mdtmux.running.offices import OfficeRef
from mdtmux.running.prompts import (
    PromptResult,
    deliver_prompt,
    keep_prompt,
    waive_prompt,
)
from mdtmux.running.ready import Readiness, Result, limit_of, needs_screen, wait_ready
from mdtmux.running.records import PromptState, RunRecord, save
from mdtmux.running.tails import last_lines
from mdtmux.running.verdicts import UpOptions, Verdict
from mdtmux.system.control import ControlTmux
from mdtmux.system.tmux import Tmux


class Reception:
    """Receives the agents that `up` has started; `done` is told each one's verdict.

    What it opens for looking is closed with `stack`.
    """

    def __init__(
        self,
        ref: OfficeRef,
        options: UpOptions,
        done: Callable[[Verdict], None],
        stack: ExitStack,
    ) -> None:
        self.ref = ref
        self.options = options
        self.done = done
        self.stack = stack
        self.tmux = Tmux(ref.socket)
        self._control: ControlTmux | None = None
        self._lock = threading.Lock()

    def welcome(self, records: Sequence[RunRecord]) -> None:
        """Wait until the agents are ready, give each its prompt, tell each verdict."""
        if not self.options.prompts:
            records = [waive_prompt(record) for record in records]
        waits = [(record, kind_of(record.agent)) for record in records]
        by_name: dict[str, RunRecord] = {r.agent.name: r for r in records}
        screens = any(needs_screen(*one) for one in waits)
        for record, kind in waits:
            # The others are ready, or not, within a moment, and saved then.
            if needs_screen(record, kind) or self._prompt(record) is not None:
                save(self.ref.state, record)
        typing: list[Future[None]] = []
        with ThreadPoolExecutor(4) as pool:
            wait_ready(
                self.ref.state,
                lambda: self.looking(screens),
                waits,
                self.options.timeout,
                lambda name, seen: typing.extend(self._seen(by_name[name], seen, pool)),
            )
        for future in typing:
            future.result()

    def looking(self, screens: bool) -> Tmux:
        """Return the connection for looking; one control client when screens are read."""
        with self._lock:
            if not screens:
                return self.tmux
            if self._control is None:
                control = ControlTmux(self.ref.socket, self.ref.session)
                self._control = self.stack.enter_context(control)
            return self._control

    def _seen(
        self, record: RunRecord, seen: Readiness, pool: ThreadPoolExecutor
    ) -> list[Future[None]]:
        """Act on the end of one agent's wait; return what still goes on, if anything."""
        ready = seen.result is Result.READY
        record = dataclasses.replace(record, ready=ready)
        save(self.ref.state, record)
        if seen.result is Result.WAITING:
            self._waiting(record, seen)
        elif not ready:
            self._not_up(record, seen)
        elif self._prompt(record) is not None:
            return [pool.submit(self._deliver, record)]
        else:
            detail = seen.evidence.strip()
            self.done(Verdict(record.agent.name, up=True, word="up", detail=detail))
        return []

    def _prompt(self, record: RunRecord) -> str | None:
        return record.agent.prompt if record.prompt is PromptState.PENDING else None

    def _deliver(self, record: RunRecord) -> None:
        name = record.agent.name
        try:
            tmux = self.looking(screens=True)
            result = deliver_prompt(self.ref, tmux, record, record.agent.prompt or "")
        except MdtmuxError as error:
            result = PromptResult(PromptState.PENDING, error.message)
        good = result.state is PromptState.SUBMITTED
        word = "up" if good else f"prompt {result.state}"
        detail = "prompt submitted" if good else result.reason
        self.done(Verdict(name, up=good, word=word, detail=detail))

    def _waiting(self, record: RunRecord, seen: Readiness) -> None:
        name = record.agent.name
        detail = f"{seen.evidence}; answer it: mdtmux attach {name}"
        prompt = self._prompt(record)
        if prompt is not None:
            keep_prompt(self.ref, record, prompt, seen.evidence)
            detail += " (its prompt is kept and typed after that)"
        self.done(Verdict(name, up=False, word="waiting", detail=detail))

    def _not_up(self, record: RunRecord, seen: Readiness) -> None:
        name = record.agent.name
        tail = last_lines(self.ref, self.tmux, record, seen.pane)
        if seen.result is Result.ENDED:
            how = "its pane is gone" if seen.pane is None else seen.pane.ended()
            self.done(Verdict(name, up=False, word="failed", detail=how, tail=tail))
            return
        limit = limit_of(record, self.options.timeout)
        detail = f"not ready after {limit:g} s"
        if seen.evidence:
            detail += f": {seen.evidence.strip()}"
        self.done(
            Verdict(name, up=False, word=str(seen.result), detail=detail, tail=tail)
        )
