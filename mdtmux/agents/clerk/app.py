"""The loop: keys in, screen out, and one piece of work at a time in between."""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from mdtmux.agents.clerk import live, marks
from mdtmux.agents.clerk.answer import Prompt, answer, command, opening
from mdtmux.agents.clerk.desk import Desk, Quit
from mdtmux.agents.clerk.dialog import Dialog
from mdtmux.agents.clerk.draft import Draft
from mdtmux.agents.clerk.keys import Decoder, Event, Source
from mdtmux.agents.clerk.live import Row, Style, View
from mdtmux.agents.clerk.log import Log
from mdtmux.agents.clerk.options import Options, parse
from mdtmux.agents.clerk.paper import Entry, Paper
from mdtmux.agents.clerk.signals import Signals
from mdtmux.agents.clerk.worker import Worker

_FRAME = 0.25
_ESCAPE = 0.05
_TWICE = 1.0
_LONG_LIFE = 3600.0
_FOREVER = 1e8  # more than `select` takes is an error
_WATCHED = (signal.SIGWINCH, signal.SIGCHLD, signal.SIGCONT, signal.SIGINT)
_FATAL = (signal.SIGTERM, signal.SIGHUP)


class Clerk:
    """One run of the program, from its first screen to its exit status."""

    def __init__(self, options: Options, log: Log) -> None:
        self._options = options
        self._log = log
        self._paper = Paper(bracketed=options.bracketed)
        self._desk = Desk(options.name, self._paper, log, options.auto, time.monotonic)
        self._worker = Worker(time.monotonic)
        self._draft = Draft()
        self._decoder = Decoder()
        self._queue: deque[Prompt] = deque()
        self._past: list[str] = []
        self._recalled = 0
        self._interrupted_at = float("-inf")
        self._read_at = 0.0

    def run(self) -> int:
        """Own the terminal until the end; return the exit status."""
        fatal: tuple[int, ...] = () if self._options.stubborn else _FATAL
        ignored = _FATAL if self._options.stubborn else ()
        signals = Signals((*_WATCHED, *fatal), ignored)
        status = 1
        self._paper.open()
        try:
            status = self._loop(signals)
        except Quit as quitting:
            status = quitting.status
        except OSError:
            status = self._hung_up()
        finally:
            self._worker.stop()
            self._log("exit", status=status)
            with suppress(OSError, termios.error):
                self._paper.close(f"clerk {self._options.name}: exit {status}")
        return status

    def _hung_up(self) -> int:
        """End as programs do whose terminal is gone; a stubborn one lives on."""
        if self._options.stubborn:
            select.select([], [], [], _LONG_LIFE)
        return 128 + signal.SIGHUP

    def _loop(self, signals: Signals) -> int:
        self._paper.write(_header(self._options))
        self._worker.start(opening(self._desk, self._options))
        self._log("ready")
        while True:
            self._next()
            self._paper.show(self._view())
            ready = self._await(signals.fd)
            came = signals.take()
            self._heed(came)
            if 0 in ready and not self._read():
                return self._hung_up()
            if self._undecided() == 0.0:
                self._take(self._decoder.settle())
            if self._worker.due(ready, signal.SIGCHLD in came):
                self._worker.move()

    def _await(self, fd: int) -> list[int]:
        """Wait until something happens or the screen has to change by itself."""
        limits = [self._worker.patience(), self._undecided()]
        if self._worker.busy and not self._worker.dialog:
            limits.append(_FRAME)
        if self._notice():
            limits.append(_TWICE)
        known = [min(limit, _LONG_LIFE) for limit in limits if limit is not None]
        wanted = [0, fd]
        if self._worker.readable is not None:
            wanted.append(self._worker.readable)
        return select.select(wanted, [], [], min(known, default=None))[0]

    def _heed(self, came: frozenset[int]) -> None:
        """Act on signals."""
        for number in _FATAL:
            if number in came:
                raise Quit(128 + number)
        if signal.SIGINT in came:
            self._take([Event(Source.KEY, "interrupt")])
        if signal.SIGWINCH in came or signal.SIGCONT in came:
            self._paper.resize()
        if signal.SIGCHLD in came:
            self._desk.reap()

    def _read(self) -> bool:
        """Take what came from the terminal; False when it is gone."""
        data = os.read(0, 65536)
        self._read_at = time.monotonic()
        self._take(self._decoder.feed(data))
        return bool(data)

    def _undecided(self) -> float | None:
        """Return the seconds for which an Escape may still become a sequence."""
        if not self._decoder.undecided:
            return None
        return max(0.0, self._read_at + _ESCAPE - time.monotonic())

    def _take(self, events: Sequence[Event]) -> None:
        for event in events:
            dialog = self._worker.dialog
            if dialog is not None:
                self._answer(dialog, event)
            elif event.source is Source.TYPED:
                self._draft.type(event.text)
            elif event.source is Source.PASTED:
                self._draft.paste(event.text)
            else:
                self._key(event)

    def _answer(self, dialog: Dialog, event: Event) -> None:
        """Give the open dialog an event, and its answer to the work that asked."""
        given = dialog.press(event)
        if event.text == "interrupt":
            self._interrupt(dialog)
        if given is None:
            return
        dropped = "".join(dialog.dropped)
        facts = {"kind": dialog.kind, "answer": given, "with_text": dropped}
        self._log("dialog-answered", **facts, how=event.text)
        self._worker.move(given)

    def _key(self, event: Event) -> None:
        match event.text:
            case "enter" if event.alone or not self._options.strict_enter:
                self._submit()
            case "enter" | "newline":
                self._draft.type("\n")
            case "escape" if self._worker.busy:
                self._stop("escape")
            case "escape":
                self._desk.limit = ""
            case "interrupt":
                self._interrupt(None)
            case "end-of-input" if not self._draft:
                raise Quit(0)
            case "end-of-input":
                self._draft.edit("delete")
            case "up" | "down":
                self._recall(-1 if event.text == "up" else 1)
            case key:
                self._draft.edit(key)

    def _interrupt(self, dialog: Dialog | None) -> None:
        """Do what Control-C does: interrupt or clear, and quit at the second."""
        again = self._notice() and not self._options.stubborn
        self._interrupted_at = time.monotonic()
        if again:
            raise Quit(0)
        if dialog is not None:
            return
        if self._worker.busy:
            self._stop("ctrl-c")
        else:
            self._log("ctrl-c")
            self._draft.clear()

    def _stop(self, how: str) -> None:
        """Give up the current work; prompts that waited go back to the draft."""
        self._worker.stop()
        self._desk.say("Interrupted", Style.ALERT)
        self._log("interrupt", how=how, queued=len(self._queue))
        if self._queue:
            texts = [prompt.text for prompt in self._queue]
            texts += [self._draft.text()] if self._draft else []
            self._queue.clear()
            self._draft.replace("\n".join(texts))

    def _recall(self, step: int) -> None:
        place = self._recalled + step
        if 0 <= place < len(self._past):
            self._draft.replace(self._past[place])
            self._recalled = place
        elif place == len(self._past):
            self._draft.clear()
            self._recalled = place

    def _submit(self) -> None:
        text, shown = self._draft.text(), self._draft.shown()
        self._draft.clear()
        if command(self._desk, text):
            return
        prompt = Prompt.of(text, shown)
        if not prompt.text:
            return
        self._log("shell" if prompt.shell else "submit", text=prompt.text)
        self._queue.append(prompt)
        self._past.append(text)
        self._recalled = len(self._past)

    def _next(self) -> None:
        """Take up the next prompt, unless something is still being done."""
        if self._worker.busy or not self._queue:
            return
        self._desk.limit = ""
        prompt = self._queue.popleft()
        self._desk.hear(prompt.shown)
        self._worker.start(answer(self._desk, self._options, prompt))

    def _view(self) -> View:
        size = self._paper.size
        if self._worker.dialog is not None:
            return live.menu(self._worker.dialog, size)
        return live.box(self._draft, self._status(), self._footer(), size)

    def _status(self) -> Row | None:
        if self._desk.limit:
            return Row(self._desk.limit, Style.ALERT)
        if not self._worker.busy:
            return None
        since = time.monotonic() - self._worker.since
        sign = marks.SPINNER[int(since / _FRAME) % len(marks.SPINNER)]
        text = f"{sign} {marks.WORKING} ({since:.0f}s · esc to interrupt)"
        return Row(text, Style.BUSY)

    def _footer(self) -> str:
        parts = [marks.FOOTER]
        if self._queue:
            parts.append(f"{len(self._queue)} queued")
        if self._notice():
            parts.append("ctrl+c again to quit")
        else:
            parts += [self._options.name, self._options.model, "/help"]
        return " · ".join(parts)

    def _notice(self) -> bool:
        """Tell whether a Control-C has just been pressed."""
        return time.monotonic() - self._interrupted_at < _TWICE


def _header(options: Options) -> list[Entry]:
    return [
        Entry("", f"▪ clerk {options.name} · {options.model}", Style.BOLD),
        Entry("", f"  {Path.cwd()}", Style.DIM),
    ]


def main(args: Sequence[str]) -> int:
    """Run a clerk with these arguments; return its exit status."""
    options = parse(args)
    if not (os.isatty(0) and os.isatty(1)):
        sys.stderr.write("error: clerk needs a terminal\n")
        return 2
    log = Log(options.log, options.name)
    try:
        log.check()
    except OSError as error:
        sys.stderr.write(f"error: cannot write the log `{options.log}`: {error}\n")
        return 2
    environment = {name: os.environ.get(name) for name in options.logged}
    log("start", cwd=str(Path.cwd()), argv=list(args), env=environment)
    select.select([], [], [], min(options.boot, _FOREVER))
    return Clerk(options, log).run()
