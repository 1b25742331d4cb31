"""One delivery under the pane's lock: look, type, settle, submit, prove."""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

from mdtmux.delivery import admit, spool
from mdtmux.delivery.admit import Facts
from mdtmux.delivery.approach import Clear, Job, approach, refused
from mdtmux.delivery.look import Look, Looker
from mdtmux.delivery.proof import After, Finding, Typed, after_enter, holds
from mdtmux.delivery.receipt import Held, Outcome, Passes, now
from mdtmux.delivery.stop import Stop
from mdtmux.delivery.text import Prepared, prepare
from mdtmux.delivery.watch import Arrival, Departure, line_of
from mdtmux.errors import MdtmuxError, TmuxError
from mdtmux.office.model import Paste
from mdtmux.system import terminal
from mdtmux.system.processes import age
from mdtmux.system.terminal import Readers

# Seconds to see the text leave the input line, for each Enter: one that a program
# swallowed is pressed again, while the text stands there.
_LEAVE = (2.5, 2.5, 4.0, 6.0)
# Seconds until a text that neither stands nor has visibly left counts as unproven.
_UNCLEAR = 8.0
# Seconds that what looks like a question must stay to be believed.
_GLIMPSE = 0.3
# Seconds that a program may take after its start to ask for bracketed paste.
_YOUNG = 10.0
# Seconds to read a paste: some, and more for a large one.
_READ = 10.0
_BYTES_A_SECOND = 10_000


