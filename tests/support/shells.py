"""Real interactive shells in real panes, typed into as a person would."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.support.wait import until

ROOT = Path(__file__).resolve().parent.parent.parent
SOCKET = "shells"
PROMPT = "ready>"

# Without the user's own files: a prompt that says when the shell listens.
START: Mapping[str, str] = {
    "bash": f"PS1='{PROMPT} ' exec bash --noprofile --norc -i",
    "zsh": f"PS1='{PROMPT} ' exec zsh -f -i",
    "fish": f"exec fish --no-config -C 'function fish_prompt; printf \"{PROMPT} \"; end'",
}
READY: Mapping[str, str] = {
    "bash": "bind 'set enable-bracketed-paste off'",
    "zsh": "autoload -Uz compinit && compinit -u -D",
    "fish": "true",
}


def tmux(*args: str) -> str:
    """Run tmux on the test's own server and return what it printed."""
    done = subprocess.run(
        ["tmux", "-L", SOCKET, "-f", "/dev/null", *args],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"tmux {shlex.join(args)}: {done.stderr}"
    return done.stdout


@dataclass(frozen=True, slots=True)
class Pane:
    """A pane with an interactive shell; `id` is tmux's."""

    id: str

    def type(self, text: str) -> None:
        """Type the text, as keys."""
        tmux("send-keys", "-t", self.id, "-l", "--", text)

    def press(self, *keys: str) -> None:
        """Press keys, by tmux's names for them."""
        tmux("send-keys", "-t", self.id, *keys)

    def screen(self) -> str:
        """Return what is on the screen, blank lines left out."""
        lines = tmux("capture-pane", "-p", "-t", self.id).splitlines()
        return "\n".join(line.rstrip() for line in lines if line.strip())

    def line(self) -> str:
        """Return what stands after the last prompt."""
        return self.screen().rpartition(PROMPT)[2].strip("\n ")

    def shows(self, *texts: str) -> str:
        """Wait until the screen shows all the texts and return it."""
        until(
            lambda: all(text in self.screen() for text in texts),
            what=lambda: f"{texts} on the screen:\n{self.screen()}",
        )
        return self.screen()

    def run(self, command: str) -> None:
        """Run a command, wait for the next prompt and clear the screen."""
        self.type(f"{command}; echo fin''ished")
        self.press("Enter")
        self.shows("\nfinished", f"\n{PROMPT}")
        self.type("clear")
        self.press("Enter")
        until(lambda: self.screen() == PROMPT, what="a clear screen")


def open_shell(name: str, *, source: str = "", cwd: Path | None = None) -> Pane:
    """Open a shell that has `mdtmux` on PATH, and let it source a script's text."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    command = f"PATH={shlex.quote(path)}; export PATH; {START[name]}"
    options = ["-P", "-F", "#{pane_id}", "-x", "140", "-y", "40"]
    where = ["-c", str(cwd or Path.cwd())]
    pane = Pane(tmux("new-session", "-d", *options, *where, command).strip())
    pane.shows(PROMPT)
    pane.run(READY[name])
    if source:
        file = Path.cwd() / f"sourced.{name}"
        file.write_text(source, encoding="utf-8")
        pane.run(f"source {shlex.quote(str(file))}")
    return pane
