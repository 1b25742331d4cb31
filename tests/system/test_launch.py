"""Programs start in their directory, with their arguments as they are, or not at all."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mdtmux.errors import MdtmuxError
from mdtmux.system import launch

_TELL = """
import json, os, sys
print(json.dumps([dict(os.environ), os.getcwd(), sys.argv[1:]]))
"""
_TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


def _run(directory: Path, *args: str) -> subprocess.CompletedProcess[str]:
    words = launch.command(directory, "/the/path", (sys.executable, "-c", _TELL, *args))
    env = {"A": "x", "LC_ALL": "C.UTF-8"}
    return subprocess.run(words, env=env, capture_output=True, text=True, check=False)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(args=st.lists(_TEXT, max_size=4))
def test_arguments_arrive_byte_for_byte(world: Path, args: list[str]) -> None:
    """Whatever stands in an argument, no shell reads it."""
    assert json.loads(_run(world, *args).stdout)[2] == args


def test_nothing_is_added_to_the_environment(world: Path) -> None:
    """The program gets what it was given, and its own directory."""
    env, cwd, _ = json.loads(_run(world).stdout)

    assert set(env) == {"A", "LC_ALL", "PWD", "PATH"}
    assert env["PATH"] == "/the/path"
    assert cwd == env["PWD"] == str(world)


@pytest.mark.parametrize("how", ["missing", "file", "link"])
def test_a_wrong_directory_starts_nothing(world: Path, how: str) -> None:
    """A missing directory, a file and a link that leads away end with 126."""
    place = world / "place"
    if how == "file":
        place.write_text("")
    elif how == "link":
        (world / "away").mkdir()
        place.symlink_to(world / "away")
    done = _run(place)

    assert (done.returncode, done.stdout) == (126, "")
    assert str(place) in done.stderr


@pytest.mark.parametrize("name", ["a b", "it's", "é", "#x", '"q"', "$HOME", "-dash"])
def test_any_directory_name_works(world: Path, name: str) -> None:
    """Paths with blanks, quotes, accents and signs are entered as they are."""
    place = world / name
    place.mkdir()

    assert json.loads(_run(place).stdout)[1] == str(place)


def test_a_missing_program_says_so(world: Path) -> None:
    """The status is 127 and the line names the program."""
    words = launch.command(world, "/bin", ("./no-such-program", "x"))
    done = subprocess.run(words, capture_output=True, text=True, check=False)

    assert done.returncode == 127
    assert "./no-such-program" in done.stderr


def test_the_entering_shell_is_told_from_the_program(world: Path) -> None:
    """Also from a program that is a shell itself."""
    words = launch.command(world, "/bin", ("/bin/sh", "-c", "sleep 9"))

    assert launch.is_entering(words)
    assert not launch.is_entering(("/bin/sh", "-c", "sleep 9"))
    assert not launch.is_entering(("sleep",))


def test_what_tmux_sets_is_not_given(world: Path) -> None:
    """The pane's own variables are tmux's business, and are no leftovers either."""
    given = launch.pane_environment({"A": "1", "TMUX": "x", "TERM": "dumb", "PWD": "/"})
    vain = launch.inherited_in_vain(["A", "B", "TMUX", "TERM", "CLAUDECODE"], given)

    assert given == {"A": "1"}
    assert vain == ["B", "CLAUDECODE"]


def test_a_nul_byte_is_refused(world: Path) -> None:
    """It could be passed to no program."""
    with pytest.raises(MdtmuxError, match="NUL"):
        launch.command(world, "/bin", ("x", "a\0b"))
    with pytest.raises(MdtmuxError, match="NUL"):
        launch.pane_environment({"A": "a\0b"})
