"""The throw-away world keeps its promises."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.conftest import _clean
from tests.support import leaks
from tests.support.wait import until

ORPHAN = """
import os, sys
if os.fork():
    sys.exit()
os.setsid()
os.closerange(0, 3)
os.execve("/bin/sleep", ["sleep", "300"], {"ANY": os.environ["HOME"]})
"""


def test_a_double_forked_process_with_a_scrubbed_environment_is_found(
    world: Path,
) -> None:
    """A process in a session of its own, without the marker, still counts as left."""
    mark = os.environ[leaks.MARK]
    subprocess.run([sys.executable, "-c", ORPHAN], check=True, cwd="/")

    def orphans() -> list[leaks.Leak]:
        # It is the interpreter for a moment, before it becomes the sleep.
        left = leaks.leaked(world, mark)
        return left if [one.command.split()[-1] for one in left] == ["300"] else []

    leaks.end(until(orphans, what="the orphan"))

    until(lambda: not leaks.leaked(world, mark), what="end of the orphan")


def test_a_tmux_server_left_on_any_socket_is_named_and_ended(world: Path) -> None:
    """A server that a test forgets is reported once and is gone afterwards."""
    subprocess.run(["tmux", "-L", "left", "-f/dev/null", "new", "-d"], check=True)

    left = _clean(world, os.environ[leaks.MARK])

    assert left[0].endswith("/left")
    assert _clean(world, os.environ[leaks.MARK]) == []


@pytest.mark.parametrize("name", ["HOME", "XDG_STATE_HOME", "TMUX_TMPDIR", "TMPDIR"])
def test_folders_of_the_world_are_used(world: Path, name: str) -> None:
    """Nothing that a program writes by default reaches the person's own folders."""
    assert os.environ[name].startswith(str(world))


def test_temporary_files_land_in_the_world(world: Path) -> None:
    """Python's own temporary folder is the world's too."""
    assert tempfile.gettempdir().startswith(str(world))


def test_pytest_folders_outlive_a_world(tmp_path: Path, world: Path) -> None:
    """The folders that pytest hands out are not inside a world that goes away."""
    assert not tmp_path.is_relative_to(world)


def test_waiting_in_vain_names_what_was_waited_for() -> None:
    """A wait that fails says for what and for how long."""
    with pytest.raises(AssertionError, match=r"the moon: not within 0\.01 s"):
        until(lambda: False, seconds=0.01, what="the moon")
