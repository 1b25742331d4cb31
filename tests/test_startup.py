"""What starts fast loads little: counts of modules, never times."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from mdtmux.cli.main import HIDDEN, VERBS

HEAVY = {
    "libtmux", "git", "psutil", "filelock", "yaml", "rich", "textual", "pydantic",
    "asyncio", "pyte", "subprocess", "importlib.metadata", "logging", "sqlite3",
    "concurrent.futures", "shutil", "tempfile", "random",
}  # fmt: skip
# Runs the command line with its arguments, then says on stderr what has been loaded.
PROBE = """
import atexit, json, os, sys
atexit.register(lambda: os.write(2, b"\\nLOADED " + json.dumps(list(sys.modules)).encode()))
from mdtmux.cli.main import main
main()
"""


def _loaded(*args: str, **env: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *args],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **env},
    )
    said, _, loaded = done.stderr.rpartition("LOADED ")
    assert (done.returncode, said.strip()) == (0, "")
    assert done.stdout, "nothing was printed"
    return set(json.loads(loaded))


def _tab(*words: str) -> set[str]:
    line = "\x1f".join(words)
    return _loaded(_MDTMUX_COMPLETE="bash_complete", _MDTMUX_WORDS=line)


@pytest.mark.parametrize("option", ["--help", "-h", "--version"])
def test_help_and_version_load_nothing_heavy(option: str) -> None:
    """Help costs what click costs."""
    assert _loaded(option) & HEAVY == set()


def test_a_tab_on_a_verb_loads_nothing_heavy() -> None:
    """Tab after the program's name loads no verb at all."""
    loaded = _tab("")

    assert loaded & HEAVY == set()
    assert {f"mdtmux.cli.{module}" for module, _ in VERBS.values()} & loaded == set()


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in HIDDEN])
def test_a_tab_inside_a_verb_loads_nothing_heavy(verb: str) -> None:
    """Tab on a verb's options loads that verb's module and click, no library."""
    assert _tab(verb, "--h") & HEAVY == set()


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in HIDDEN])
def test_the_help_of_a_verb_loads_nothing_heavy(verb: str) -> None:
    """Asking what a verb does is as fast as asking what there is."""
    # The clerk is a program of its own: argparse lays out its help by way of shutil.
    own = {"shutil"} if verb == "clerk" else set()

    assert (_loaded(verb, "--help") & HEAVY) - own == set()


def test_the_probe_sees_what_is_loaded() -> None:
    """A probe that could not fail would prove nothing."""
    assert {"click", "mdtmux.cli.completing"} <= _loaded("--help")
