"""Programs start with exactly the environment and directory that they shall have."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mdtmux.errors import MdtmuxError
from mdtmux.system.launch import LaunchSpec, write_spec

_TELL = """
import json, os, sys
print(json.dumps([dict(os.environ), os.getcwd(), sys.argv[1:]]))
"""
_TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


def _run(
    world: Path, env: dict[str, str], *args: str, directory: Path | None = None
) -> subprocess.CompletedProcess[str]:
    argv = (sys.executable, "-c", _TELL, *args)
    spec = LaunchSpec(argv, directory or world, env, world / "launch" / "x.sh")
    command = write_spec(spec)
    assert stat.S_IMODE(spec.script.stat().st_mode) == 0o600
    caller = {"SECRET_OF_SERVER": "1", "TMUX": "t", "TMUX_PANE": "%1", "TERM": "dumb"}
    return subprocess.run(
        command, env=caller, capture_output=True, text=True, check=False
    )


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=_TEXT, arg=_TEXT)
def test_values_and_arguments_arrive_byte_for_byte(
    world: Path, value: str, arg: str
) -> None:
    """Whatever stands in a value or an argument, no shell sees it."""
    done = _run(world, {"A": value, "LC_ALL": "C.UTF-8"}, arg)
    env, _, argv = json.loads(done.stdout)

    assert env["A"] == value
    assert argv == [arg]


def test_the_environment_is_the_given_one_and_the_panes(world: Path) -> None:
    """Nothing of the server's own environment comes through, but tmux's variables do."""
    done = _run(world, {"A": "x"})
    env, cwd, _ = json.loads(done.stdout)

    env.pop("LC_CTYPE", None)  # Python's own, under the C locale
    assert set(env) == {"A", "PWD", "TMUX", "TMUX_PANE", "TERM", "TERM_PROGRAM",
                        "TERM_PROGRAM_VERSION"}  # fmt: skip
    assert cwd == str(world)


def test_the_script_is_gone_when_the_program_runs(world: Path) -> None:
    """The file that may hold secrets does not outlive the start."""
    _run(world, {})

    assert not list((world / "launch").iterdir())


@pytest.mark.parametrize("how", ["missing", "file", "link"])
def test_a_wrong_directory_starts_nothing(world: Path, how: str) -> None:
    """A missing directory, a file and a link that leads away end with 126."""
    place = world / "place"
    if how == "file":
        place.write_text("")
    elif how == "link":
        (world / "away").mkdir()
        place.symlink_to(world / "away")
    done = _run(world, {}, directory=place)

    assert done.returncode == 126
    assert done.stdout == ""
    assert str(place) in done.stderr


@pytest.mark.parametrize("name", ["a b", "it's", "é", "#x", '"q"', "$HOME", "-dash"])
def test_any_directory_name_works(world: Path, name: str) -> None:
    """Paths with blanks, quotes, accents and signs are entered as they are."""
    place = world / name
    place.mkdir()
    done = _run(world, {}, directory=place)

    assert json.loads(done.stdout)[1] == str(place)


def test_names_that_no_shell_can_export_are_left_out(world: Path) -> None:
    """An exported bash function in the caller's environment breaks nothing."""
    env = {"BASH_FUNC_x%%": "() { :; }", "a-b": "1", "A": "2"}
    told, _, _ = json.loads(_run(world, env).stdout)

    assert told["A"] == "2"
    assert not {"BASH_FUNC_x%%", "a-b"} & set(told)


def test_a_nul_byte_is_refused(world: Path) -> None:
    """An argument with a NUL byte cannot be passed to any program."""
    with pytest.raises(MdtmuxError, match="NUL"):
        write_spec(LaunchSpec(("x", "a\0b"), world, {}, world / "x.sh"))
    assert not os.path.lexists(world / "x.sh")
