r"""A scripted stand-in for a full-screen agent CLI, for tests of kind `custom`.

    python tests/support/tui.py NAME [key=value | key]…

It asks for bracketed paste, shows the prompt `> ` and writes one JSON line per event
to the file named by $FX_LOG: `start`, `submit`, `dialog-answered`, `ctrl-c`, `exit`.
It lives on the standard library alone and imports nothing of the project.

    boot=SECONDS   wait at start, then throw away what was typed meanwhile
    nobracket      do not ask for bracketed paste
    swallow        an Enter that arrives together with other bytes is a newline
    echo           show what is typed, and answer it with a row (the default shows
                   nothing, as a mute program)
    say=TEXT       print at start; `\n` in it is a new line
    dialog=KIND    start with an open dialog: `trust` or `menu`
    busy           print a dot ten times a second
    after=SECONDS  end by itself, with the status of exit=CODE (default 0)
    child          leave a `sleep` behind, in a session of its own

Line breaks are logged as `\n`, however the terminal sent them.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import termios
import time
import tty
from collections.abc import Mapping
from pathlib import Path
from types import FrameType

PASTE = b"\x1b[200~"
PASTED = b"\x1b[201~"
DIALOGS = {
    "trust": "Do you trust this folder?\r\n> 1. Yes\r\n  2. No\r\n",
    "menu": "Run rm -rf build?\r\n> 1. Yes\r\n  2. No\r\n",
}
LOGGED = ("FX_KEY", "CLAUDECODE", "GIT_DIR", "TMUX_PANE", "LANG")


def show(text: str) -> None:
    """Write to the terminal at once."""
    os.write(1, text.encode())


class Program:
    """One run of the stand-in: the options, and what has been typed so far."""

    def __init__(self, name: str, options: Mapping[str, str]) -> None:
        self.name = name
        self.options = options
        self.dialog = options.get("dialog")
        self.started = time.monotonic()
        self.draft = bytearray()
        self.pasting = False
        self.unread = b""

    def log(self, event: str, **facts: object) -> None:
        """Append one event to $FX_LOG."""
        record = {"ev": event, **facts, "agent": self.name, "pid": os.getpid()}
        with Path(os.environ.get("FX_LOG", "fx.log")).open(
            "a", encoding="utf-8"
        ) as file:
            file.write(json.dumps(record) + "\n")

    def run(self) -> int:
        """Behave as the options say until the end; return the exit status."""
        environment = {name: os.environ.get(name) for name in LOGGED}
        self.log("start", cwd=str(Path.cwd()), argv=sys.argv[1:], env=environment)
        if "child" in self.options:
            leave_child()
        select.select([], [], [], float(self.options.get("boot", 0)))
        termios.tcflush(0, termios.TCIFLUSH)
        tty.setraw(0)
        if "nobracket" not in self.options:
            show("\x1b[?2004h")
        if "say" in self.options:
            show(self.options["say"].replace("\\n", "\r\n") + "\r\n")
        show(DIALOGS.get(self.dialog or "", "> "))
        return self.listen()

    def listen(self) -> int:
        """Read until the terminal closes, Control-C, or the end that `after` sets."""
        after = float(self.options.get("after", "inf"))
        while time.monotonic() - self.started <= after:
            if "busy" in self.options:
                show(".")
            if not select.select([0], [], [], 0.1)[0]:
                continue
            chunk = os.read(0, 65536)
            if not chunk:
                return 129
            if self.feed(chunk):
                return 130
        self.log("exit")
        return int(self.options.get("exit", 0))

    def feed(self, chunk: bytes) -> bool:
        """Take the bytes of one read; tell whether Control-C ended the program."""
        alone = not chunk.strip(b"\r") or "swallow" not in self.options
        rest = self.unread + chunk
        self.unread = b""
        while rest:
            mark = PASTED if self.pasting else PASTE
            before, found, after = rest.partition(mark)
            if not found:
                # The mark itself may be cut in two between two reads.
                keep = next((n for n in range(5, 0, -1) if rest.endswith(mark[:n])), 0)
                before, self.unread = rest[: len(rest) - keep], rest[len(rest) - keep :]
            if self.typed(before, alone):
                return True
            if found:
                self.pasting = not self.pasting
            rest = after
        return False

    def typed(self, data: bytes, alone: bool) -> bool:
        """Take bytes without paste marks; tell whether one was Control-C."""
        if self.pasting:
            self.add(data)
            return False
        while data:
            cut = next(
                (i for i, byte in enumerate(data) if byte in b"\r\x03"), len(data)
            )
            self.add(data[:cut])
            key, data = data[cut : cut + 1], data[cut + 1 :]
            if key == b"\x03":
                self.log("ctrl-c")
                return True
            if key and not alone:
                self.add(key)
            elif key:
                self.enter()
        return False

    def add(self, data: bytes) -> None:
        """Put bytes into the draft, and on the screen when asked to."""
        self.draft += data
        if "echo" in self.options and not self.dialog:
            show(plain(data).replace("\n", "\r\n"))

    def enter(self) -> None:
        """Answer the open dialog, or submit the draft."""
        text = plain(bytes(self.draft))
        self.draft.clear()
        if self.dialog:
            self.log("dialog-answered", kind=self.dialog, with_text=text)
            self.dialog = None
        else:
            self.log("submit", text=text)
            if "echo" in self.options:
                show("\r\ntaken")
        show("\r\n> ")


def plain(data: bytes) -> str:
    r"""Return typed bytes as text with `\n` for every kind of line break."""
    text = data.decode("utf-8", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def leave_child() -> None:
    """Start a process that outlives the pane: other session, same environment."""
    if os.fork() == 0:
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):
            os.dup2(null, descriptor)
        os.execvp("sleep", ["sleep", "86399"])


def hang_up(_signal: int, _frame: FrameType | None) -> None:
    """Leave as programs do whose terminal is gone."""
    os._exit(129)


def main() -> int:
    """Run the stand-in that the command line describes."""
    options = dict(word.partition("=")[::2] for word in sys.argv[2:])
    signal.signal(signal.SIGHUP, hang_up)
    return Program(sys.argv[1], options).run()


if __name__ == "__main__":
    sys.exit(main())
