"""The values that Tab offers come from the right files, and never raise."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdtmux.cli.completing import (
    complete_agent,
    complete_file_or_agent,
    complete_office,
    complete_taker,
    complete_template,
)
from mdtmux.cli.main import HIDDEN, VERBS, cli
from mdtmux.cli.values import KINDS, agents_in, layouts
from mdtmux.office import values

ARGUMENT = click.Argument(["agent"], nargs=-1)


def _state(world: Path, folder: str, name: str, file: Path, *agents: str) -> Path:
    path = world / "home/.local/state/mdtmux" / folder
    path.mkdir(parents=True)
    rows = [{"name": agent, "role": "worker", "kind": "clerk"} for agent in agents]
    value = {"name": name, "file": str(file), "repo": str(file.parent), "agents": rows}
    (path / "office.json").write_text(json.dumps(value), encoding="utf-8")
    return path


def _context(**params: object) -> click.Context:
    root = click.Context(cli, info_name="mdtmux")
    root.params = {"file": None, "office": None, **params}
    return click.Context(click.Command("wait"), root)


def _agents(incomplete: str = "", **params: object) -> list[str]:
    found = complete_agent(_context(**params), ARGUMENT, incomplete)
    return [item.value for item in found]


def test_agents_of_the_office_file_found_by_walking_up(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Agents that run and agents that the file has meanwhile gained are offered."""
    file = world / "here/office.yaml"
    file.write_text("agents:\n  - name: jim\n  - name: pam\n", encoding="utf-8")
    _state(world, "scranton-1", "scranton", file, "michael", "jim")
    _state(world, "utica-2", "utica", world / "elsewhere.yaml", "karen")
    (world / "here/deep").mkdir()
    monkeypatch.chdir(world / "here/deep")

    assert _agents() == ["michael", "jim", "pam"]
    assert _agents("p") == ["pam"]


def test_an_agent_that_was_spawned_is_offered(world: Path) -> None:
    """An agent that only has a record of its run is an agent too."""
    state = _state(world, "scranton-1", "scranton", world / "a.yaml", "jim")
    (state / "runs").mkdir()
    (state / "runs/dwight.json").write_text("{}", encoding="utf-8")

    assert _agents(office="scranton") == ["jim", "dwight"]


