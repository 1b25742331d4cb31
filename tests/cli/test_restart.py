"""`mdtmux restart`, `start` and `ps`: what their options mean."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.support.cli import run, start
from tests.support.office import Lab, make_lab, tmux, tui
from tests.support.repos import git
from tests.support.wait import until

pytestmark = pytest.mark.usefixtures("tidy")


@pytest.fixture
def lab(world: Path) -> Lab:
    """Return a lab with a small repository."""
    return make_lab(world)


@pytest.mark.parametrize("verb", ["restart", "stop", "rm", "start", "down"])
def test_a_wrong_duration_is_told_before_anything_is_done(lab: Lab, verb: str) -> None:
    """Nobody is stopped by a command that then cannot go on."""
    lab.write([{"name": "a", "command": ["sleep", "99"]}])
    lab.ok("up")

    done = lab.run(verb, "a", "--timeout", "soon")

    assert (done.code, "--timeout: `soon`" in done.err) == (2, True)
    assert lab.rows()["a"]["state"] == "running"


def test_a_smaller_buffer_holds_after_a_restart(lab: Lab) -> None:
    """The newest output is kept, and no more is recorded than was asked for."""
    flood = "seq 1 60000; exec sleep 99"
    lab.write([{"name": "a", "shell": flood}], buffer="400KB")
    lab.ok("up")
    until(lambda: lab.ok("logs", "a", "-n", "1").out == "60000\n", seconds=20)
    lab.write([{"name": "a", "shell": "exec sleep 99"}], buffer="64KB")

    lab.ok("restart", "a")

    lines = lab.ok("logs", "a", "-n", "5000").out.split()
    assert "60000" in lines[-2:]
    assert len(lines) > 4000
    lab.write([{"name": "a", "shell": flood}], buffer="64KB")
    lab.ok("restart", "a")
    until(lambda: lab.ok("logs", "a", "-n", "1").out == "60000\n", seconds=20)
    folder = lab.state() / "record/a"
    assert sum(one.stat().st_size for one in folder.glob("seg.*")) <= 64_000
    assert tmux("show-options", "-pv", "-t", "%1", "@mdtmux_buffer") == "64000\n"


def test_why_it_is_not_ready_is_told(lab: Lab) -> None:
    """A program that never asks for its prompt: `up` and `why` say what is missing."""
    lab.write([{"name": "a", "command": ["sleep", "99"], "prompt": "hello"}])

    done = lab.run("up", "--timeout", "1s")

    assert done.code == 1
    assert "nothing shows that it asks for input; `ready: {pattern: …}`" in done.out
    why = lab.ok("why", "a").out
    assert "not ready after 1 s: nothing shows that it asks for input" in why
    assert "ready:     not seen; its sign: it reads its terminal" in why


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_after_an_interrupted_up_nothing_is_starting(lab: Lab, number: int) -> None:
    """`ps` shows what is true: it runs, and nobody saw it ready. `up` goes on from there."""
    lab.write([{"name": "a", "command": tui("a", "boot=4"), "prompt": "go"}])
    process = start("up", cwd=lab.home, env={"FX_LOG": str(lab.home / "fx.log")})
    until(lambda: lab.starts("a"), what="its start")
    assert lab.rows()["a"]["state"] == "starting"
    process.send_signal(number)
    process.communicate(timeout=20)

    row = lab.rows()["a"]
    again = lab.ok("up")

    assert row["state"] == "running"
    assert "the command that waited for it was ended" in str(row["why"])
    assert "prompt submitted" in again.out
    assert lab.submits("a") == ["go"]


def test_a_table_that_is_shown_anew_is_no_json(lab: Lab) -> None:
    """`ps -w --json` is a usage error."""
    lab.write([{"name": "a", "command": ["sleep", "99"]}])
    lab.ok("up")

    done = lab.run("ps", "-w", "--json")

    assert (done.code, "`-w`" in done.err) == (2, True)


def test_undo_waits_for_the_agent_to_stop(lab: Lab) -> None:
    """As `discard` does: files do not change under a program that runs."""
    lab.write([{"name": "a", "command": tui("a"), "branch": "ag/a"}])
    lab.ok("up")
    tree = Path(str(lab.rows()["a"]["worktree"]))
    (tree / "work").write_text("mine\n")
    lab.ok("stop", "a")
    lab.ok("discard", "a", "--yes")
    lab.ok("start", "a")

    done = lab.run("undo")

    assert (done.code, "is running" in done.err) == (4, True)
    assert not (tree / "work").exists()
    lab.ok("stop", "a")
    lab.ok("undo")
    assert (tree / "work").read_text() == "mine\n"


def test_a_worktree_that_came_back_is_known(lab: Lab) -> None:
    """After `rm` and `undo` the work can be looked at, thrown away and removed."""
    lab.write([{"name": n, "command": ["sleep", "9"]} for n in "ab"])
    lab.ok("up")
    lab.ok("spawn", "--name", "c", "--command", "sleep 99")
    lab.ok("rm", "c")
    back = lab.ok("undo").err
    assert "its agent was removed: `mdtmux spawn --name c` brings it back" in back

    place = lab.ok("path", "c").out.strip()
    assert lab.ok("path", "c", "--json").json() == {"agent": "c", "path": place}
    assert place.endswith("/c")
    lab.ok("diff", "c")
    lab.ok("discard", "c", "--yes")
    lab.ok("rm", "c")


def test_bare_repositories_may_be_forbidden(lab: Lab) -> None:
    """With safe.bareRepository=explicit, git's own folder still answers us."""
    git(lab.repo, "config", "--global", "safe.bareRepository", "explicit")
    lab.write([{"name": "a", "command": ["sleep", "99"]}])

    lab.ok("up")
    lab.ok("down", "--remove-worktrees")


