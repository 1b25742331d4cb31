"""`mdtmux config` as people type it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.cli import run
from tests.support.office_files import write
from tests.support.repos import git

GOOD = """\
name: lab
version: 1.10
agents:
  - name: jim
    command: [run, "a b", "$(x)", "`y`"]
    env: {TOKEN: s3cret-value}
    prompt: |
      say `hello`
      twice
  - {name: michael, kind: clerk, role: boss, worktree: false}
processes:
  - {name: web, shell: make serve | tee log}
"""
BAD = "name: my.app\nagents:\n- {name: a, comand: x, kind: clerk}\n"


def make_repository() -> None:
    """Make a repository with one commit in the working directory."""
    git(Path(), "init", "-q", "-b", "main")
    git(Path(), "commit", "-q", "--allow-empty", "-m", "first")


def test_validate_says_what_is_there() -> None:
    """One line on stdout, nothing on stderr, nothing started or made."""
    write(GOOD.replace("[run,", "[sh,"))
    make_repository()
    before = sorted(Path().rglob("*"))
    done = run("config", "validate")
    assert (done.code, done.out, done.err) == (
        0,
        "office.yaml: ok — 2 agents, 1 process\n",
        "",
    )
    assert sorted(Path().rglob("*")) == before
    assert not (Path.home() / ".local").exists()


def test_validate_warns_of_what_this_machine_lacks() -> None:
    """The file is all right; the repository, a base or a program may be elsewhere."""
    write(f"{GOOD}base: nonsense\n")
    before = run("config", "validate")
    make_repository()
    after = run("config", "validate")

    assert (before.code, after.code) == (0, 0)
    assert before.out == after.out == "office.yaml: ok — 2 agents, 1 process\n"
    assert "is not in a git repository; bases and programs" in before.err
    assert after.err == (
        "warning: base `nonsense`: no such branch, tag or commit in"
        f" `{Path.cwd()}`\nwarning: `jim`: run: not found on PATH\n"
    )


def test_a_wrong_repository_or_base_is_a_fault_of_the_file() -> None:
    """`up` exits with 2, as for any other; nothing is made."""
    write("repo: elsewhere\nagents: [{name: a, kind: clerk}]\n")
    no_folder = run("up")
    write("base: nonsense\nagents: [{name: a, kind: clerk}]\n")
    no_repository = run("up")
    make_repository()
    no_base = run("up")

    assert [one.code for one in (no_folder, no_repository, no_base)] == [2, 2, 2]
    assert "error: repo: there is no folder" in no_folder.err
    assert "error: repo: `" in no_repository.err
    assert "error: base `nonsense`: no such branch" in no_base.err


def test_validate_finds_the_file_above_and_by_name() -> None:
    """By walking up, by FILE, and by -f."""
    path = write("agents: [{name: a, kind: clerk}]\n")
    Path("deep/er").mkdir(parents=True)
    other = Path("other.yaml")
    other.write_text(
        "agents: [{name: a, kind: clerk}, {name: b, kind: clerk}]\n", encoding="utf-8"
    )
    assert (
        run("config", "validate", cwd="deep/er").out
        == f"{path.absolute()}: ok — 1 agent\n"
    )
    assert run("config", "validate", "other.yaml").out == "other.yaml: ok — 2 agents\n"
    assert (
        run("-f", "other.yaml", "config", "validate").out
        == "other.yaml: ok — 2 agents\n"
    )


def test_validate_tells_every_problem_and_exits_with_2() -> None:
    """On stderr, each with its place."""
    write(BAD)
    done = run("config", "validate")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: office.yaml:1:1: at name: `my.app`: `.` cannot stand there: names are "
        "letters, digits, - and _, a letter or digit first\n"
        "office.yaml:3:13: at agents[1] 'a' > comand: unknown key (did you mean `command`?)\n"
    )


def test_validate_without_a_file_is_an_error() -> None:
    """Nothing to check is not all right."""
    done = run("config", "validate")
    assert (done.code, done.out) == (2, "")
    assert "office file" in done.err
    assert run("config", "validate", "missing.yaml").code == 2


def test_validate_as_json() -> None:
    """Problems as records, for editors and scripts; the exit code stays 2."""
    write(BAD)
    done = run("config", "validate", "--json")
    assert done.code == 2
    found = done.json()
    assert isinstance(found, dict)
    assert (found["file"], found["ok"]) == ("office.yaml", False)
    assert [(one["line"], one["column"], one["path"]) for one in found["problems"]] == [
        (1, 1, "name"),
        (3, 13, "agents[1] 'a' > comand"),
    ]
    write(GOOD)
    no_repo = (
        f"repo: `{Path.cwd()}` is not in a git repository;"
        " bases and programs were not looked for"
    )
    done = run("config", "validate", "--json")
    assert (done.code, done.json()) == (
        0,
        {"file": "office.yaml", "ok": True, "problems": [], "warnings": [no_repo]},
    )


def test_show_prints_the_final_argv_and_no_secret() -> None:
    """What would run, word by word; of variables the names alone (C60)."""
    write(GOOD)
    done = run("config", "show")
    assert done.code == 0
    assert "  argv       run 'a b' '$(x)' '`y`'\n" in done.out
    assert "  argv       /bin/sh -c 'make serve | tee log' sh\n" in done.out
    assert "version      1.10\n" in done.out
    assert "  env        TOKEN\n" in done.out
    assert "  prompt     18B\n" in done.out
    assert "s3cret" not in done.out + done.err
    assert "hello" not in done.out
    assert "say `hello`\n" in run("config", "show", "--prompts").out


def test_show_as_json() -> None:
    """The office with every default filled in."""
    write(GOOD)
    found = run("config", "show", "--json").json()
    assert isinstance(found, dict)
    assert found["repo"] == str(Path.cwd())
    agents = {one["name"]: one for one in found["agents"]}
    assert list(agents) == ["michael", "jim", "web"]
    assert agents["jim"]["argv"] == ["run", "a b", "$(x)", "`y`"]
    assert (agents["jim"]["branch"], agents["jim"]["worktree"]) == ("lab/jim", True)
    assert (agents["michael"]["branch"], agents["michael"]["worktree"]) == (None, False)
    assert agents["jim"]["prompt_bytes"] == 18
    assert "prompt" not in agents["jim"]
    assert "s3cret" not in json.dumps(found)
    full = run("config", "show", "--json", "--prompts").json()
    assert isinstance(full, dict)
    assert full["agents"][1]["prompt"] == "say `hello`\ntwice\n"


def test_schema_is_what_the_reader_reads_by() -> None:
    """Printed on stdout, ready to be saved."""
    found = run("config", "schema").json()
    assert isinstance(found, dict)
    assert "agents" in found["properties"]
