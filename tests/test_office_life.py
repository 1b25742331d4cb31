"""An office from its first `up` to its last `down`, through the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.support import leaks
from tests.support.cli import run
from tests.support.office import (
    Lab,
    kill_server,
    make_lab,
    pair,
    processes,
    tmux,
    tui,
)
from tests.support.repos import git
from tests.support.wait import until

pytestmark = pytest.mark.usefixtures("tidy")


@pytest.fixture
def lab(world: Path) -> Lab:
    """Return a lab with a small repository."""
    return make_lab(
        world, {"README.md": "x\n", "sub/file": "y\n", ".gitignore": "*.env\nout/\n"}
    )


def test_up_twice_starts_nothing_twice(lab: Lab) -> None:
    """The second `up` keeps what runs, and says so."""
    pair(lab)
    lab.ok("up")
    again = lab.ok("up", "--json").json()

    assert isinstance(again, dict)
    assert {one["word"] for one in again["agents"]} == {"kept"}
    assert len(lab.starts("a")) == 1


def test_a_dry_run_changes_nothing(lab: Lab, world: Path) -> None:
    """`plan` and `up --dry-run` tell what would be and make nothing."""
    pair(lab)
    before = git(lab.repo, "for-each-ref")
    plan = lab.ok("plan")
    dry = lab.ok("up", "--dry-run")

    assert plan.out == dry.out
    assert "create on a new branch ag/a" in plan.out
    assert git(lab.repo, "for-each-ref") == before
    assert not leaks.servers(world)
    assert not (Path(os.environ["XDG_STATE_HOME"]) / "mdtmux").exists()


def test_the_base_is_told_with_its_sha_and_lag(lab: Lab) -> None:
    """`up -v` and `plan` print the resolved base and how far it is behind."""
    git(lab.repo, "clone", "-q", str(lab.repo), str(lab.home / "clone"))
    sha = git(lab.repo, "rev-parse", "HEAD")
    (lab.repo / "new").write_text("")
    git(lab.repo, "add", "new")
    git(lab.repo, "commit", "-q", "-m", "second")
    git(lab.home / "clone", "fetch", "-q")
    lab.write([{"name": "a", "command": ["sleep", "99"]}], repo="clone", base="main")
    told = lab.ok("-v", "up").err

    assert f"base main is {sha[:12]}, 1 commits behind origin/main" in told


def test_drift_is_shown_before_it_is_applied(lab: Lab) -> None:
    """A changed file is seen by `plan` and by `up`, which keeps what runs."""
    pair(lab)
    lab.ok("up")
    agents = [
        {"name": n, "command": tui(n), "branch": f"ag/{n}", "role": "r"} for n in "ab"
    ]
    lab.write(agents)

    assert "differs: role" in lab.ok("plan").out
    assert "the file differs: role" in lab.ok("up").out
    assert len(lab.starts("a")) == 1


def test_copies_links_and_includes_are_there_before_the_start(lab: Lab) -> None:
    """What an agent needs of the main checkout is in its worktree; setup ran once."""
    (lab.repo / "key.env").write_text("K=1\n")
    (lab.repo / "inc.env").write_text("I=1\n")
    (lab.repo / "out").mkdir()
    (lab.repo / "out" / "big").write_text("big")
    (lab.repo / ".worktreeinclude").write_text("inc.env\n")
    look = "cat key.env inc.env out/big made > seen; exec sleep 99"
    agent = {
        "name": "a",
        "shell": look,
        "copy": ["key.env"],
        "link": ["out"],
        "setup": ["echo made > made", "echo run >> ../ran"],
    }
    lab.write([agent])
    lab.ok("up")
    tree = Path(str(lab.rows()["a"]["worktree"]))
    until((tree / "seen").exists, what="what it saw")

    assert (tree / "seen").read_text() == "K=1\nI=1\nbigmade\n"
    assert (tree / "out").is_symlink()
    lab.ok("down")
    lab.ok("up")
    assert (tree.parent / "ran").read_text() == "run\n"


def test_a_failing_setup_fails_that_agent_alone(lab: Lab) -> None:
    """Its status and last lines are told, it is not started, and is tried again."""
    fails = {"name": "a", "command": tui("a"), "setup": ["echo oh no >&2; exit 3"]}
    lab.write([fails, {"name": "b", "command": tui("b")}])
    done = lab.run("up")

    assert done.code == 1
    assert "failed with status 3: oh no" in done.out
    assert not lab.starts("a")
    assert lab.rows()["b"]["state"] == "running"
    lab.write([{**fails, "setup": ["true"]}, {"name": "b", "command": tui("b")}])
    lab.ok("up")
    assert lab.rows()["a"]["state"] == "running"


def test_dependencies_start_first(lab: Lab) -> None:
    """An agent waits for the one it needs; when that fails it is not started."""
    slow = {"name": "a", "command": tui("a", "boot=1"), "ready": {"pattern": "> $"}}
    lab.write([{"name": "b", "command": tui("b"), "depends_on": ["a"]}, slow])
    lab.ok("up")
    first = (lab.home / "fx.log").read_text().splitlines()[0]
    assert json.loads(first)["agent"] == "a"
    lab.ok("down")

    broken = {"name": "a", "command": ["false"]}
    lab.write([{"name": "b", "command": tui("b"), "depends_on": ["a"]}, broken])
    done = lab.run("up")
    assert done.code == 1
    assert "`a`, which it needs, is not up" in done.out
    assert len(lab.starts("b")) == 1


def test_a_question_at_the_start_keeps_the_prompt(lab: Lab) -> None:
    """C08: the prompt is not typed into a dialog; it comes when a human has answered."""
    agent = {"name": "a", "command": tui("a", "dialog=trust"), "prompt": "do it"}
    lab.write([agent])
    done = lab.run("up")
    assert done.code == 1
    assert "mdtmux attach a" in done.out
    assert lab.rows()["a"]["activity"] == "waiting"
    assert not lab.events("a", "dialog-answered")
    pane = str(lab.rows()["a"]["pane"])
    tmux("send-keys", "-t", pane, "Enter")
    until(lambda: lab.submits("a"), seconds=20, what="the kept prompt")

    assert lab.submits("a") == ["do it"]
    answered = lab.events("a", "dialog-answered")
    assert [event["with_text"] for event in answered] == [""]


def test_a_kept_prompt_is_not_given_twice(lab: Lab) -> None:
    """A prompt kept in a life that ended unanswered is not typed beside the next one."""
    lab.write([{"name": "a", "command": tui("a", "dialog=trust"), "prompt": "do it"}])
    lab.run("up")
    lab.ok("down")
    lab.write([{"name": "a", "command": tui("a"), "prompt": "do it"}])
    lab.ok("up")
    lab.ok("send", "a", "and then this", "--wait", "idle", "--timeout", "20")

    assert lab.submits("a") == ["do it", "and then this"]


def test_slow_starters_get_their_prompts_whole(lab: Lab) -> None:
    """C07: eight agents, one that boots slowly; each prompt arrives once."""
    agents = [
        {"name": f"a{n}", "command": tui(f"a{n}", *(["boot=2"] if n == 0 else [])),
         "prompt": f"for a{n}"}
        for n in range(8)
    ]  # fmt: skip
    lab.write(agents)
    lab.ok("up")

    assert [lab.submits(f"a{n}") for n in range(8)] == [[f"for a{n}"] for n in range(8)]


def test_one_that_never_gets_ready_is_told_in_time(lab: Lab) -> None:
    """C07: `up` returns within its timeout, and says what is not proven."""
    lab.write([{"name": "a", "command": tui("a", "boot=999"), "prompt": "x"}])
    done = lab.run("up", "--timeout", "1s")

    assert done.code == 1
    assert "not ready after 1 s" in done.out
    row = lab.rows()["a"]
    assert (row["state"], row["prompt"]) == ("running", "pending")
    assert "not ready after 1 s" in str(row["why"])
    assert not lab.submits("a")


def test_side_processes_run_beside_the_agents(lab: Lab) -> None:
    """They run in the repository, in windows of their own, and take no text."""
    lab.write(
        [{"name": "a", "command": tui("a")}],
        processes=[{"name": "web", "command": tui("web"), "env": {"FX_KEY": "007"}}],
    )
    lab.ok("up")
    event = until(lambda: lab.starts("web"), what="its start")[0]
    refused = lab.run("send", "web", "x")

    assert event["cwd"] == str(lab.repo)
    assert isinstance(event["env"], dict)
    assert event["env"]["FX_KEY"] == "007"
    assert refused.code == 4
    assert not lab.submits("web")
    lab.ok("down")
    assert lab.rows()["web"]["state"] == "stopped"


def test_agents_can_share_a_worktree_or_use_the_repository(lab: Lab) -> None:
    """`worktree: false` and `{share: A}` start where they say."""
    agents = [
        {"name": "a", "command": tui("a")},
        {"name": "b", "command": tui("b"), "worktree": {"share": "a"}, "dir": "sub"},
        {"name": "c", "command": tui("c"), "worktree": False},
    ]
    lab.write(agents)
    lab.ok("up")
    until(lambda: all(lab.starts(name) for name in "abc"), what="the starts")
    tree = str(lab.rows()["a"]["worktree"])

    assert [lab.starts(name)[0]["cwd"] for name in "abc"] == [
        tree,
        f"{tree}/sub",
        str(lab.repo),
    ]
    done = lab.run("down", "a", "--remove-worktrees")
    assert done.code == 4
    assert "agent `b` works in it" in done.err
    assert Path(tree).is_dir()


def test_stop_start_and_restart_one_agent(lab: Lab) -> None:
    """The others go on; the pane stays where it is; the environment is fresh."""
    pair(lab)
    lab.ok("up")
    pane = lab.rows()["a"]["pane"]
    lab.ok("stop", "a")
    assert lab.rows()["a"]["state"] == "stopped"
    assert lab.rows()["a"]["pane"] == pane
    lab.ok("start", "a")
    assert lab.rows()["a"]["pane"] == pane
    lab.ok("restart", "a")
    until(lambda: len(lab.starts("a")) == 3, what="three starts")

    assert lab.rows()["a"]["state"] == "running"
    assert len(lab.starts("b")) == 1
    assert lab.run("start", "nobody").code == 2
    assert (
        "did you mean" in lab.run("stop", "aa").err or lab.run("stop", "aa").code == 2
    )


def test_spawn_and_rm_a_member_of_no_file(lab: Lab) -> None:
    """A spawned agent has its own worktree, survives `up`, and goes without loss."""
    pair(lab)
    lab.ok("up")
    lab.ok(
        "spawn", "--name", "c", "--command", " ".join(tui("c")), "--prompt", "hi there"
    )
    assert lab.rows()["c"]["branch"] == "lab/c"
    assert lab.submits("c") == ["hi there"]
    tree = Path(str(lab.rows()["c"]["worktree"]))
    (tree / "work").write_text("only here")
    lab.ok("up")
    assert lab.rows()["c"]["state"] == "running"
    refused = lab.run("rm", "c")
    assert refused.code == 4
    assert "work" in refused.err
    assert (tree / "work").read_text() == "only here"
    lab.ok("rm", "c", "--force")
    assert not tree.exists()
    assert "c" not in lab.rows()
    lab.ok("undo")
    assert (tree / "work").read_text() == "only here"
    assert lab.run("spawn", "--name", "a", "--command", "x").code == 4
    assert lab.run("spawn", "--name", "A", "--command", "x").code == 4


def test_down_from_a_pane_of_the_office(lab: Lab) -> None:
    """An agent that takes its own office down leaves nothing half-way."""
    pair(lab)
    lab.ok("up")
    python = sys.executable
    agents = [
        {"name": "a", "command": tui("a"), "branch": "ag/a"},
        {"name": "c", "shell": f"sleep 1; {python} -m mdtmux down; sleep 999"},
    ]
    lab.write(agents)
    lab.ok("up")
    until(
        lambda: not leaks.servers(Path(os.environ["TMUX_TMPDIR"])),
        seconds=30,
        what="down",
    )

    assert {row["state"] for row in lab.rows().values()} == {"stopped"}
    assert not processes("999")


def test_up_and_down_exclude_each_other(lab: Lab) -> None:
    """While one is at work the other says `busy`, and nothing is half-made."""
    slow = {"name": "a", "command": tui("a", "boot=3"), "ready": {"pattern": "> $"}}
    lab.write([slow])
    env = {**os.environ, "FX_LOG": str(lab.home / "fx.log")}
    argv = [sys.executable, "-m", "mdtmux", "up"]
    with subprocess.Popen(argv, cwd=lab.home, env=env, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as up:  # fmt: skip
        until(lambda: lab.starts("a"), what="the start")
        busy = lab.run("down")
        assert busy.code == 75
        assert f"pid {up.pid}" in busy.err
        assert up.wait(30) == 0
    lab.ok("down")
    assert lab.rows()["a"]["state"] == "stopped"


def test_down_killed_half_way_is_finished_by_the_next(lab: Lab) -> None:
    """`kill -9` of `down` loses nothing, and the next one ends everything."""
    stubborn = "trap '' INT TERM HUP; while :; do sleep 0.2; done"
    tree = {"name": "a", "shell": stubborn, "stop": {"timeout": "5s"}}
    lab.write([tree])
    lab.ok("up")
    (Path(str(lab.rows()["a"]["worktree"])) / "work").write_text("x")
    with subprocess.Popen(
        [sys.executable, "-m", "mdtmux", "down"], cwd=lab.home
    ) as down:
        until(
            lambda: '"down"' in (lab.state() / "events.jsonl").read_text(),
            what="its act",
        )
        down.send_signal(signal.SIGKILL)
    lab.ok("down", "--timeout", "0.2")

    assert lab.rows()["a"]["state"] == "stopped"
    assert (Path(str(lab.rows()["a"]["worktree"])) / "work").read_text() == "x"
    assert not [p for p in psutil.process_iter() if stubborn in _argv(p)]


def _argv(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def test_removal_keeps_what_exists_nowhere_else(lab: Lab) -> None:
    """C52: worktrees with work stay and are named; the others go; branches stay."""
    pair(lab)
    lab.ok("up")
    trees = {name: Path(str(lab.rows()[name]["worktree"])) for name in "ab"}
    (trees["a"] / "new").write_text("x")
    done = lab.run("down", "--remove-worktrees")

    assert done.code == 4
    assert "new" in done.err
    assert (trees["a"] / "new").exists()
    assert not trees["b"].exists()
    assert "ag/b" in git(lab.repo, "branch")
    assert {row["state"] for row in lab.rows().values()} == {"stopped"}


def test_wait_tells_what_came_of_it(lab: Lab) -> None:
    """0 when met, 4 when an agent ended, 5 when the time is over, 2 for no such agent."""
    agents = [
        {"name": "a", "command": tui("a", "dialog=menu")},
        {"name": "b", "command": tui("b")},
    ]
    lab.write(agents)
    lab.run("up")

    assert lab.run("wait", "a", "--for", "waiting", "--timeout", "10").code == 0
    assert lab.run("wait", "b", "--timeout", "0.3").code == 5
    assert lab.run("wait", "nobody").code == 2
    lab.ok("stop", "b")
    assert lab.run("wait", "b", "--timeout", "10").code == 4
    assert lab.run("wait", "b", "--for", "exited", "--timeout", "10").code == 0
    assert (
        lab.run("wait", "a", "b", "--any", "--for", "waiting", "--timeout", "9").code
        == 0
    )


def test_why_says_how_it_knows(lab: Lab) -> None:
    """State and activity come with source and evidence, and what holds a text."""
    lab.write([{"name": "a", "command": tui("a", "dialog=menu")}])
    lab.run("up")
    queued = lab.run("send", "a", "hold on", "--queue")
    assert queued.code == 0
    told = lab.ok("why", "a").out
    assert "1. Yes" in told
    assert "waiting" in told
    assert "1 text" in told
    assert not lab.events("a", "dialog-answered")
    assert lab.run("why", "nobody").code == 2


def test_one_that_outlives_its_server_is_not_started_beside_itself(
    lab: Lab,
) -> None:
    """After `kill-server`, `up` ends what ignored the hang-up, then starts anew."""
    stubborn = "trap '' HUP TERM INT; while :; do sleep 0.3; done"
    lab.write(
        [{"name": "a", "shell": f": 86395; {stubborn}", "stop": {"timeout": "0.2s"}}]
    )
    lab.ok("up")
    kill_server()

    def lives() -> int:
        argvs = [_argv(process) for process in psutil.process_iter()]
        return sum(f": 86395; {stubborn}" in argv for argv in argvs)

    assert lives() == 1
    assert "ending what is left of a" in lab.ok("up").err
    assert lives() == 1
    lab.ok("down")
    assert lives() == 0


def test_another_server_in_the_file_counts_from_the_next_up(lab: Lab) -> None:
    """A running office stays where it is; once it is down, the file says where it goes."""
    pair(lab)
    lab.ok("up")
    pair(lab, tmux={"socket": "default"})
    lab.ok("up")
    assert len(lab.starts("a")) == 1
    lab.ok("down")
    lab.ok("up")

    assert "lab" in tmux("list-sessions", socket="default")
    lab.ok("down")


def test_two_offices_of_one_name(lab: Lab, world: Path) -> None:
    """The same name on two repositories is two offices, told apart."""
    other = Lab(world / "here" / "two")
    make_lab_at(other)
    pair(lab)
    pair(other)
    lab.ok("up")
    other.ok("up")
    sessions = tmux("list-sessions", "-F", "#{session_name}").split()
    assert len(sessions) == 2
    ambiguous = run("-o", "lab", "ps")
    assert ambiguous.code == 2
    assert "several offices" in ambiguous.err
    lab.ok("down")
    assert {row["state"] for row in other.rows().values()} == {"running"}


def make_lab_at(lab: Lab) -> None:
    """Make the repository of another lab."""
    from tests.support.repos import make_repo

    make_repo(lab.repo)


def test_a_foreign_pane_is_left_alone(lab: Lab) -> None:
    """A pane that the user opened in the session survives `down`, and is named."""
    pair(lab)
    lab.ok("up")
    tmux("new-window", "-d", "-t", "lab:", "sleep 998")
    done = lab.ok("down")

    assert "left alone" in done.err
    assert processes("998")
    assert {row["state"] for row in lab.rows().values()} == {"stopped"}
    lab.ok("up")
    assert tmux("list-sessions", "-F", "#{session_name}").split() == ["lab"]
    assert processes("998")


def test_who_else_works_in_a_worktree_is_told(lab: Lab) -> None:
    """A daemon that cleared its environment is not ended, but it is not hidden either."""
    daemon = "(setsid env -i sleep 86393 &) ; exec sleep 99"
    lab.write([{"name": "a", "shell": daemon}])
    lab.ok("up")
    tree = str(lab.rows()["a"]["worktree"])

    def stray() -> list[psutil.Process]:
        found = [p for p in psutil.process_iter() if _argv(p) == ["sleep", "86393"]]
        return [process for process in found if process.cwd() == tree]

    until(stray, what="the daemon")
    done = lab.ok("down")
    assert [f"process {p.pid} (sleep) in {tree}" in done.err for p in stray()] == [True]
    for process in stray():
        process.kill()


def test_what_a_person_started_in_an_agents_pane_is_theirs(lab: Lab) -> None:
    """A pane respawned by hand runs no agent: it is neither stopped nor closed."""
    pair(lab)
    lab.ok("up")
    pane = str(lab.rows()["a"]["pane"])
    tmux("respawn-pane", "-k", "-t", pane, "sleep 86394")
    assert lab.rows()["a"]["state"] == "failed"
    assert "not the one recorded" in lab.ok("why", "a").out
    lab.ok("stop", "a")
    done = lab.ok("down")

    assert processes("86394")
    assert "left alone" in done.err


@pytest.mark.parametrize("name", ["sp ace", "it's", "é", "ha#sh", 'q"q'])
def test_any_path_of_a_repository_works(world: Path, name: str) -> None:
    """Blanks, quotes, accents and `#` in the path change nothing."""
    lab = Lab(world / "here" / name)
    lab.home.mkdir()
    make_lab_at(lab)
    pair(lab)
    lab.ok("up")
    lab.ok("send", "a", "hello")
    until(lambda: lab.starts("a"), what="the start")

    assert lab.submits("a") == ["hello"]
    assert str(lab.starts("a")[0]["cwd"]).startswith(str(lab.home))
    assert ">" in lab.ok("logs", "a").out
    lab.ok("down", "--remove-worktrees")


def test_as_clerk_replaces_every_kind(lab: Lab) -> None:
    """An office of other CLIs can be tried with the embedded agent."""
    agents = [
        {"name": "a", "kind": "claude", "prompt": "say hello"},
        {"name": "b", "kind": "opencode"},
    ]
    lab.write(agents)
    lab.ok("up", "--as", "clerk")

    assert {row["kind"] for row in lab.rows().values()} == {"clerk"}
    assert "hello" in lab.ok("capture", "a").out
    assert lab.run("up", "--as", "nothing").code == 2


@pytest.mark.parametrize("template", ["solo", "pair", "boss", "mixed", "demo"])
def test_every_template_comes_up(lab: Lab, template: str) -> None:
    """Each template, run with the embedded agent, is up."""
    (lab.repo / ".env").write_text("")
    assert run("init", "--template", template, cwd=lab.repo).code == 0
    done = run("up", "--as", "clerk", "--json", cwd=lab.repo)

    assert done.code == 0, done.out + done.err
    assert run("down", cwd=lab.repo).code == 0