class Sequence:
    """The steps of one delivery; call `run` once, with the pane's lock held.

    `typed` tells whether anything may have reached the pane, `enters` how often
    Enter was pressed.
    """

    def __init__(self, looker: Looker, job: Job) -> None:
        self.looker = looker
        self.tmux = looker.tmux
        self.job = job
        self.target = job.target
        self.kind = job.target.kind
        self.typed = False
        self.enters = 0
        self.asked_since: float | None = None
        self.readers = Readers(None)

    def run(self) -> Finding:
        """Deliver the text and return what proves it.

        Raises:
            Stop: nothing was typed, or nothing proves that it was submitted.
            MdtmuxError: tmux or the state folder failed.
        """
        spool.sweep(self.target.state, self.tmux)
        clear = approach(self.looker, self.job)
        text = self._fit(clear.facts)
        if not self.job.options.wanted():
            raise refused(Held("there is no need for it any more"))
        if clear.resume:
            self.typed = True
        else:
            self._paste(text)
        return self._submit(self._stand(text, clear))

    def _fit(self, facts: Facts) -> Prepared:
        """Return what to paste: the text, or a line that names a file with it."""
        text, target = self.job.text, self.target
        if facts.bracketed is not True:
            # Without the marks a last line break is an Enter, which is pressed anyway.
            text = prepare(text.text.rstrip("\n"))
        held = admit.misfit(text, facts)
        if held is None:
            return text
        if target.paste is not Paste.FILE:
            # A program that has just started may not have asked for the marks yet.
            young = age(target.process) < _YOUNG
            raise refused(replace(held, passes=Passes.SOON) if young else held)
        path = spool.hand_over(
            target.state, target.agent, self.job.id, self.job.text.text
        )
        return prepare(f"Read the file {path} and do what it says.")

    def _paste(self, text: Prepared) -> None:
        target = self.target
        self._note(entered=False)
        with spool.on_its_way(target.state, self.job.id, text.text) as file:
            try:
                self.tmux.paste(target.pane, file, run=target.run)
            except TmuxError as error:
                # tmux says so only when nothing was pasted; silence says nothing.
                spool.drop_note(target.state, target.agent)
                reason = f"`{target.agent}` does not run any more ({error.message})"
                raise refused(Held(reason, passes=Passes.RUN)) from error
            except MdtmuxError:
                self.typed = True
                raise
        self.typed = True

    def _note(self, *, entered: bool) -> None:
        content, run = self.job.content, self.target.run
        note = spool.Note(
            self.job.id, run, content.sha256, content.bytes, entered, now()
        )
        spool.write_note(self.target.state, self.target.agent, note)

    def _stand(self, text: Prepared, clear: Clear) -> Typed:
        """Wait until the program has taken the paste in, and return the last look."""
        clean = clear.facts.look
        arrival = Arrival(self.kind, clean, text.text, self.looker.clock.now)

        def arrived(look: Look) -> Look | None:
            return arrival(look) if self._is_safe(look, text.text) else None

        if self.looker.until(arrived, _READ + text.bytes / _BYTES_A_SECOND) is None:
            self._fail("it does not show whole on the input line")
        self.looker.wait(self.kind.settle(text.text))
        look = self._safe_look(text.text)
        reader = terminal.foreground(look.pane.pid)
        if reader is not None and reader.shell:
            self._fail("a command interpreter has taken over the terminal before Enter")
        self.readers = Readers(look.pane.pid)
        return Typed(text.text, clean, look, clear.still, bool(clear.facts.canonical))

    def _safe_look(self, text: str) -> Look:
        """Return a look at which Enter would submit the text; stop when there is none."""

        def safe(look: Look) -> Look | None:
            stands = holds(self.kind, look.screen, text) is not False
            return look if self._is_safe(look, text) and stands else None

        found = self.looker.until(safe, _GLIMPSE)
        if found is None:
            self._fail("it does not stand on the input line any more")
        return found

    def _is_safe(self, look: Look, text: str) -> bool:
        """Tell whether no question is open; stop when one stays, or the run has ended."""
        if look.pane.dead or admit.not_this_run(self.target, look.pane):
            self._fail("the program has ended", ended=True)
        held = admit.question(self.target, look, self.kind.read(look.screen), text)
        time = self.looker.clock.now()
        if held is None:
            self.asked_since = None
        elif self.asked_since is None:
            # It may be a glimpse of a screen that is being drawn.
            self.asked_since = time
        elif time - self.asked_since >= _GLIMPSE:
            self._fail(held.reason)
        return held is None

    def _submit(self, typed: Typed) -> Finding:
        finding = Finding(After.UNCLEAR, "")
        for seconds in _LEAVE:
            self._press(typed.look)
            finding, typed = self._leave(typed, seconds)
            if finding.after is After.STANDS and self._stands(typed):
                typed = replace(typed, look=self._safe_look(typed.text))
                continue
            if finding.after is After.STANDS:
                # The program is slow: the text is leaving after all.
                finding, typed = self._leave(typed, seconds)
            if finding.after is After.SUBMITTED:
                return finding
            break
        if finding.after is After.STANDS:
            # A question that has come up meanwhile would take the Enter of the hint.
            self._safe_look(typed.text)
            self._stuck(finding)
        ended = self.looker.look().pane.dead
        self._fail(finding.evidence, finding.evidence, ended=ended)

    def _stands(self, typed: Typed) -> bool:
        look = self.looker.look()
        line = line_of(look, self.readers)
        return after_enter(self.kind, typed, look, line).after is After.STANDS

    def _press(self, look: Look) -> None:
        if look.pane.in_mode:
            self.tmux.leave_mode(self.target.pane)
        if self.enters == 0:
            # Before the key: without it in the note, no Enter was pressed for certain.
            self._note(entered=True)
        self.tmux.keys(self.target.pane, "Enter", run=self.target.run)
        self.enters += 1

    def _leave(self, typed: Typed, seconds: float) -> tuple[Finding, Typed]:
        """Look until the text has left, or has stood there for the time."""
        watch = Departure(self.kind, typed, self.readers, ends=self.job.options.command)
        found = self.looker.until(watch, seconds)
        if found is None and watch.last.after is After.UNCLEAR and typed.still:
            found = self.looker.until(watch, _UNCLEAR - seconds)
        return found or watch.last, watch.typed

    def _stuck(self, finding: Finding) -> NoReturn:
        """Stop with a text that still stands on the input line after Enter."""
        agent = self.target.agent
        hint = (
            f"`mdtmux attach {agent}` shows what stands there;"
            f" `mdtmux send {agent} --key Enter` submits it"
        )
        reason = f"typed but not submitted: {finding.evidence}"
        raise Stop(Outcome.UNPROVEN, Held(reason, hint), finding.evidence)

    def _fail(self, seen: str, evidence: str = "", *, ended: bool = False) -> NoReturn:
        """Stop with what was seen; once Enter was pressed, the text may have been taken.

        The hint only shows: one more Enter could answer a question that is open now.
        """
        agent = self.target.agent
        what = "typed but not submitted"
        if self.enters:
            what = "typed, and Enter was pressed, but nothing shows that it was taken"
        hint = f"`mdtmux attach {agent}` shows what stands there"
        if ended:
            hint = f"`mdtmux logs {agent}` shows what it printed"
        passes = Passes.RUN if ended and not self.enters else Passes.NEVER
        raise Stop(Outcome.UNPROVEN, Held(f"{what}: {seen}", hint, passes), evidence)
