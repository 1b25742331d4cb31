"""The door to tmux: what mdtmux asks or tells a server goes through here or `control`.

The command line client is used rather than libtmux's objects wherever a command is
on the way to many panes: libtmux starts 153 clients to tile 16 panes where one
`source-file -` does, raises when a pane vanishes during a listing, and loses a
trailing `;` of typed text (measured with libtmux 0.62.0 and tmux 3.3a).
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shlex
import socket as sockets
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from mdtmux.errors import NoServer, TimedOut, TmuxError, UsageError
from mdtmux.names import PaneId
from mdtmux.system.answers import PANE_FORMAT, parse_pane, screen_of
from mdtmux.system.guards import alone, check_here, only_if
from mdtmux.system.processes import MARKER
from mdtmux.system.programs import Completed, run
from mdtmux.system.screen import Pane, Screen
from mdtmux.units import parse_duration

TIMEOUT = 15.0
# Paste buffers are named by this, the pid of their maker and a random part.
BUFFERS = "mdtmux-"
_NO_SERVER = re.compile(
    r"no server running|error connecting to|server exited|lost server|no sessions"
)
# Not empty when some pane of the server is dead and tmux cannot say by what.
_END_MISSED = (
    "#{S:#{W:#{P:"
    "#{?#{&&:#{pane_dead},#{==:#{pane_dead_status}#{pane_dead_signal},}},x,}}}}"
)
_NOT_FOR_TMUX = frozenset(
    ["LC_ALL", "LC_CTYPE", "TMUX", "TMUX_PANE", MARKER]
    + [f"MDTMUX_{name}" for name in ("AGENT", "OFFICE", "FILE", "ROLE", "STATE")]
)


@dataclass(frozen=True, slots=True)
class Socket:
    """Which tmux server: `own` is mdtmux's, `default` the user's, else a path.

    `place` is the path of one that was started under another TMUX_TMPDIR.
    """

    name: str
    place: str = ""

    def args(self) -> tuple[str, ...]:
        """Return tmux's options that select the server.

        The own server reads no configuration file: what it needs is set by `up`.
        """
        bare = ("-f", "/dev/null") if self.name == "own" else ()
        if self.place or self.name.startswith("/"):
            return ("-S", self.place or self.name, *bare)
        return ("-L", "mdtmux", *bare) if bare else ()

    def command(self) -> str:
        """Return what a person types before tmux's command to reach the server."""
        return shlex.join(("tmux", *self.args()[:2]))

    def path(self) -> Path:
        """Return the socket's path, by the rules of tmux(1)."""
        named = self.place or self.name
        if named.startswith("/"):
            return Path(named)
        leaf = "mdtmux" if self.name == "own" else "default"
        return _sockets_folder() / f"tmux-{os.getuid()}" / leaf

    def listens(self) -> bool:
        """Tell whether a server answers on the socket, without starting a client."""
        path = self.path()
        try:
            if not stat.S_ISSOCK(path.stat().st_mode):
                return False
            with sockets.socket(sockets.AF_UNIX) as probe:
                probe.settimeout(TIMEOUT)
                probe.connect(str(path))
        except OSError:
            return False
        return True


def _sockets_folder() -> Path:
    """Return the folder of tmux's own folders: the first of `$TMUX_TMPDIR:/tmp/` there.

    tmux says nothing of a TMUX_TMPDIR that does not exist and takes /tmp (3.3a).
    """
    for base in (os.environ.get("TMUX_TMPDIR"), "/tmp"):
        with contextlib.suppress(OSError):
            if base:
                return Path(os.path.realpath(base, strict=True))
    return Path("/tmp")


def quote(word: str) -> str:
    """Quote one word for a tmux command line in a script or in control mode.

    Single quotes keep everything but themselves; a line break must be written as
    an escape, since tmux reads commands by line.
    """
    if re.fullmatch(r"[A-Za-z0-9_@:,./+-]+", word):
        return word
    parts = re.split(r"(['\n\r])", word)
    escapes = {"'": "\\'", "\n": '"\\n"', "\r": '"\\r"'}
    return "".join(escapes.get(part) or f"'{part}'" for part in parts if part) or "''"


