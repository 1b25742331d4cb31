"""The top of an office file: names, places, tmux, sizes, keys to come."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mdtmux.office.file import load
from mdtmux.office.model import TmuxOptions
from mdtmux.office.schema import BUFFER, WORKTREES
from tests.support.office_files import fault, office, write

AGENTS = "agents: [{name: a, kind: clerk}]\n"


def test_an_office_needs_only_its_agents() -> None:
    """Everything else has the manual's default; the name is the folder's."""
    path = write(AGENTS, Path("My Project é"))
    found = load(path)
    assert found.name == "My-Project"
    assert found.repo == path.parent.absolute()
    assert found.file == path.absolute()
    assert (found.version, found.base, found.worktrees) == (None, "HEAD", WORKTREES)
    assert (found.buffer, found.tmux) == (BUFFER, TmuxOptions())


def test_every_key_of_the_top_arrives() -> None:
    """What the file says is what the value holds."""
    found = office(
        "name: scranton\nversion: 7\nrepo: ../app\nbase: origin/main\n"
        "worktrees: ~/wt/{repo}/{office}-{agent}\nbuffer: 512KB\n"
        "tmux: {socket: default, layout: main-vertical, size: 120x40, panes_per_window: 3,"
        " status: on}\n" + AGENTS
    )
    assert (found.name, found.version, found.base) == ("scranton", "7", "origin/main")
    assert found.repo == Path.cwd().parent / "app"
    assert found.worktrees == f"{Path.home()}/wt/{{repo}}/{{office}}-{{agent}}"
    assert found.buffer == 512_000
    assert found.tmux == TmuxOptions("default", "main-vertical", 120, 40, 3, "on")


def test_an_office_may_have_processes_only() -> None:
    """A set of side processes is an office too."""
    found = office("processes: [{name: web, command: make serve}]\n")
    assert [one.is_process for one in found.agents] == [True]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("buffer: 12:30", "buffer: `12:30` is not understood; write it like 512KB, 2MB or 1GiB"),
        ("buffer: -1MB", "buffer: `-1MB` is not understood; write it like 512KB, 2MB or 1GiB"),
        ("buffer: .inf", "buffer: `.inf` is not understood; write it like 512KB, 2MB or 1GiB"),
        ("buffer: 1", "buffer: `1` is not between 64.0KB and 1.0GB"),
        ("buffer: 2GB", "buffer: `2GB` is not between 64.0KB and 1.0GB"),
        ("buffer: [2MB]", "buffer: expected a size like 512KB, 2MB or 1GiB, got a list"),
        ("repo: ~no-such-user-here/x", "repo: `~no-such-user-here/x`: there is no such user"),
        ("repo: ''", "repo: cannot be empty"),
        ("base: ''", "base: cannot be empty"),
        ("worktrees: ../wt",
         "worktrees: the template must hold {agent} (or all agents get one folder)"),
        (
            "worktrees: '../{agent}/{branch}'",
            "worktrees: `{branch}` is no placeholder (there are {repo}, {office}, {agent})",
        ),
        ("worktrees: '../{agent}/{'",
         "worktrees: `{` is no placeholder (there are {repo}, {office}, {agent})"),
        ("tmux: {size: 200}", "tmux > size: expected columns and rows like 200x50, got `200`"),
        ("tmux: {size: 10x4}", "tmux > size: `10x4` is not between 20x5 and 1000x1000"),
        ("tmux: {panes_per_window: 17}",
         "tmux > panes_per_window: expected a whole number from 1 to 16, got `17`"),
        ("tmux: {panes_per_window: 010}",
         "tmux > panes_per_window: expected a whole number from 1 to 16, got `010`"),
        ("tmux: {panes_per_window: 2.0}",
         "tmux > panes_per_window: expected a whole number from 1 to 16, got `2.0`"),
        ("tmux: {layout: tield}",
         "tmux > layout: expected one of tiled, even-horizontal, even-vertical, "
         "main-horizontal, main-vertical, got `tield` (did you mean `tiled`?)"),
        ("tmux: {socket: mine}", "tmux > socket: expected one of own, default, got `mine`"),
        ("tmux: {status: maybe}", "tmux > status: expected one of auto, on, off, got `maybe`"),
        ("tmux: own", "tmux: expected a mapping, got `own`"),
        ("kind: clerk",
         "kind: the office has no such key "
         "(it is a key of an agent, or of `defaults` for all agents)"),
        ("defaults: []", "defaults: expected a mapping, got a list"),
        ("max_active: 6", "max_active: not supported yet"),
        ("clones: []", "clones: not supported yet"),
        ("gateway: {}", "gateway: not supported yet"),
        ("factory: {}", "factory: not supported yet"),
        ("schedule: {}", "schedule: not supported yet"),
    ],
)  # fmt: skip
def test_tops_that_are_refused(line: str, message: str) -> None:
    """Each fault has one message with the path of its key."""
    assert fault(f"{line}\n{AGENTS}").partition(": at ")[2] == message


def test_panes_must_not_get_too_small() -> None:
    """A size in which tmux could not show the agents is refused with the figures (C30)."""
    agents = "".join(f"- {{name: a{n}, kind: clerk}}\n" for n in range(4))
    text = f"tmux: {{size: 40x10}}\nagents:\n{agents}"
    assert fault(text) == (
        "1:1: at tmux: 4 panes tiled in 40x10 would be 19x3, smaller than 20x5 "
        "(give a larger `size` or fewer `panes_per_window`)"
    )
    assert len(office(text.replace("40x10", "40x10, panes_per_window: 1")).agents) == 4
    assert (
        office("tmux: {size: 20x6, panes_per_window: 16}\n" + AGENTS).tmux.width == 20
    )


def test_the_users_own_keys_are_a_place_for_anchors() -> None:
    """Keys that begin with x- are left alone, at the top alone."""
    assert office("x-a: {any: [thing]}\n" + AGENTS).agents
    assert "x-b: unknown key" in fault("agents: [{name: a, kind: clerk, x-b: 1}]\n")


def test_one_office_from_everywhere(world: Path) -> None:
    """By relative path, absolute path and link, from here and there: the same (C61)."""
    folder = Path.cwd() / "off"
    path = write(
        "repo: ./app\n" + AGENTS.replace("}]", ", worktree: false, dir: ~/w}]"), folder
    )
    (world / "link").symlink_to(folder)
    (world / "office.yaml").symlink_to(path)
    found = [
        load(Path("off/office.yaml")),
        load(path),
        load(world / "link/office.yaml"),
    ]
    os.chdir("/")
    found += [load(path), load(world / "office.yaml")]
    assert all(one == found[0] for one in found)
    assert found[0].repo == folder / "app"
    assert found[0].agents[0].dir == str(Path.home() / "w")


def test_tilde_stays_in_texts() -> None:
    """Only paths have their `~` expanded."""
    found = office(
        "agents: [{name: a, command: [x, ~/y], env: {A: ~/z}, prompt: ~/p}]\n"
    ).agents[0]
    assert (found.command, found.env, found.prompt) == (
        ("x", "~/y"),
        (("A", "~/z"),),
        "~/p",
    )


def test_a_large_office_is_read() -> None:
    """No limit below what a machine can run."""
    rows = "".join(f"- {{name: a{n}, kind: clerk, prompt: x}}\n" for n in range(2000))
    assert len(office(f"agents:\n{rows}").agents) == 2000
