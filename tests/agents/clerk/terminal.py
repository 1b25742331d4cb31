"""A terminal for one program: a real pseudo-terminal, its screen kept by pyte."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pyte

from mdtmux.agents.base import Activity, Reading
from mdtmux.agents.clerk.kind import CLERK
from mdtmux.system.screen import Screen
from tests.support.wait import until

CLERK_ARGV = (sys.executable, "-P", "-m", "mdtmux.agents.clerk")


@dataclass(frozen=True, slots=True)
class Start:
    """How a program is started in a terminal."""

    argv: Sequence[str]
    width: int = 80
    height: int = 24
    env: Mapping[str, str] | None = None


class Terminal:
    """A program in a terminal: type into it, look at it, wait for it."""

    def __init__(self, start: Start) -> None:
        self._pyte = pyte.Screen(start.width, start.height)
        self._stream = pyte.ByteStream(self._pyte)
        self.raw = bytearray()
        self.status: int | None = None
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            environment = {**os.environ, **(start.env or {})}
            os.execvpe(start.argv[0], list(start.argv), environment)
        os.set_blocking(self.fd, False)
        self.resize(start.width, start.height)

    def resize(self, width: int, height: int) -> None:
        """Give the terminal another size; the program is told by the kernel."""
        self._pyte.resize(height, width)
        size = struct.pack("HHHH", height, width, 0, 0)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, size)

    def send(self, data: bytes | str) -> None:
        """Type bytes, reading what the program writes meanwhile."""
        view = memoryview(data.encode() if isinstance(data, str) else data)
        while view:
            self.drain()
            select.select([self.fd], [self.fd], [], 1)
            with suppress(BlockingIOError):
                view = view[os.write(self.fd, view) :]

    def paste(self, text: str) -> None:
        """Paste as a terminal does for a program that asked for brackets."""
        self.send(b"\x1b[200~" + text.replace("\n", "\r").encode() + b"\x1b[201~")

    def drain(self) -> None:
        """Read what the program has written; bounded, for it may never stop."""
        with suppress(BlockingIOError, OSError):
            for _ in range(16):
                data = os.read(self.fd, 65536)
                self.raw += data
                self._stream.feed(data)

    def screen(self) -> Screen:
        """Return what stands on the screen now."""
        self.drain()
        lines = tuple(line.rstrip() for line in self._pyte.display)
        cursor = self._pyte.cursor
        return Screen(
            lines=lines,
            styled=lines,
            cursor_x=cursor.x,
            cursor_y=cursor.y,
            width=self._pyte.columns,
            height=self._pyte.lines,
            history_size=0,
            title="",
            dead=False,
        )

    def text(self) -> str:
        """Return the screen's rows as one string."""
        return self.screen().text()

    def see(self, text: str, seconds: float = 10) -> str:
        """Wait until the screen shows the text; return the screen."""
        until(lambda: text in self.text(), seconds=seconds, what=f"`{text}` on screen")
        return self.text()

    def reading(self) -> Reading:
        """Return what the kind reads from the screen."""
        return CLERK.read(self.screen())

    def until(self, activity: Activity) -> Reading:
        """Wait until the kind reads that activity from the screen."""
        what = f"the activity {activity}"
        return until(lambda: self._readings(activity), what=what)[0]

    def _readings(self, activity: Activity) -> list[Reading]:
        reading = self.reading()
        return [reading] if reading.activity == activity else []

    def draft(self, text: str) -> None:
        """Wait until the draft is that text."""
        until(lambda: self.reading().draft == text, what=f"the draft {text!r}")

    def submit(self, text: str) -> None:
        """Paste a text, wait until it stands in the draft, press Enter, see it go."""
        self.paste(text)
        until(lambda: CLERK.holds(self.screen(), text), what="the paste in the draft")
        self.send("\r")
        until(lambda: not CLERK.holds(self.screen(), text), what="the text to go")

    def result(self, prompt: str) -> str:
        """Submit instructions and wait until they are done or failed; the screen."""
        self.submit(prompt)
        until(self._finished, what="the result")
        self.until(Activity.IDLE)
        return self.text()

    def _finished(self) -> bool:
        # A program cannot go on while nobody reads what it writes.
        self.drain()
        return bool(events("done") or events("failed"))

    def ended(self) -> int:
        """Wait for the program's end; return its status, negative for a signal."""
        until(lambda: self._poll() is not None, what="the end of the program")
        self.drain()
        return self.status if self.status is not None else 0

    def _poll(self) -> int | None:
        self.drain()
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
        return self.status

    def close(self) -> None:
        """End the program, whatever it does, and close the terminal."""
        if self._poll() is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)


@contextmanager
def terminal(start: Start) -> Iterator[Terminal]:
    """Run a program in a terminal for the time of the block."""
    opened = Terminal(start)
    try:
        yield opened
    finally:
        opened.close()


@contextmanager
def clerk(*args: str, width: int = 80, height: int = 24) -> Iterator[Terminal]:
    """Run a clerk, logging to `clerk.jsonl` here, from its first idle screen on."""
    argv = (*CLERK_ARGV, "--log", "clerk.jsonl", *args)
    with terminal(Start(argv, width, height)) as opened:
        until(lambda: opened.reading().activity != Activity.UNKNOWN, what="a screen")
        yield opened


def events(kind: str, file: str = "clerk.jsonl") -> list[Mapping[str, object]]:
    """Return the log's events of one kind."""
    path = Path(file)
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    # The last line may still be being written.
    records = [json.loads(line) for line in text.split("\n")[:-1]]
    return [record for record in records if record["ev"] == kind]


def submitted() -> list[object]:
    """Return the texts of all submits, in order."""
    return [event["text"] for event in events("submit")]