def line(*words: str) -> str:
    """Write one command for a script; `;` stands unquoted only as a word of its own."""
    return " ".join(quote(word) for word in words)


def client_environment() -> Mapping[str, str]:
    """Return the environment for a tmux client: the caller's, in UTF-8.

    Under `LC_ALL=C` the client rewrites every tab and non-ASCII byte to `_`. A client
    may become the server: the marks of an agent's run must not become the server's.
    """
    env = {
        name: value for name, value in os.environ.items() if name not in _NOT_FOR_TMUX
    }
    return {**env, "LC_CTYPE": "C.UTF-8"}


def time_limit() -> float:
    """Return the seconds that a tmux command may take: `MDTMUX_TMUX_TIMEOUT` or 15.

    It is a day at most: poll(2) takes no more than 24 of them.

    Raises:
        UsageError: the variable is not a duration.
    """
    text = os.environ.get("MDTMUX_TMUX_TIMEOUT")
    if not text:
        return TIMEOUT
    try:
        return min(86400.0, parse_duration(text))
    except ValueError as error:
        message = f"MDTMUX_TMUX_TIMEOUT: {error}"
        raise UsageError(message) from error


@contextlib.contextmanager
def _utf8() -> Iterator[None]:
    """Let libtmux run in a UTF-8 locale: it cannot read tmux's answers in another."""
    old = os.environ.get("LC_ALL")
    os.environ["LC_ALL"] = "C.UTF-8"
    try:
        yield
    finally:
        if old is None:
            del os.environ["LC_ALL"]
        else:
            os.environ["LC_ALL"] = old


