"""Aliases, functions and completion, as a person has them after starting a shell."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from mdtmux.cli.completion import SHELLS
from mdtmux.cli.shell_init import ALIASES
from tests.support.cli import run
from tests.support.shells import Pane, open_shell
from tests.support.wait import until

each_shell = pytest.mark.parametrize("shell", SHELLS)


def _office(world: Path) -> Path:
    state = world / "home/.local/state/mdtmux/scranton-1"
    state.mkdir(parents=True)
    rows = [
        {"name": name, "role": "worker", "kind": "clerk"} for name in ("jim", "pam")
    ]
    value = {"name": "scranton", "file": "/a.yaml", "repo": "/", "agents": rows}
    (state / "office.json").write_text(json.dumps(value), encoding="utf-8")
    return state


def _shell(name: str) -> Pane:
    return open_shell(name, source=run("shell-init", name).out)


@each_shell
def test_every_alias_runs_its_verb(tidy: Path, shell: str) -> None:
    """`mdu` and the others are there in a shell that read the script."""
    pane = _shell(shell)

    for alias, verb in ALIASES.items():
        pane.type(f"{alias} --help | head -1")
        pane.press("Enter")
        pane.shows(f"Usage: mdtmux {verb} ")


@each_shell
def test_the_script_is_silent_and_succeeds(shell: str) -> None:
    """A shell's start-up file that evaluates it neither prints nor fails."""
    text = run("shell-init", shell).out

    done = subprocess.run(
        [shell, "-c", text], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@each_shell
@pytest.mark.parametrize("short", ["mda", "mdcd"])
def test_a_tab_completes_an_agent_after_a_short_name(
    tidy: Path, shell: str, short: str
) -> None:
    """The short names complete what the verbs they stand for complete."""
    _office(tidy)
    pane = _shell(shell)
    pane.type(f"{short} p")
    until(lambda: pane.line() == f"{short} p", what="what was typed")

    pane.press("Tab")

    until(lambda: pane.line() == f"{short} pam", what=lambda: f"pam in {pane.screen()}")


@each_shell
def test_mdcd_stays_where_it_is_when_there_is_no_such_agent(
    tidy: Path, shell: str
) -> None:
    """A failed look-up changes no folder and says why."""
    pane = _shell(shell)

    pane.type("mdcd nobody; pwd")
    pane.press("Enter")

    pane.shows("error: ", f"\n{Path.cwd()}")
