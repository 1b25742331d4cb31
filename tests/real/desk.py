"""One office with one real agent, driven by the command line only."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from tests.real.clis import Cli
from tests.real.model import Model
from tests.support.wait import until

OFFICE = "real"
AGENT = "jim"
FIRST = "Hello from the office file.\nSecond line of the first prompt;"


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    def json(self) -> Mapping[str, object]:
        """Return its output as JSON."""
        return cast(Mapping[str, object], json.loads(self.out))


@dataclass(frozen=True, slots=True)
class Desk:
    """A folder with a repository and an office file, and the model behind the agent."""

    folder: Path
    cli: Cli
    model: Model

    def write(self, env: Mapping[str, str]) -> None:
        """Make the repository and the office file."""
        repo = self.folder / "repo"
        git = ["git", "-c", "user.name=T", "-c", "user.email=t@example.invalid"]
        for words in (["init", "-q", str(repo)], ["-C", str(repo), *_COMMIT]):
            subprocess.run([*git, *words], check=True)
        agent = {
            "name": AGENT,
            "kind": self.cli.name,
            "args": list(self.cli.args),
            "env": dict(env),
            "prompt": FIRST,
            "ready": {"timeout": "90s"},
        }
        office = {"name": OFFICE, "repo": "repo", "agents": [agent]}
        (self.folder / "office.yaml").write_text(json.dumps(office))

    def run(self, *args: str, stdin: str = "", seconds: float = 180) -> Done:
        """Run mdtmux."""
        done = subprocess.run(
            [sys.executable, "-m", "mdtmux", "-f", "office.yaml", *args],
            cwd=self.folder,
            input=stdin,
            text=True,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def send(self, text: str, *options: str) -> Done:
        """Send a text by standard input."""
        return self.run("send", "--json", *options, AGENT, "-", stdin=text)

    def keys(self, *keys: str) -> None:
        """Press keys one by one."""
        for key in keys:
            done = self.run("send", AGENT, "--key", key)
            assert done.code == 0, done.err

    def agent(self) -> Mapping[str, object]:
        """Return the agent's row of `ps`."""
        rows = self.run("ps", "--json").json()["agents"]
        return cast(Sequence[Mapping[str, object]], rows)[0]

    def activity(self, wanted: str, seconds: float = 60) -> str:
        """Wait for an activity and return its evidence."""

        def seen() -> str | None:
            row = self.agent()
            if row["activity"] != wanted:
                return None
            return str(row["evidence"]) or wanted

        return str(
            until(seen, seconds=seconds, what=lambda: f"{wanted}\n{self.screen()}")
        )

    def screen(self) -> str:
        """Return the agent's screen without blank rows."""
        rows = self.run("capture", AGENT).out.splitlines()
        return "\n".join([row for row in rows if row.strip()][-24:])

    def type(self, *keys: str) -> None:
        """Type as a human does who is attached: past mdtmux."""
        pane = str(self.agent()["pane"])
        command = ["tmux", "-L", "mdtmux", "send-keys", "-t", pane, *keys]
        subprocess.run(command, check=True)

    def worktree(self) -> Path:
        """Return the agent's folder."""
        return Path(str(self.agent()["worktree"]))

    def arrived(self, text: str, since: int) -> None:
        """Require that the model was given the text exactly once after `since` prompts."""
        until(lambda: len(self.model.prompts()) > since, seconds=60, what="the prompt")
        found = [_plain(prompt) for prompt in self.model.prompts()[since:]]
        assert len(found) == 1, f"{len(found)} prompts arrived"
        assert found[0] == _plain(text), f"{found[0][:200]!r} != {_plain(text)[:200]!r}"


_COMMIT = ["commit", "-q", "--allow-empty", "-m", "start"]


def _plain(text: str) -> str:
    """Return a text without blanks and without the marks of a pasted one, composed.

    Claude Code composes letters and accents (NFC) and turns tabs into blanks; to Pi a
    command is typed as a text behind a zero-width space.
    """
    bare = re.sub(r"[\s\u200b]+|</?pasted_content[^>]*>", "", text)
    return unicodedata.normalize("NFC", bare)