class Tmux:
    """One tmux server, addressed by one-shot clients; safe to share by threads."""

    def __init__(self, socket: Socket, *, timeout: float | None = None) -> None:
        self.socket = socket
        self.timeout = time_limit() if timeout is None else timeout

    def call(self, *args: str) -> str:
        """Run one tmux command and return its standard output.

        A trailing `;` of an argument is escaped, so that it arrives as text.

        Raises:
            NoServer: no server listens.
            TmuxError: tmux refused; carries tmux's own words.
            TimedOut: tmux did not answer in time.
        """
        words = [f"{word[:-1]}\\;" if word.endswith(";") else word for word in args]
        return self._client(words, None)

    def commands(self, *commands: tuple[str, ...]) -> str:
        """Run several commands in one client; the first that fails stops the rest."""
        words: list[str] = []
        for command in commands:
            if words:
                words.append(";")
            words += [f"{w[:-1]}\\;" if w.endswith(";") else w for w in command]
        return self._client(words, None)

    def batch(self, script: str) -> str:
        """Start the server if need be and run a script of any size in one client.

        A parse error runs nothing; a command that fails at run time does not stop
        the rest (tmux 3.3a), so check what came of it.

        Raises:
            TmuxError: any command failed; `output` on it is what did come back.
        """
        return self._client(["start-server", ";", "source-file", "-"], script)

    def panes(self) -> list[Pane]:
        """Return every pane of the server; an empty list when no server runs.

        Raises:
            TmuxError: tmux answered something that is not a pane list.
        """
        if not self.socket.listens():
            return []
        # tmux 3.3a misses one child's end in four until another one ends.
        nudge = ("if-shell", "-F", _END_MISSED, "run-shell true")
        try:
            answer = self.commands(nudge, ("list-panes", "-a", "-F", PANE_FORMAT))
        except NoServer:
            return []
        return [parse_pane(row) for row in answer.splitlines() if row]

    def look(self, pane: PaneId, *, history: int = 0) -> tuple[Pane, Screen]:
        """Return a pane's row and its screen as of one moment.

        `history` rows above the visible ones come first in the screen's rows.

        Raises:
            TmuxError: there is no such pane.
        """
        # A row that the pane's own text cannot forge parts the two answers.
        fence = f"mdtmux-{secrets.token_hex(8)}"
        start = ("-S", f"-{history}") if history else ()
        answer = self.commands(
            ("display-message", "-p", "-t", pane, PANE_FORMAT),
            ("display-message", "-p", "-t", pane, fence),
            ("capture-pane", "-p", "-e", *start, "-t", pane),
        )
        head, found, body = answer.partition(f"{fence}\n")
        if not found:
            message = f"tmux answered nothing that can be read for pane `{pane}`"
            raise TmuxError(message)
        row = parse_pane(head.rstrip("\n"))
        if row.pane != pane:
            # tmux answers with another pane when the target does not exist.
            message = f"tmux has no pane `{pane}`"
            raise TmuxError(message)
        return row, screen_of(row, body)

    def screen(self, pane: PaneId, *, history: int = 0) -> Screen:
        """Return a pane's screen; see `look`."""
        return self.look(pane, history=history)[1]

    def keys(self, pane: PaneId, *keys: str, run: str | None = None) -> None:
        """Press keys by tmux's names (`Enter`, `C-c`, `Escape`) in this pane alone.

        Panes synchronized with it get nothing, and stay so. With `run`, only into a
        live pane of that run; else raise TmuxError.
        """
        press = alone(pane, line("send-keys", "-t", pane, "--", *keys))
        answer = self.call(
            *(press if run is None else only_if(pane, run, line(*press)))
        )
        check_here(pane, answer)

    def show(self, pane: PaneId) -> None:
        """Select the pane in its window, and the window in its session.

        Raises:
            TmuxError: there is no such pane.
        """
        # Imported here: 100 ms that only a person who looks at a pane shall wait.
        import libtmux
        from libtmux.exc import LibTmuxException

        own = self.socket.name == "own"
        path = None if own else str(self.socket.path())
        name = "mdtmux" if own else None
        server = libtmux.Server(socket_name=name, socket_path=path)
        with _utf8():
            try:
                target = libtmux.Pane.from_pane_id(server=server, pane_id=pane)
                target.window.select()
                target.select()
            except LibTmuxException as error:
                message = f"tmux cannot show pane `{pane}`: {error}"
                raise TmuxError(message) from error

    def leave_mode(self, pane: PaneId) -> None:
        """Leave copy or view mode, in which a pane swallows what is typed."""
        # Server-side: `-X cancel` fails when the pane left the mode in between.
        self.call(
            "if-shell",
            "-F",
            "-t",
            pane,
            "#{pane_in_mode}",
            f"send-keys -t {pane} -X cancel",
        )

    def paste(
        self,
        pane: PaneId,
        file: Path,
        *,
        bracketed: bool = True,
        run: str | None = None,
    ) -> None:
        """Paste a file's text into a pane through a private buffer.

        With `bracketed`, tmux adds the paste marks if the program asked for them.
        A dead pane gets nothing: tmux 3.3a crashes on a paste into one, so check and
        paste are one step inside the server; it checks the `run` too if given.

        Raises:
            TmuxError: the pane is dead, gone, or not that run's any more.
        """
        buffer = f"{BUFFERS}{os.getpid()}-{secrets.token_hex(6)}"
        marks = "-p " if bracketed else ""
        paste = f"paste-buffer {marks}-d -b {buffer} -t {pane}"
        drop = f"delete-buffer -b {buffer} ; "
        load = ("load-buffer", "-b", buffer, str(file))
        try:
            answer = self.commands(load, only_if(pane, run, paste, drop))
        except (TmuxError, TimedOut):
            with contextlib.suppress(TmuxError, TimedOut):
                self.call("delete-buffer", "-b", buffer)
            raise
        check_here(pane, answer)

    def _client(self, words: list[str], stdin: str | None) -> str:
        argv = ("tmux", "-u", *self.socket.args(), *words)
        done: Completed = run(
            argv,
            cwd=Path("/"),  # the server would keep the caller's directory busy
            env=client_environment(),
            stdin=stdin,
            timeout=self.timeout,
        )
        if done.code == 0:
            return done.out
        # A parse error of source-file is told on stdout.
        said = (done.err.strip() or done.out.strip()) or f"exit status {done.code}"
        if _NO_SERVER.search(said):
            message = f"no tmux server runs on `{self.socket.path()}`"
            raise NoServer(message)
        verb = next((w for w in words if w not in (";", "start-server")), "tmux")
        message = f"tmux {verb}: {said.splitlines()[-1]}"
        raise TmuxError(message, output=done.out)
