"""The environment of an agent: the caller's, cleaned, then the file's."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from mdtmux.agents.kinds import kind_of
from mdtmux.errors import MdtmuxError
from mdtmux.names import RunId
from mdtmux.office.model import Agent
from mdtmux.running.environment import build, install_command, read_env_file
from mdtmux.running.offices import OfficeRef
from mdtmux.system.tmux import Socket
from tests.support.agents import agent


@pytest.fixture
def ref(world: Path) -> OfficeRef:
    """Return an office with a state folder."""
    return OfficeRef(
        name="lab", file=world / "office.yaml", state=world / "state", repo=world,
        common_dir=world / ".git", socket=Socket("own"), session="lab", agents=("a",),
        version=None,
    )  # fmt: skip


def _build(ref: OfficeRef, one: Agent, caller: dict[str, str]) -> dict[str, str]:
    return build(ref, one, kind_of(one), RunId("r1"), caller)


def test_the_order_of_sources(ref: OfficeRef, world: Path) -> None:
    """Env files beat the caller, `env:` beats both, `unset:` removes from all."""
    file = world / "x.env"
    file.write_text("A=file\nB=file\n# C=no\n\nexport D='quoted value'\n")
    one = replace(
        agent("a"),
        env=(("B", "yes"), ("N", "007"), ("E", "")),
        env_file=(file,),
        unset=("Z",),
    )
    env = _build(ref, one, {"A": "caller", "Z": "caller", "PATH": "/bin", "HOME": "/h"})

    assert {k: env[k] for k in "ABDEN"} == {
        "A": "file", "B": "yes", "D": "quoted value", "E": "", "N": "007",
    }  # fmt: skip
    assert "Z" not in env
    assert env["HOME"] == "/h"


def test_git_and_the_callers_terminal_do_not_come_through(ref: OfficeRef) -> None:
    """Every variable that git lists as the repository's own is dropped, as is TMUX."""
    listed = subprocess.run(
        ["git", "rev-parse", "--local-env-vars"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    caller = dict.fromkeys([*listed, "TMUX", "TMUX_PANE", "COLUMNS", "MDTMUX_RUN"], "x")
    env = _build(ref, agent("a"), caller | {"GIT_CONFIG_KEY_0": "x", "GIT_SSH": "kept"})

    assert env["GIT_SSH"] == "kept"
    assert env["MDTMUX_RUN"] == "r1"
    assert not {*listed, "TMUX", "TMUX_PANE", "COLUMNS", "GIT_CONFIG_KEY_0"} & set(env)


def test_every_pane_knows_its_office(ref: OfficeRef) -> None:
    """The variables of the manual are set, and `mdtmux` is on the PATH."""
    install_command(ref)
    env = _build(ref, replace(agent("a"), role="boss"), {"PATH": "/usr/bin:/bin"})
    done = subprocess.run(
        ["mdtmux", "--version"], env=env, capture_output=True, text=True, check=True
    )

    assert done.stdout.startswith("mdtmux")
    names = ("OFFICE", "AGENT", "ROLE", "STATE", "FILE")
    assert [env[f"MDTMUX_{name}"] for name in names] == [
        "lab", "a", "boss", str(ref.state), str(ref.file),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["no assignment", "1A=x", "A B=x"])
def test_a_wrong_env_file_is_told_by_its_line(world: Path, text: str) -> None:
    """The place is told, the line itself is not: it may hold a secret."""
    file = world / "x.env"
    file.write_text(f"A=1\n{text}\n")
    with pytest.raises(MdtmuxError, match=r"x\.env:2: ") as caught:
        read_env_file(file)

    assert text not in caught.value.message


def test_a_missing_env_file_is_an_error(world: Path) -> None:
    """It may have gone since the office file was checked."""
    with pytest.raises(MdtmuxError, match=r"gone\.env"):
        read_env_file(world / "gone.env")


def test_the_panes_command_is_not_the_projects(ref: OfficeRef, world: Path) -> None:
    """A module of the project that is called like one of ours is not run."""
    install_command(ref)
    (world / "click.py").write_text("raise SystemExit(9)\n")
    argv = [str(ref.state / "bin/mdtmux"), "--version"]

    done = subprocess.run(argv, cwd=world, capture_output=True, text=True, check=True)

    assert "mdtmux" in done.stdout
