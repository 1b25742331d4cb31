"""^C at any moment of a command's life: never a traceback."""

from __future__ import annotations

import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.support.cli import Result, run

ROOT = Path(__file__).resolve().parents[1]
# Interrupts the program when it is about to import the module that MOMENT names.
HOOK = """
import os, signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["MOMENT"]:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
"""


def _interrupted(world: Path, moment: str, *args: str, ignored: bool = False) -> Result:
    (world / "here/sitecustomize.py").write_text(HOOK, encoding="utf-8")
    words = [sys.executable, "-m", "mdtmux", *args]
    trap = "trap '' INT; " if ignored else ""
    path = f"PYTHONPATH={world / 'here'}:{ROOT} MOMENT={moment}"
    done = subprocess.run(
        ["sh", "-c", f'{trap}exec env {path} "$@"', "sh", *words],
        capture_output=True,
        text=True,
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("moment", ["mdtmux.cli", "click", "mdtmux.errors"])
def test_while_the_program_loads(world: Path, moment: str) -> None:
    """It ends by the signal, as a shell expects of it, and says nothing."""
    done = _interrupted(world, moment, "ps")

    assert (done.code, done.out, done.err) == (-signal.SIGINT, "", "")


def test_while_a_verb_loads(world: Path) -> None:
    """The command line is there and tells it in a word."""
    done = _interrupted(world, "mdtmux.cli.ps", "ps")

    assert (done.code, done.out, done.err) == (130, "", "interrupted\n")


@pytest.mark.parametrize("moment", ["click", "mdtmux.cli.completion"])
def test_who_ignores_it_is_not_interrupted(world: Path, moment: str) -> None:
    """A script's background job goes on."""
    done = _interrupted(world, moment, "completion", "bash", ignored=True)

    assert (done.code, done.out) == (0, run("completion", "bash").out)


def test_a_library_leaves_the_handlers_alone() -> None:
    """Importing the command line, as a tool may do, changes no signal's handler."""
    code = (
        "import signal; before = [signal.getsignal(n) for n in (2, 15)]\n"
        "import mdtmux.__main__, mdtmux.cli.main\n"
        "assert before == [signal.getsignal(n) for n in (2, 15)]"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_the_installed_program_starts_there() -> None:
    """The console script is the one that can be interrupted while it loads."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

    assert project["project"]["scripts"] == {"mdtmux": "mdtmux.__main__:main"}