def test_the_named_office_wins_over_the_pane_and_the_folder(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`-o`, then `-f`, then the pane's own office decide whose agents are meant."""
    mine = world / "here/office.yaml"
    mine.write_text("agents: [{name: pam}]\n", encoding="utf-8")
    _state(world, "scranton-1", "scranton", world / "a.yaml", "michael")
    _state(world, "utica-2", "utica", world / "b.yaml", "karen")
    monkeypatch.setenv("MDTMUX_OFFICE", "utica")

    assert _agents(office="scranton") == ["michael"]
    assert _agents(office="utica-2") == ["karen"]
    assert _agents(file=str(mine)) == ["pam"]
    assert _agents() == ["karen"]


def test_where_no_office_is_near_the_only_one_is_meant(world: Path) -> None:
    """Of several none: the command itself would ask which one is meant."""
    _state(world, "scranton-1", "scranton", world / "a.yaml", "michael", "jim")
    assert _agents() == ["michael", "jim"]
    utica = _state(world, "utica-2", "utica", world / "b.yaml", "jim", "karen")
    assert _agents() == []
    (utica / "runs").mkdir()
    run = json.dumps({"worktree": str(world / "here")})
    (utica / "runs/karen.json").write_text(run, encoding="utf-8")
    assert _agents() == ["jim", "karen"]


def test_a_file_that_was_renamed_offers_its_last_office(world: Path) -> None:
    """Agents of the office that it was before are none of this one."""
    file = world / "here/office.yaml"
    file.write_text("agents: [{name: pam}]\n", encoding="utf-8")
    old = _state(world, "scranton-2", "scranton", file, "michael")
    _state(world, "nashua-1", "nashua", file, "pam")
    os.utime(old / "office.json", (1, 1))

    assert _agents() == ["pam"]


@pytest.mark.parametrize("office", ["scranton", None])
def test_who_takes_no_text_is_not_offered_for_it(
    world: Path, office: str | None
) -> None:
    """`send <Tab>` and `mail send <Tab>` know agents, not side processes."""
    file = world / "here/office.yaml"
    file.write_text(
        "agents: [{name: jim}, {name: pam}]\nprocesses:\n- name: web\n",
        encoding="utf-8",
    )
    state = _state(world, "scranton-1", "scranton", file, "jim")
    value = json.loads((state / "office.json").read_text())
    value["agents"].append({"name": "web", "process": True})
    (state / "office.json").write_text(json.dumps(value))
    (state / "runs").mkdir()
    for name in ("jim", "web", "dwight"):
        (state / f"runs/{name}.json").write_text("{}", encoding="utf-8")

    found = complete_taker(_context(office=office), ARGUMENT, "")

    assert "web" in _agents(office=office)
    wanted = ["jim", "dwight"] + ([] if office else ["pam"])
    assert [item.value for item in found] == wanted


def test_agents_already_named_are_not_offered_again(world: Path) -> None:
    """`mdtmux wait jim <Tab>` does not say `jim` a second time."""
    _state(world, "scranton-1", "scranton", world / "a.yaml", "michael", "jim")
    context = _context()
    context.params = {"agent": ("jim",)}

    found = complete_agent(context, ARGUMENT, "")

    assert [(item.value, item.help) for item in found] == [("michael", "worker, clerk")]


def test_offices_of_one_name_get_their_longer_name(world: Path) -> None:
    """Two offices called alike are offered by what tells them apart."""
    _state(world, "scranton-1", "scranton", world / "a.yaml")
    _state(world, "scranton-2", "scranton", world / "b.yaml")
    _state(world, "utica-3", "utica", world / "c.yaml")

    found = complete_office(_context(), ARGUMENT, "")

    assert [item.value for item in found] == ["scranton-1", "scranton-2", "utica"]


@pytest.mark.parametrize(
    "text", ["", "[]", "null", '{"name": 1}', '{"name": "a", "agents": [1]}', "{", "\0"]
)
def test_a_broken_state_file_is_nothing(world: Path, text: str) -> None:
    """A Tab never shows an error for a state file that cannot be read."""
    path = world / "home/.local/state/mdtmux/broken-1"
    path.mkdir(parents=True)
    (path / "office.json").write_text(text, encoding="utf-8")

    assert _agents() == []


def test_files_are_offered_where_no_agent_fits(world: Path) -> None:
    """`mdtmux up sub/<Tab>` completes names of files."""
    _state(world, "scranton-1", "scranton", world / "a.yaml", "michael")

    files = complete_file_or_agent(_context(), ARGUMENT, "sub/")
    agents = complete_file_or_agent(_context(), ARGUMENT, "mi")

    assert [(item.type, item.value) for item in files] == [("file", "sub/")]
    assert [(item.type, item.value) for item in agents] == [("plain", "michael")]


def test_templates_are_those_of_the_layouts_folder() -> None:
    """Every template that ships is offered by name."""
    found = complete_template(_context(), ARGUMENT, "")

    assert [item.value for item in found] == sorted(
        file.stem for file in layouts().glob("*.yaml")
    )


OFFICE = """\
name: scranton
defaults: {kind: claude, name: nobody}
agents:
  - name: michael
    role: boss
    prompt: |
      name: nobody
      - name: nobody
  # - name: commented
  - role: worker
    name: "jim"   # a comment
    env:
      name: nobody
    setup:
      - name: nobody
  - {kind: claude, name: pam}
  -   name: kelly
      kind: clerk
processes:
- name: web
  command: serve
- {name: db, command: serve}
tmux: {name: nobody}
"""


def test_names_are_read_off_the_lines_of_an_office_file() -> None:
    """Names of agents and processes are found, other keys called `name` are not."""
    assert agents_in(OFFICE) == ["michael", "jim", "pam", "kelly", "web", "db"]
    assert agents_in("clones: [{name: a, x: 1}, {name: b}]") == ["a", "b"]
    assert agents_in("agents: [{name: a},\n  {name: b}]\nrepo: .\n") == ["a", "b"]


@given(st.text(alphabet=st.sampled_from("agents: \n-{}[]name#'\"x|,"), max_size=200))
def test_any_text_can_be_scanned(text: str) -> None:
    """A file that is being written never makes Tab fail."""
    assert isinstance(agents_in(text), list)


def _agent_arguments() -> list[tuple[str, str]]:
    visible = [verb for verb in VERBS if verb not in HIDDEN]
    commands = {verb: cli.get_command(click.Context(cli), verb) for verb in visible}
    return [
        (verb, param.name)
        for verb, command in commands.items()
        for param in (command.params if command else [])
        if param.name in ("agent", "agents", "names")
    ]


@pytest.mark.parametrize(("verb", "name"), _agent_arguments())
def test_every_verb_that_takes_an_agent_offers_agents(
    world: Path, verb: str, name: str
) -> None:
    """No verb forgets to complete the agents that it is about."""
    _state(world, "scranton-1", "scranton", world / "a.yaml", "jim")
    command = cli.get_command(click.Context(cli), verb)
    assert command is not None
    context = click.Context(command, _context())
    param = next(param for param in command.params if param.name == name)

    found = param.shell_complete(context, "j")

    assert [item.value for item in found] == ["jim"]


def test_up_offers_the_agents_of_the_file_it_was_given(world: Path) -> None:
    """`mdtmux up other.yaml <Tab>` knows whose agents are meant."""
    (world / "here/office.yaml").write_text("agents: [{name: jim}]\n", encoding="utf-8")
    (world / "here/other.yaml").write_text("agents: [{name: pam}]\n", encoding="utf-8")
    context = _context()
    context.params = {"names": ("other.yaml",)}

    found = complete_file_or_agent(context, click.Argument(["names"], nargs=-1), "")

    assert [item.value for item in found] == ["pam"]


def test_as_offers_the_one_kind_that_it_takes() -> None:
    """`up --as <Tab>` offers nothing that `up` would refuse."""
    command = cli.get_command(click.Context(cli), "up")
    assert command is not None
    param = next(param for param in command.params if param.name == "as_kind")

    found = param.shell_complete(click.Context(command, _context()), "")

    assert [item.value for item in found] == ["clerk"]


def test_kinds_are_those_of_the_office_file() -> None:
    """The kinds that Tab offers are the kinds that the office file takes."""
    assert KINDS == values.KINDS
