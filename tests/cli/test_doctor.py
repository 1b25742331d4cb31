"""`mdtmux doctor` names what is missing on machines that miss it."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import cast

import pytest

from mdtmux.cli.checks import parse_version
from tests.support.cli import Result, run

Row = dict[str, str]


def _machine(world: Path, **programs: str) -> dict[str, str]:
    """Make a PATH on which there are just these programs, given as shell scripts."""
    folder = world / "machine"
    folder.mkdir()
    for name, script in programs.items():
        file = folder / name.replace("_", "-")
        file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        file.chmod(0o755)
    return {"PATH": str(folder)}


def _rows(result: Result) -> dict[str, Row]:
    return {row["name"]: row for row in cast("list[Row]", result.json())}


GIT = 'case $1 in var) echo "A <a@b> 1 +0000" ;; *) echo "git version 2.39.5" ;; esac'


def test_a_machine_that_has_everything_is_well() -> None:
    """On a machine that can run the tests nothing required is missing."""
    result = run("doctor", "--json")

    assert result.code == 0
    assert "missing" not in {row["verdict"] for row in _rows(result).values()}


def test_it_prints_a_line_for_each_thing(world: Path) -> None:
    """People get a table, and below it the commands that help."""
    result = run("doctor", env=_machine(world, git=GIT, brew="exit 1"))

    assert "missing   tmux" in result.out
    assert "\ntmux: brew install tmux\n" in result.out
    assert result.err == "error: missing: tmux\n"
    assert result.code == 1


@pytest.mark.parametrize(
    ("tool", "command"),
    [
        ("apt_get", "apt-get install -y --no-install-recommends tmux"),
        ("dnf", "dnf install -y tmux"),
        ("pacman", "pacman -S --needed --noconfirm tmux"),
        ("apk", "apk add tmux"),
        ("brew", "brew install tmux"),
    ],
)
def test_the_command_is_that_of_the_system(
    world: Path, tool: str, command: str
) -> None:
    """Each package manager gets its own words, with sudo where it takes root."""
    rows = _rows(run("doctor", "--json", env=_machine(world, **{tool: "exit 1"})))

    sudo = "" if os.geteuid() == 0 or tool == "brew" else "sudo "
    assert rows["tmux"]["fix"] == sudo + command
    assert rows["git"]["verdict"] == "missing"


def test_without_a_known_manager_it_still_says_what_to_do(world: Path) -> None:
    """A system that mdtmux does not know gets a sentence."""
    rows = _rows(run("doctor", "--json", env=_machine(world)))

    assert rows["tmux"]["fix"] == "install tmux with your package manager"


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("tmux 3.1c", "missing"),
        ("tmux 2.9", "missing"),
        ("tmux 3.2", "ok"),
        ("tmux 3.10", "ok"),
        ("tmux next-3.6", "ok"),
        ("tmux master", "warning"),
    ],
)
def test_versions_are_compared_as_numbers(world: Path, said: str, verdict: str) -> None:
    """3.10 is newer than 3.2, and a version that cannot be told is only a warning."""
    machine = _machine(world, tmux=f"echo {said}", git=GIT)

    result = run("doctor", "--json", env=machine)

    assert _rows(result)["tmux"]["verdict"] == verdict
    assert result.code == (1 if verdict == "missing" else 0)


def test_an_old_git_is_missing(world: Path) -> None:
    """A git that cannot list worktrees reliably counts as missing."""
    machine = _machine(world, tmux="echo tmux 3.4", git="echo git version 2.30.2")

    rows = _rows(run("doctor", "--json", env=machine))

    assert (
        rows["git"]["found"] == "git version 2.30.2 is too old; 2.36 or newer is needed"
    )


def test_fix_installs_what_is_required_and_looks_again(world: Path) -> None:
    """`--fix` runs the manager once for all packages, then judges the result."""
    log = world / "log"
    machine = _machine(
        world,
        git=GIT,
        brew=f"echo \"$@\" >> {log}; echo '#!/bin/sh\necho tmux 3.4' > "
        f"{world}/machine/tmux; /bin/chmod +x {world}/machine/tmux",
    )

    result = run("doctor", "--fix", "--json", env=machine)

    assert log.read_text(encoding="utf-8") == "install tmux\n"
    assert _rows(result)["tmux"]["verdict"] == "ok"
    assert (result.code, result.err) == (0, "installing: tmux\n")


def test_a_failed_installation_tells_the_managers_words(world: Path) -> None:
    """When the manager fails, its last lines are shown and the exit code is 1."""
    machine = _machine(world, git=GIT, brew="echo no such formula >&2; exit 1")

    result = run("doctor", "--fix", env=machine)

    assert result.code == 1
    assert "`brew` could not install tmux:\nno such formula" in result.err


def test_fix_touches_nothing_when_nothing_is_missing(world: Path) -> None:
    """Optional things are named, never installed."""
    log = world / "log"
    machine = _machine(world, git=GIT, tmux="echo tmux 3.4", brew=f"echo $1 >> {log}")

    result = run("doctor", "--fix", "--json", env=machine)

    assert _rows(result)["fish"]["verdict"] == "optional"
    assert not log.exists()


def test_no_identity_for_commits_is_a_warning(world: Path) -> None:
    """Agents that could not commit are foreseen."""
    (world / "home/.gitconfig").write_text(
        "[user]\n    useConfigOnly = true\n", encoding="utf-8"
    )

    rows = _rows(run("doctor", "--json"))

    assert rows["git identity"]["verdict"] == "warning"
    assert "git config --global user.name" in rows["git identity"]["fix"]


def test_a_socket_path_that_is_too_long_is_foreseen(world: Path) -> None:
    """A folder so deep that no tmux server could listen there is named."""
    deep = world / ("d" * 100)
    deep.mkdir()

    result = run("doctor", "--json", env={"TMUX_TMPDIR": str(deep)})

    assert _rows(result)["socket"]["verdict"] == "missing"
    assert "TMUX_TMPDIR" in _rows(result)["socket"]["fix"]


def test_a_state_folder_that_is_a_file_is_foreseen(world: Path) -> None:
    """State that cannot be kept is said before an office is half up."""
    (world / "file").touch()

    result = run("doctor", "--json", env={"XDG_STATE_HOME": str(world / "file")})

    assert _rows(result)["state"]["verdict"] == "missing"
    assert result.code == 1


def test_state_that_others_can_read_is_a_warning(world: Path) -> None:
    """Recordings and prompts are for one pair of eyes."""
    root = world / "home/.local/state/mdtmux"
    root.mkdir(parents=True)
    root.chmod(0o755)

    assert _rows(run("doctor", "--json"))["state"]["verdict"] == "warning"


def test_the_state_folder_it_makes_is_private(world: Path) -> None:
    """Looking at a fresh machine leaves a folder that nobody else can read."""
    run("doctor")

    root = world / "home/.local/state/mdtmux"
    assert stat.S_IMODE(root.stat().st_mode) == 0o700


def test_a_locale_without_utf8_is_a_warning() -> None:
    """`LC_ALL=C` is named: panes are UTF-8 all the same, the terminal is not."""
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}

    rows = _rows(run("doctor", "--json", env=env))

    assert rows["locale"]["verdict"] == "warning"


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("tmux 3.3a", (3, 3)),
        ("git version 2.39.5 (Apple Git-154)", (2, 39)),
        ("next-3.6", (3, 6)),
        ("master", None),
        ("", None),
    ],
)
def test_a_version_is_found_in_what_programs_say(
    text: str, version: tuple[int, int] | None
) -> None:
    """The first MAJOR.MINOR counts, whatever stands around it."""
    assert parse_version(text) == version