def test_a_worktree_with_another_offices_agent_is_left_alone(lab: Lab) -> None:
    """Nobody is started in it, and nobody takes it away, not even by force (C47)."""
    one = {"name": "a", "command": ["sleep", "99"], "branch": "ag/a"}
    lab.write([one], worktrees="../wt/{agent}")
    lab.ok("up")
    lab.write([one], worktrees="../wt/{agent}", name="two")

    done = lab.run("up")

    assert (done.code, "has agent `lab/a` at work in it" in done.err) == (4, True)
    lab.ok("-o", "lab", "stop", "a")
    lab.ok("up")
    lab.run("-o", "lab", "start", "a")
    removed = lab.run("-o", "lab", "down", "--remove-worktrees", "--force")
    assert removed.code == 4
    assert "`mdtmux -o two stop a`" in removed.out + removed.err
    assert (lab.home / "wt/a/README.md").exists()


def test_what_a_person_started_in_a_pane_is_named(lab: Lab) -> None:
    """`rm` does not send in a circle: it names the pane and how to close it."""
    lab.write([{"name": "a", "shell": "exit 0"}])
    lab.run("up")
    pane = tmux("list-panes", "-a", "-F", "#{pane_id}").strip()
    place = lab.ok("path", "a").out.strip()
    tmux("respawn-pane", "-t", pane, "-c", place, "--", "sleep", "99")

    done = lab.run("rm", "a")

    assert done.code == 4
    assert "which is not the one recorded" in done.err
    assert f"`tmux -L mdtmux kill-pane -t {pane}`" in done.err


def test_a_folder_that_is_gone_is_no_path(lab: Lab) -> None:
    """After its removal `path` says so with 4, for scripts that would `cd` there."""
    lab.write([{"name": "a", "command": ["sleep", "99"]}])
    lab.ok("up")
    lab.ok("down", "--remove-worktrees")

    done = lab.run("path", "a")

    assert (done.code, done.out, "is not there" in done.err) == (4, "", True)


def test_last_lines_are_those_of_the_run_that_failed(lab: Lab) -> None:
    """One that printed nothing has none: what an earlier run said explains nothing."""
    lab.write([{"name": "a", "shell": "echo from the first run; exec sleep 99"}])
    lab.ok("up")
    until(lambda: "first run" in lab.ok("logs", "a").out, what="its words")
    for shell in ("exit 3", "echo from the third run; exit 3"):
        lab.write([{"name": "a", "shell": shell}])
        done = lab.run("restart", "a")
        assert done.code == 1
        assert "first run" not in done.err
        assert ("last lines of a:" in done.err) is ("third" in shell)


def test_plan_names_a_base_that_is_none(lab: Lab) -> None:
    """Also for an agent that runs and is kept, which it would meet at its next start."""
    lab.write([{"name": "a", "command": ["sleep", "99"]}])
    lab.ok("up")
    lab.write([{"name": "a", "command": ["sleep", "99"]}], base="nonsense")

    done = lab.ok("plan")

    assert "differs: base" in done.out
    assert "warning: base `nonsense`: no such branch, tag or commit" in done.err


def test_ps_names_an_office_that_is_not_near(lab: Lab, world: Path) -> None:
    """The only office there is is meant anywhere: there its name heads the table."""
    lab.write([{"name": "a", "command": ["sleep", "99"]}])
    lab.ok("up")
    (world / "away").mkdir()

    away = run("ps", cwd=world / "away").out

    assert away.startswith(f"office lab  {lab.file}\n")
    assert lab.ok("ps").out.startswith("AGENT")
    assert run("-o", "lab", "ps", cwd=world / "away").out.startswith("AGENT")


def test_who_could_not_work_in_its_worktree_again_is_not_stopped(lab: Lab) -> None:
    """A worktree on another branch is told before anything is ended."""
    lab.write([{"name": "a", "command": tui("a")}])
    lab.ok("up")
    place = lab.ok("path", "a").out.strip()
    git(Path(place), "switch", "-q", "-c", "other")

    done = lab.run("restart", "a")

    assert done.code == 4
    assert "nothing was stopped: agent `a`" in done.err
    assert lab.rows()["a"]["state"] == "running"
