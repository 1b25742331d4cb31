"""Wait until started agents are ready and give each its first prompt."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable, Iterable, Sequence
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
        records = [self._awaited(record) for record in records]
        waits = [(record, kind_of(record.agent)) for record in records]
        by_name: dict[str, RunRecord] = {r.agent.name: r for r in records}
        screens = any(needs_screen(*one) for one in waits)
        for record, kind in waits:
            # The others are ready, or not, within a moment, and saved then.
            if needs_screen(record, kind) or self._prompt(record) is not None:
                save(self.ref.state, record)
        typing: list[Future[None]] = []

        def done(name: str, seen: Readiness) -> None:
            typing.extend(self._seen(by_name.pop(name), seen, pool))

        with ThreadPoolExecutor(4) as pool:
            try:
                wait_ready(
                    self.ref.state,
                    lambda: self.looking(screens),
                    waits,
                    self.options.timeout,
                    done,
                )
            except BaseException:
                self._give_up(by_name.values())
                raise
        for future in typing:
            future.result()

    def _awaited(self, record: RunRecord) -> RunRecord:
        limit = time.time() + limit_of(record, self.options.timeout)
        return dataclasses.replace(record, awaited=limit, unready="")

    def _give_up(self, records: Iterable[RunRecord]) -> None:
        """Let nobody think that these are still waited for (^C, a fault of tmux)."""
        for record in records:
            why = "the command that waited for it was ended before it was ready"
            save(self.ref.state, dataclasses.replace(record, awaited=0.0, unready=why))

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
        why = "" if ready else self._unready(record, seen)
        record = dataclasses.replace(record, ready=ready, awaited=0.0, unready=why)
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
        detail = f"{seen.evidence}; answer it: mdtmux attach {name},"
        detail += f" or mdtmux send {name} --key KEY"
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
        why = record.unready
        self.done(Verdict(name, up=False, word=str(seen.result), detail=why, tail=tail))

    def _unready(self, record: RunRecord, seen: Readiness) -> str:
        """Say why the wait for an agent has ended without its being ready."""
        evidence = seen.evidence.strip()
        if seen.result is not Result.LATE:
            return f"not ready when last looked at: {evidence or seen.result}"
        limit = limit_of(record, self.options.timeout)
        return f"not ready after {limit:g} s" + (f": {evidence}" if evidence else "")
