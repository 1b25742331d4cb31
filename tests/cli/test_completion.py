"""Tab, pressed by a person in bash, zsh and fish."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from mdtmux.cli.completion import SHELLS
from tests.support.cli import run
from tests.support.shells import ROOT, Pane, open_shell
from tests.support.wait import until

CHECK = {"bash": ["-n"], "zsh": ["-n"], "fish": ["--no-execute"]}
each_shell = pytest.mark.parametrize("shell", SHELLS)


def _offices(world: Path) -> None:
    for name, agents in {"scranton": ("michael", "jim"), "utica": ("karen",)}.items():
        folder = world / "home/.local/state/mdtmux" / f"{name}-1"
        folder.mkdir(parents=True)
        rows = [{"name": agent, "role": "worker", "kind": "clerk"} for agent in agents]
        value = {"name": name, "file": f"/{name}.yaml", "repo": "/", "agents": rows}
        (folder / "office.json").write_text(json.dumps(value), encoding="utf-8")


def _shell(name: str) -> Pane:
    return open_shell(name, source=run("completion", name).out)


def _tabs(pane: Pane, typed: str, line: str) -> None:
    """Type, press Tab once and wait for the completed line."""
    pane.type(typed)
    until(lambda: pane.line().endswith(typed.strip()), what=f"`{typed}` typed")
    pane.press("Tab")
    until(
        lambda: pane.line() == line,
        what=lambda: f"`{line}` after Tab:\n{pane.screen()}",
    )


@each_shell
def test_the_shell_reads_the_script(shell: str) -> None:
    """The script has no syntax error and says nothing when it is read."""
    script = run("completion", shell).out

    done = subprocess.run(
        [shell, *CHECK[shell]],
        input=script,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@each_shell
def test_a_tab_completes_a_verb_and_its_argument(tidy: Path, shell: str) -> None:
    """One Tab finishes a verb, the next one a choice."""
    pane = _shell(shell)

    _tabs(pane, "mdtmux complet", "mdtmux completion")
    _tabs(pane, "z", "mdtmux completion zsh")


@each_shell
def test_a_tab_completes_an_office(tidy: Path, shell: str) -> None:
    """Names of offices come from this user's state."""
    _offices(tidy)
    pane = _shell(shell)

    _tabs(pane, "mdtmux -o ut", "mdtmux -o utica")


@each_shell
def test_a_tab_completes_an_agent_of_the_named_office(tidy: Path, shell: str) -> None:
    """The office that is named on the line decides whose agents are offered."""
    _offices(tidy)
    pane = _shell(shell)

    _tabs(pane, "mdtmux -o utica wait k", "mdtmux -o utica wait karen")


@each_shell
def test_tabs_list_the_agents(tidy: Path, shell: str) -> None:
    """Tab after a verb shows every agent of the office; bash wants it pressed twice."""
    _offices(tidy)
    pane = _shell(shell)
    pane.type("mdtmux -o scranton wait ")
    pane.press("Tab")
    if shell == "bash":
        pane.press("Tab")

    pane.shows("michael", "jim")


@each_shell
def test_a_tab_completes_the_value_after_an_equals_sign(tidy: Path, shell: str) -> None:
    """`--for=w` completes in shells that part the word at `=` and in those that do not."""
    _offices(tidy)
    pane = _shell(shell)

    _tabs(pane, "mdtmux wait jim --for=w", "mdtmux wait jim --for=waiting")


@each_shell
def test_a_tab_completes_a_file(tidy: Path, shell: str) -> None:
    """An option that takes a file completes names of files, those with spaces too."""
    (Path.cwd() / "my office.yaml").touch()
    pane = _shell(shell)

    quoted = "'my office.yaml'" if shell == "fish" else r"my\ office.yaml"
    pane.type("mdtmux -f my")
    pane.press("Tab")

    until(
        lambda: pane.line() in (f"mdtmux -f {quoted}", r"mdtmux -f my\ office.yaml"),
        what=lambda: f"a file's name:\n{pane.screen()}",
    )


@each_shell
def test_a_tab_that_finds_nothing_says_nothing(tidy: Path, shell: str) -> None:
    """Neither an unknown verb nor a broken state file puts words into the prompt."""
    broken = tidy / "home/.local/state/mdtmux/broken-1"
    broken.mkdir(parents=True)
    (broken / "office.json").write_text("{", encoding="utf-8")
    pane = _shell(shell)

    pane.type("mdtmux nonesuch ")
    pane.press("Tab")
    pane.type("-o x")
    pane.press("Tab")
    pane.type("yz")

    until(
        lambda: pane.line().endswith("nonesuch -o xyz"),
        what=lambda: f"xyz in {pane.screen()}",
    )
    assert pane.screen().count("\n") == 0


def test_zsh_finds_the_script_on_its_function_path(tidy: Path) -> None:
    """The committed `_mdtmux` works from a folder on $fpath, without being sourced."""
    folder = ROOT / "completions"
    pane = open_shell("zsh", source=f"fpath=({folder} $fpath)\ncompinit -u -D\n")

    _tabs(pane, "mdtmux complet", "mdtmux completion")


@each_shell
def test_the_committed_script_is_the_printed_one(shell: str) -> None:
    """Packagers who take the file from the repository get what the program prints."""
    name = {"bash": "mdtmux.bash", "zsh": "_mdtmux", "fish": "mdtmux.fish"}[shell]

    committed = (ROOT / "completions" / name).read_text(encoding="utf-8")

    assert committed == run("completion", shell).out


def test_an_unknown_shell_is_a_usage_error() -> None:
    """A shell without a script is refused with the list of those that have one."""
    result = run("completion", "csh")

    assert result.code == 2
    assert "'bash', 'zsh', 'fish'" in result.err


@each_shell
def test_a_tab_completes_the_file_of_a_text(tidy: Path, shell: str) -> None:
    """`send AGENT --text-file` takes a file, and so does Tab."""
    _offices(tidy)
    (Path.cwd() / "offer.txt").touch()
    pane = _shell(shell)

    pane.type("mdtmux -o utica send karen --text-file off")
    pane.press("Tab")

    pane.shows("--text-file offer.txt")
