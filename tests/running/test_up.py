"""`up` after it was interrupted, and the wishes that it leaves."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mdtmux.running.wish import Wish, write_wish
from mdtmux.worktrees.record import Store
from tests.support.office import Lab, make_lab, pair, tmux, tui
from tests.support.wait import until

pytestmark = pytest.mark.usefixtures("tidy")


@pytest.fixture
def lab(world: Path) -> Lab:
    """Return a lab with a small repository."""
    return make_lab(world)


def _wish(lab: Lab, agent: str) -> object:
    return json.loads((lab.state() / "wish.json").read_text())[agent]["wish"]


def test_who_is_kept_is_wished_up(lab: Lab) -> None:
    """A `stop` that was killed before it acted leaves a wish that `up` takes back."""
    pair(lab)
    lab.ok("up")
    write_wish(lab.state(), ["a"], Wish.STOPPED)
    lab.ok("up")

    assert _wish(lab, "a") == "up"
    assert len(lab.starts("a")) == 1


def test_prompts_owed_survive_the_start_of_others(lab: Lab) -> None:
    """An `up` that starts one agent more still types the prompts that a killed one owes."""
    lab.write([{"name": "a", "command": tui("a")}])
    lab.ok("up")
    # Killed right after the panes were made: no record tells of the run.
    (lab.state() / "runs" / "a.json").unlink()
    lab.write([{"name": n, "command": tui(n), "prompt": f"for {n}"} for n in "ab"])
    lab.ok("up")

    assert lab.submits("b") == ["for b"]
    assert lab.submits("a") == ["for a"]


def _as_if_killed_while_typing(lab: Lab) -> None:
    path = lab.state() / "runs" / "a.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "prompt": "typing"}))


def test_a_prompt_with_a_receipt_is_not_typed_again(lab: Lab) -> None:
    """`up` was killed after the receipt and before it put that down."""
    lab.write([{"name": "a", "command": tui("a"), "prompt": "do it"}])
    lab.ok("up")
    _as_if_killed_while_typing(lab)
    lab.ok("up")

    assert lab.submits("a") == ["do it"]
    assert lab.rows()["a"]["prompt"] == "submitted"


def test_a_prompt_that_was_never_typed_is_typed_by_the_next_up(lab: Lab) -> None:
    """`up` was killed before the first key: nothing is noted, and nothing is lost."""
    lab.write([{"name": "a", "command": tui("a")}])
    lab.ok("up")
    lab.write([{"name": "a", "command": tui("a"), "prompt": "do it"}])
    _as_if_killed_while_typing(lab)
    assert "its first prompt is to be typed" in lab.ok("plan").out
    lab.ok("up")

    assert lab.submits("a") == ["do it"]
    assert lab.rows()["a"]["prompt"] == "submitted"
    assert "is to be typed" not in lab.ok("plan").out


def test_a_kept_prompt_is_settled_when_it_was_typed(lab: Lab) -> None:
    """`ps` does not call a prompt queued that the agent has had for long."""
    lab.write([{"name": "a", "command": tui("a", "dialog=trust"), "prompt": "do it"}])
    lab.run("up")
    assert lab.rows()["a"]["prompt"] == "queued"
    tmux("send-keys", "-t", str(lab.rows()["a"]["pane"]), "Enter")
    until(lambda: lab.submits("a"), seconds=20, what="the kept prompt")

    until(lambda: lab.rows()["a"]["prompt"] == "submitted", what="its state")


def test_no_prompt_forgets_none_that_was_given(lab: Lab) -> None:
    """`up --no-prompt` waives what is owed, and leaves alone what is known of others."""
    lab.write([{"name": "a", "command": tui("a"), "prompt": "do it"}])
    lab.ok("up")
    path = lab.state() / "runs" / "a.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "ready": False}))
    lab.ok("up", "--no-prompt")

    assert lab.rows()["a"]["prompt"] == "submitted"


def test_what_is_known_of_a_branch_outlasts_a_failed_repair(lab: Lab) -> None:
    """The base of an agent's work is not forgotten when its worktree cannot be remade."""
    pair(lab)
    lab.ok("up")
    lab.ok("down")
    known = Store(lab.state()).read()["a"]
    shutil.rmtree(known.path)
    hook = lab.repo / ".git" / "hooks" / "post-checkout"
    hook.write_text("#!/bin/sh\necho spoiled > README.md\nexit 1\n")
    hook.chmod(0o755)
    assert lab.run("up", "a").code == 1

    assert not known.path.exists()
    assert Store(lab.state()).read()["a"] == known


def test_setup_runs_again_in_a_worktree_made_again(lab: Lab) -> None:
    """What `setup` made went with the worktree; the new one gets it too."""
    lab.write([{"name": "a", "command": tui("a"), "setup": ["echo made > made"]}])
    lab.ok("up")
    tree = Path(str(lab.rows()["a"]["worktree"]))
    (tree / "made").unlink()
    lab.ok("down", "--remove-worktrees")
    assert not tree.exists()
    lab.ok("up")

    assert (tree / "made").read_text() == "made\n"


