"""`make demo` and `make test` bring what a fresh machine lacks, or say how."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.shells import ROOT

# What the script itself may use of any machine.
COMMON = ("sh", "dirname", "cksum", "cat", "tail", "mktemp", "rm")


def _machine(world: Path, user: int, **programs: str) -> Path:
    """Make a clone of the project and a PATH with just these programs, as scripts."""
    clone = world / "a clone"
    (clone / "scripts").mkdir(parents=True)
    shutil.copy(ROOT / "scripts/setup.sh", clone / "scripts")
    shutil.copy(ROOT / "pyproject.toml", clone)
    bin_ = world / "bin"
    bin_.mkdir()
    for name in COMMON:
        (bin_ / name).symlink_to(shutil.which(name) or "")
    for name, script in {"id": f"echo {user}", **programs}.items():
        file = bin_ / name.replace("_", "-")
        file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        file.chmod(0o755)
    return clone


def _setup(clone: Path, purpose: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", str(clone / "scripts/setup.sh"), purpose],
        env={**os.environ, "PATH": str(clone.parent / "bin")},
        capture_output=True,
        text=True,
        check=False,
    )


PYTHON = f'exec "{sys.executable}" "$@"'


@pytest.mark.parametrize(
    ("manager", "command"),
    [
        ("apt_get", "apt-get install -y --no-install-recommends"),
        ("dnf", "dnf install -y"),
        ("pacman", "pacman -S --needed --noconfirm"),
        ("apk", "apk add"),
        ("zypper", "zypper --non-interactive install"),
    ],
)
def test_without_root_it_says_the_one_command(
    world: Path, manager: str, command: str
) -> None:
    """Everything that is missing stands in one line that can be pasted."""
    clone = _machine(world, 1000, python3=PYTHON, git="", **{manager: "exit 9"})

    done = _setup(clone, "test")

    assert done.returncode == 1
    assert done.stderr == (
        f"error: missing: tmux zsh fish\nhint: type: sudo {command} tmux zsh fish\n"
    )
    assert not (clone / ".venv").exists()


def test_the_demo_needs_no_shells(world: Path) -> None:
    """The shells zsh and fish are for the tests alone."""
    clone = _machine(world, 1000, python3=PYTHON, git="", apt_get="")

    assert "missing: tmux\n" in _setup(clone, "run").stderr


def test_without_python_it_asks_for_that_too(world: Path) -> None:
    """A machine whose Python is too old gets a newer one by the same command."""
    old = 'case "$*" in *version_info*) exit 1 ;; esac'
    clone = _machine(world, 1000, python3=old, git="", tmux="", apt_get="")

    assert _setup(clone, "run").stderr.endswith(" python3 python3-venv\n")


def test_a_python_without_ensurepip_gets_its_venv_package(world: Path) -> None:
    """Debian's python3 makes no virtual environment until python3.X-venv is there."""
    no_venv = f'case "$*" in *ensurepip*) exit 1 ;; esac; {PYTHON}'
    clone = _machine(world, 1000, python3=no_venv, git="", tmux="", apt_get="")
    version = f"{sys.version_info.major}.{sys.version_info.minor}"

    assert f"missing: python{version}-venv\n" in _setup(clone, "run").stderr


def test_root_installs_in_one_go(world: Path) -> None:
    """As root it brings the packages itself, after a look for their newest list."""
    log = world / "log"
    apt = f'echo "$@" >> {log}; [ "$1" = update ] || exit 7'
    clone = _machine(world, 0, python3=PYTHON, git="", apt_get=apt)

    done = _setup(clone, "test")

    assert log.read_text(encoding="utf-8").splitlines() == [
        "update",
        "install -y --no-install-recommends tmux zsh fish",
    ]
    assert done.returncode == 1
    assert "error: could not install: tmux zsh fish" in done.stderr


def test_homebrew_needs_no_root(world: Path) -> None:
    """On macOS the person's own user installs."""
    log = world / "log"
    brew = f'echo "$@" >> {log}; exit 7'
    clone = _machine(world, 501, python3=PYTHON, git="", brew=brew)

    _setup(clone, "run")

    assert log.read_text(encoding="utf-8") == "install tmux\n"


def test_without_a_package_manager_it_names_what_is_missing(world: Path) -> None:
    """An unknown system gets the list and keeps the choice of means."""
    clone = _machine(world, 0, python3=PYTHON, git="")

    done = _setup(clone, "run")

    assert (done.returncode, done.stderr) == (
        1,
        "error: missing: tmux\nhint: install them with your package manager\n",
    )


def test_what_is_ready_is_left_alone(world: Path) -> None:
    """A second run finds its mark, starts no pip and says nothing."""
    programs = dict.fromkeys(("git", "tmux", "zsh", "fish"), "")
    clone = _machine(world, 1000, python3=PYTHON, **programs)
    venv = clone / ".venv/bin"
    venv.mkdir(parents=True)
    (venv / "python").write_text("#!/bin/sh\nexit 9\n", encoding="utf-8")
    (venv / "python").chmod(0o755)
    project = (clone / "pyproject.toml").read_bytes()
    sums = subprocess.run(["cksum"], input=project, capture_output=True, check=True)
    mark = f"{clone} {sums.stdout.decode().strip()}\n"
    (clone / ".venv/mdtmux-test").write_text(mark, encoding="utf-8")

    done = _setup(clone, "test")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