def test_a_person_who_detaches_all_others_breaks_no_up(lab: Lab) -> None:
    """`tmux attach -d` ends the connection that `up` looks through; agents live on."""
    agent = {"name": "a", "command": tui("a", "boot=2"), "ready": {"pattern": "> $"}}
    lab.write([{**agent, "prompt": "do it"}])
    argv = [sys.executable, "-m", "mdtmux", "up"]
    env = {**os.environ, "FX_LOG": str(lab.home / "fx.log")}
    with subprocess.Popen(argv, cwd=lab.home, env=env, stdout=subprocess.DEVNULL) as up:
        until(lambda: lab.starts("a"), what="the start")
        until(
            lambda: tmux("list-clients", "-F", "#{client_name}", check=False).strip(),
            what="its client",
        )
        tmux("detach-client", "-s", "=lab")
        assert up.wait(30) == 0

    assert lab.submits("a") == ["do it"]


def test_a_second_file_does_not_take_a_running_office_over(lab: Lab) -> None:
    """Two files of one name on one repository would be each other's in turn."""
    pair(lab)
    lab.ok("up")
    other = lab.home / "other.yaml"
    other.write_text(lab.file.read_text())
    done = lab.run("up", str(other))

    assert done.code == 4
    assert str(lab.file) in done.err
    assert lab.run("ps").code == 0
    lab.ok("down")
    assert lab.run("up", str(other)).code == 0


def test_a_renamed_office_is_the_one_that_was_brought_up_last(lab: Lab) -> None:
    """After `name:` was changed, commands mean the new office; the old one has its name."""
    pair(lab, name="of1")
    lab.ok("up")
    agents = [{"name": "a", "command": tui("a"), "branch": "new/a"}]
    lab.write(agents, name="of2", worktrees="../{repo}__wt/{office}/{agent}")
    lab.ok("up")
    lab.ok("send", "a", "to of2")

    assert lab.submits("a") == ["to of2"]
    lab.ok("down")
    assert lab.rows()["a"]["state"] == "stopped"
    assert '"running": true' in lab.run("-o", "of1", "ps", "--json").out
    lab.ok("-o", "of1", "down")


def test_the_bosses_keys_do_not_reach_those_it_starts(lab: Lab) -> None:
    """What an agent has by its own `env` is not in the environment of another."""
    boss = {
        "name": "boss", "role": "boss", "env": {"BOSS_KEY": "s3cret", "FX_KEY": "x"},
        "shell": f"sleep 1; {sys.executable} -m mdtmux start b; exec sleep 99",
    }  # fmt: skip
    lab.write([boss, {"name": "b", "command": tui("b")}])
    lab.ok("up", "boss")
    event = until(lambda: lab.starts("b"), seconds=20, what="the start of b")[0]

    assert isinstance(event["env"], dict)
    assert event["env"]["FX_KEY"] is None


def test_a_boss_is_pinned_first_though_it_starts_last(lab: Lab) -> None:
    """It depends on its workers, and still has the first pane of the first window."""
    names = [f"w{n}" for n in range(5)]
    boss = {"name": "boss", "role": "boss", "command": tui("boss"), "depends_on": names}
    lab.write([boss, *({"name": n, "command": tui(n)} for n in names)])
    lab.ok("up")
    first = tmux("display-message", "-p", "-t", "=lab:^.{top-left}", "#{@mdtmux_agent}")

    assert first.strip() == "boss"
    assert {row["state"] for row in lab.rows().values()} == {"running"}


def test_an_agent_waits_for_one_that_is_still_not_ready(lab: Lab) -> None:
    """Also in the `up` after the one in which that was not ready in time."""
    never = {"pattern": "^never", "timeout": "1s"}
    agents = [
        {"name": "a", "command": tui("a"), "ready": never},
        {"name": "b", "command": tui("b"), "depends_on": ["a"]},
    ]
    lab.write(agents)

    for _ in range(2):
        done = lab.run("up")
        assert done.code == 1
        assert "not started: `a`, which it needs, is not up" in done.out
    assert lab.starts("b") == []


def test_the_last_lines_are_told_from_the_first_one_on(lab: Lab) -> None:
    """Tmux scrolls a dead pane by a row for its notice."""
    says = "echo no licence key; echo see the log; sleep 0.5; exit 7"
    never = {"pattern": "^never", "timeout": "9s"}
    lab.write([{"name": "a", "shell": says, "ready": never}])

    done = lab.run("up")

    assert "  no licence key\n  see the log" in done.err


def test_an_agent_whose_folder_is_gone_is_told(lab: Lab) -> None:
    """It lives on, in a folder that no other process can reach."""
    lab.write([{"name": "a", "command": tui("a")}])
    lab.ok("up")
    shutil.rmtree(str(lab.rows()["a"]["worktree"]))

    for verb in (("plan",), ("why", "a")):
        assert "is gone: `mdtmux restart a` makes it again" in lab.ok(*verb).out
    assert "its folder is gone" in lab.ok("ps").out
    assert "`mdtmux restart a` makes it" in lab.run("path", "a").err
    lab.ok("restart", "a")
    assert Path(lab.ok("path", "a").out.strip()).is_dir()
