"""Field cases of targets, servers, environment and starting, end to end.

The names carry the numbers of the cases. Each runs the command line against a real
tmux server and a real repository.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from mdtmux.system.processes import identify
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
from tests.support.repos import git, make_repo
from tests.support.wait import until

pytestmark = pytest.mark.usefixtures("tidy")


@pytest.fixture
def lab(world: Path) -> Lab:
    """Return a lab with an empty office."""
    return make_lab(world)


def test_c14_indexes_may_start_anywhere(lab: Lab) -> None:
    """Numbering from 1 and renumbering move no text to another agent."""
    conf = (
        "set -g base-index 1\nsetw -g pane-base-index 1\nset -g renumber-windows on\n"
    )
    Path(os.environ["HOME"], ".tmux.conf").write_text(conf)
    options = {"socket": "default", "panes_per_window": 1}
    pair(lab, tmux=options)
    lab.ok("up")
    lab.ok("send", "a", "for a")
    lab.ok("send", "b", "for b")
    window = tmux(
        "list-windows", "-a", "-F", "#{window_id} #{window_name}", socket="default"
    )
    first = next(row.split()[0] for row in window.splitlines() if row.endswith(" a"))
    tmux("kill-window", "-t", first, socket="default")
    lab.ok("send", "b", "again")

    assert lab.submits("a") == ["for a"]
    assert lab.submits("b") == ["for b", "again"]
    assert lab.rows()["a"]["state"] == "stopped"
    lab.ok("down")


def test_c15_a_prefix_is_another_office(lab: Lab, world: Path) -> None:
    """Taking `lab` down twice leaves `lab-2` alone."""
    other = Lab(world / "here" / "two")
    make_repo(other.repo)
    pair(lab)
    pair(other, name="lab-2")
    lab.ok("up")
    other.ok("up")
    lab.ok("down")
    lab.ok("down")

    assert {row["state"] for row in other.rows().values()} == {"running"}
    assert {row["state"] for row in lab.rows().values()} == {"stopped"}


@pytest.mark.parametrize(
    ("name", "sign"), [("my.app", "."), ("api:42", ":"), ("-x", "-"), ("a b", " ")]
)
def test_c16_a_name_tmux_would_rewrite_is_refused(
    lab: Lab, name: str, sign: str
) -> None:
    """The refusal names the character and nothing is started."""
    pair(lab, name=name)
    done = lab.run("up")

    assert done.code == 2
    assert f"`{sign}`" in done.err
    assert not leaks.servers(Path(os.environ["TMUX_TMPDIR"]))


def test_c18_identity_is_not_the_visible_name(lab: Lab) -> None:
    """A program that renames its window and a person who does change nothing."""
    Path(os.environ["HOME"], ".tmux.conf").write_text("set -g allow-rename on\n")
    agent = {"name": "a", "command": tui("a", "say=\033kX\033\\")}
    lab.write([agent], tmux={"socket": "default"})
    lab.ok("up")
    pane = tmux("list-panes", "-a", "-F", "#{window_id}", socket="default").split()[0]
    tmux("rename-window", "-t", pane, "foo", socket="default")
    lab.ok("send", "a", "hello")

    assert lab.submits("a") == ["hello"]
    assert lab.rows()["a"]["state"] == "running"
    lab.ok("down")


def test_c19_ids_of_another_server_are_void(lab: Lab, world: Path) -> None:
    """After the server has gone, a stranger with the same pane id gets nothing."""
    pair(lab)
    lab.ok("up")
    kill_server()
    other = world / "other.txt"
    tmux("new-session", "-d", "-s", "mine", "-x", "80", "-y", "24", f"cat >{other}")
    tmux("split-window", "-t", "mine", f"cat >>{other}")
    tmux("split-window", "-t", "mine", f"cat >>{other}")

    assert lab.run("send", "a", "secret").code == 4
    lab.ok("down")
    assert "mine" in tmux("list-sessions")
    assert other.read_text() == ""


@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": None, "LANG": None},
        {"LC_ALL": "C"},
        {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
)
def test_c21_no_utf8_locale(lab: Lab, locale: dict[str, str | None]) -> None:
    """Everything works without a UTF-8 locale, accents included."""
    lab.write([{"name": "a", "command": tui("a", "echo")}])
    assert lab.run("up", env=locale).code == 0
    sent = lab.run("send", "a", "é ✓", env=locale)
    assert sent.code == 0, sent.err
    assert lab.submits("a") == ["é ✓"]
    assert "é ✓" in lab.run("logs", "a", env=locale).out
    assert '"running"' in lab.run("ps", "--json", env=locale).out
    assert lab.run("down", env=locale).code == 0


def test_c22_the_callers_environment_counts(lab: Lab, world: Path) -> None:
    """An old server hides nothing: each start has the environment of its caller."""
    tmux("new-session", "-d", "-s", "old", "sleep 999")
    tools = world / "bin"
    tools.mkdir()
    script = tools / "my-agent"
    script.write_text(f"#!/bin/sh\nexec {' '.join(tui('a'))}\n")
    script.chmod(0o755)
    lab.write([{"name": "a", "command": ["my-agent"]}])
    path = f"{tools}:{os.environ['PATH']}"
    assert lab.run("up", env={"FX_KEY": "one", "PATH": path}).code == 0
    assert lab.run("restart", "a", env={"FX_KEY": "two", "PATH": path}).code == 0
    until(lambda: len(lab.starts("a")) == 2, what="both starts")
    envs = [event["env"] for event in lab.starts("a")]

    assert [env["FX_KEY"] for env in envs if isinstance(env, dict)] == ["one", "two"]


def test_c24_secrets_stay_out_of_sight(lab: Lab, world: Path) -> None:
    """A value of `env:` is in no argument vector, scrollback, log or state file."""
    secret = "s3cr3t-canary"
    envs = world / "here" / "secrets.env"
    envs.write_text("FX_OTHER=file-canary\n")
    envs.chmod(0o600)
    agent = {
        "name": "a",
        "command": tui("a"),
        "env": {"FX_KEY": secret},
        "env_file": "secrets.env",
    }
    lab.write([agent])
    up = lab.run("-v", "up")
    restart = lab.run("-v", "restart", "a")
    assert (up.code, restart.code) == (0, 0), up.err + restart.err
    seen = [up.out, up.err, restart.out, restart.err, lab.run("config", "show").out]
    for process in psutil.process_iter():
        try:
            seen.append(" ".join(process.cmdline()))
        except psutil.Error:
            continue
    seen.append(tmux("capture-pane", "-p", "-S", "-", "-t", "lab"))
    seen.append(tmux("show-environment", "-g"))
    for path in lab.state().rglob("*"):
        if path.is_file():
            seen.append(path.read_bytes().decode("utf-8", "replace"))
            assert path.stat().st_mode & 0o077 == 0, path

    event = lab.starts("a")[-1]["env"]
    assert isinstance(event, dict)
    assert event["FX_KEY"] == secret
    assert not [text for text in seen if secret in text or "file-canary" in text]


def test_c25_git_variables_do_not_redirect(lab: Lab, world: Path) -> None:
    """`GIT_DIR` from an alias or hook reaches neither our git nor the agents."""
    victim = make_repo(world / "victim")
    before = git(victim, "for-each-ref")
    pair(lab)
    assert lab.run("up", env={"GIT_DIR": str(victim / ".git")}).code == 0

    assert git(victim, "for-each-ref") == before
    assert "ag/a" in git(lab.repo, "branch", "--list", "ag/*")
    env = lab.starts("a")[0]["env"]
    assert isinstance(env, dict)
    assert env["GIT_DIR"] is None


def test_c27_a_missing_directory_starts_nothing_elsewhere(lab: Lab) -> None:
    """A worktree removed by hand is made again; a wrong `dir` is refused."""
    pair(lab)
    lab.ok("up")
    place = str(lab.rows()["a"]["worktree"])
    lab.ok("down")
    shutil.rmtree(place)
    lab.ok("up")
    until(lambda: len(lab.starts("a")) == 2, what="both starts")
    assert [e["cwd"] for e in lab.starts("a")] == [place, place]
    lab.ok("down")

    lab.write([{"name": "a", "command": tui("a"), "branch": "ag/a", "dir": "nope"}])
    done = lab.run("up")
    assert done.code == 1
    assert "nope" in done.out
    assert len(lab.starts("a")) == 2


@pytest.mark.parametrize(
    "row",
    [
        "set -g destroy-unattached on",
        "set -g nonsense on",
        "setw -g synchronize-panes on",
        "set -g remain-on-exit on",
        "set -g default-command 'sleep 9'",
        "set -g exit-empty on",
        "setw -g aggressive-resize on",
        "set-hook -g pane-died respawn-pane",
        "set-hook -g after-new-window 'split-window -h'",
        "set-hook -g after-split-window kill-pane",
    ],
)
@pytest.mark.parametrize("socket", ["own", "default"])
def test_c28_hostile_configuration(lab: Lab, row: str, socket: str) -> None:
    """One hostile line in the user's configuration changes nothing."""
    Path(os.environ["HOME"], ".tmux.conf").write_text(f"{row}\n")
    pair(lab, tmux={"socket": socket})
    lab.ok("up")
    lab.ok("send", "a", "to a")
    assert (lab.submits("a"), lab.submits("b")) == (["to a"], [])
    lab.ok("restart", "b")
    assert {r["state"] for r in lab.rows().values()} == {"running"}
    lab.ok("stop", "b")
    assert {n: r["state"] for n, r in lab.rows().items()} == {
        "a": "running",
        "b": "stopped",
    }
    lab.ok("down")


def test_c28_a_hook_that_kills_sessions_is_told(lab: Lab) -> None:
    """Where the user's hook ends every new session, `up` says that nothing is up."""
    conf = "set-hook -g session-created 'kill-session'\n"
    Path(os.environ["HOME"], ".tmux.conf").write_text(conf)
    pair(lab)
    lab.ok("up")
    lab.ok("down")
    agents = [{"name": n, "command": tui(n)} for n in "ab"]
    lab.write(agents, name="user", tmux={"socket": "default"})
    tmux("new-session", "-d", "-s", "keep", "sleep 99", socket="default", check=False)
    done = lab.run("up")
    assert done.code in (0, 1)
    rows = lab.rows()
    assert (done.code == 0) == all(row["state"] == "running" for row in rows.values())


def test_c30_panes_fit_and_keep_their_size(lab: Lab) -> None:
    """Two dozen agents start, and a tiny client does not shrink them."""
    agents = [
        {"name": f"a{n}", "command": ["sleep", "99"], "worktree": False}
        for n in range(24)
    ]
    lab.write(agents)
    lab.ok("up")
    assert {row["state"] for row in lab.rows().values()} == {"running"}

    def sizes() -> set[str]:
        return set(
            tmux(
                "list-windows", "-t", "lab", "-F", "#{window_width}x#{window_height}"
            ).split()
        )

    assert sizes() == {"200x50"}
    argv = [
        "script",
        "-qfc",
        "stty cols 2 rows 1; exec tmux -L mdtmux attach -t =lab",
        "/dev/null",
    ]
    client = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    until(
        lambda: tmux("list-clients", "-F", "#{client_width}").split() == ["2"],
        what="a client",
    )
    tmux("detach-client", "-s", "lab")
    client.communicate()
    assert sizes() == {"200x50"}


def test_c32_a_command_that_dies_is_not_up(lab: Lab) -> None:
    """A typo and an early exit are told with their reason; the others stay up."""
    agents = [
        {"name": "a", "command": ["claud"]},
        {"name": "b", "command": ["sh", "-c", "echo boom >&2; exit 3"]},
        {"name": "c", "command": tui("c")},
    ]
    lab.write(agents)
    done = lab.run("up")

    assert done.code == 1
    assert "claud: not found" in done.out
    assert "status 3" in done.out
    assert "boom" in done.err
    assert "boom" in lab.ok("logs", "b").out
    assert lab.rows()["a"]["state"] == "failed"
    assert "claud: not found" in lab.ok("why", "a").out
    assert lab.rows()["c"]["state"] == "running"


def test_c34_other_sessions_are_not_ours(lab: Lab) -> None:
    """`down` leaves the user's own session on the same server alone."""
    tmux("new-session", "-d", "-s", "mine", "sleep 999", socket="default")
    pair(lab, tmux={"socket": "default"})
    before = tmux("show-options", "-g", socket="default")
    windows = tmux("show-options", "-gw", socket="default")
    server = tmux("show-options", "-s", socket="default")
    lab.ok("up")
    assert tmux("show-options", "-g", socket="default") == before
    assert tmux("show-options", "-gw", socket="default") == windows
    assert tmux("show-options", "-s", socket="default") == server
    lab.ok("down")

    assert tmux("list-sessions", "-F", "#{session_name}", socket="default").split() == [
        "mine"
    ]


def test_c35_dead_panes_are_told_apart(lab: Lab) -> None:
    """An exit, a signal and a running agent show as what they are."""
    agents = [
        {"name": "a", "command": tui("a", "after=1", "exit=3")},
        {"name": "b", "command": tui("b")},
    ]
    lab.write(agents)
    lab.ok("up")
    until(lambda: lab.rows()["a"]["status"] == 3, seconds=20, what="its status")
    assert lab.rows()["a"]["state"] == "exited"
    assert lab.run("send", "a", "x").code == 4
    pid = lab.rows()["b"]["pid"]
    assert isinstance(pid, int)
    os.kill(pid, 9)
    until(lambda: lab.rows()["b"]["signal"] == 9, seconds=20, what="its signal")
    assert lab.rows()["b"]["state"] == "exited"
    assert "signal 9" in lab.ok("ps").out
    lab.ok("up")
    until(lambda: len(lab.starts("a")) == 2, what="its second start")


@pytest.mark.parametrize("way", ["no exec", "exec", "shell", "env"])
def test_c36_wrappers_run_as_agents(lab: Lab, world: Path, way: str) -> None:
    """Whatever the process is called, the agent runs and takes text."""
    words = " ".join(tui("a"))
    script = world / "wrapper"
    script.write_text(f"#!/bin/bash\n{'exec ' if way == 'exec' else ''}{words}\n")
    script.chmod(0o755)
    command = {
        "no exec": [str(script)],
        "exec": [str(script)],
        "shell": ["sh", "-c", words],
        "env": ["env", "X=1", *tui("a")],
    }[way]
    lab.write([{"name": "a", "command": command}])
    lab.ok("up")
    until(lambda: lab.starts("a"), what="its start")
    lab.ok("send", "a", "hello")

    assert lab.rows()["a"]["state"] == "running"
    assert lab.submits("a") == ["hello"]
    assert len(lab.starts("a")) == 1


@pytest.mark.parametrize(
    "command",
    [
        tui("a", "child"),
        ["sh", "-c", "(sleep 86397 &) ; exec sleep 86398"],
        [
            "sh",
            "-c",
            "(trap '' TERM HUP; sleep 86397 & sleep 86396; sleep 86396) & exec sleep 86398",
        ],
    ],
)
def test_c43_nothing_survives_down(lab: Lab, command: list[str]) -> None:
    """Children in other sessions, double forks and TERM-ignoring ones are gone."""
    lab.write([{"name": "a", "command": command, "stop": {"timeout": "1s"}}])
    lab.ok("up")
    marks = ("86396", "86397", "86398", "86399")
    until(lambda: any(processes(mark) for mark in marks), what="the children")
    lab.ok("restart", "a")
    until(lambda: any(processes(mark) for mark in marks), what="the children")
    assert all(len(processes(mark)) <= 1 for mark in marks)
    lab.ok("down")

    assert not [pid for mark in marks for pid in processes(mark)]


def test_c44_a_foreign_pid_is_never_touched(lab: Lab) -> None:
    """A record that names somebody else's process leads to no harm."""
    stranger = subprocess.Popen(["sleep", "999"])
    try:
        pair(lab)
        lab.ok("up")
        path = lab.state() / "runs" / "a.json"
        record = json.loads(path.read_text())
        record["pid"] = stranger.pid
        known = identify(stranger.pid)
        assert known is not None
        record["created"] = known.created
        path.write_text(json.dumps(record))
        assert lab.rows()["a"]["state"] != "running"
        lab.ok("restart", "a")
        assert lab.rows()["a"]["state"] == "running"
        lab.ok("down")
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_c45_five_ups_at_once(lab: Lab) -> None:
    """Each agent is started once; every `up` succeeds or says that another is at work."""
    pair(lab)
    argv = [sys.executable, "-m", "mdtmux", "up"]
    env = {**os.environ, "FX_LOG": str(lab.home / "fx.log")}
    ups = [subprocess.Popen(argv, cwd=lab.home, env=env, stderr=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL) for _ in range(5)]  # fmt: skip
    codes = [up.wait(timeout=60) for up in ups]

    assert set(codes) <= {0, 75}
    assert 0 in codes
    until(lambda: lab.starts("a") and lab.starts("b"), what="both starts")
    assert (len(lab.starts("a")), len(lab.starts("b"))) == (1, 1)


def test_c45_up_killed_half_way_is_finished_by_the_next(lab: Lab) -> None:
    """After `kill -9` of `up` at any moment, the next one completes the office."""
    agents = [{"name": n, "command": tui(n), "prompt": f"for {n}"} for n in "abcd"]
    lab.write(agents)
    argv = [sys.executable, "-m", "mdtmux", "up"]
    env = {**os.environ, "FX_LOG": str(lab.home / "fx.log")}
    for wait in (0.25, 0.45, 0.6, 0.8):
        up = subprocess.Popen(argv, cwd=lab.home, env=env, stderr=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL)  # fmt: skip
        try:
            up.wait(timeout=wait)
        except subprocess.TimeoutExpired:
            up.kill()
            up.wait()
    lab.run("up")

    assert {row["state"] for row in lab.rows().values()} == {"running"}
    for name in "abcd":
        assert len(lab.starts(name)) == 1
        assert lab.submits(name) in ([], [f"for {name}"])
        prompt = lab.rows()[name]["prompt"]
        assert (prompt == "submitted") <= (lab.submits(name) == [f"for {name}"])


def test_c45_a_tmux_that_hangs_is_given_up(lab: Lab, world: Path) -> None:
    """A tmux that never answers is an error in bounded time."""
    stub = world / "stub"
    stub.mkdir()
    (stub / "tmux").write_text("#!/bin/sh\nexec sleep 999\n")
    (stub / "tmux").chmod(0o755)
    pair(lab)
    path = f"{stub}:{os.environ['PATH']}"
    done = lab.run("up", env={"PATH": path, "MDTMUX_TMUX_TIMEOUT": "1"})

    assert done.code in (1, 5)
    assert re.search("did not answer within", done.err + done.out)


def test_c56_one_office_from_everywhere(lab: Lab) -> None:
    """From an agent's worktree, a subfolder or a link it is the same office."""
    pair(lab)
    lab.ok("up")
    place = Path(str(lab.rows()["a"]["worktree"]))
    (lab.repo / "sub").mkdir()
    for folder in (place, lab.repo / "sub", lab.repo):
        assert run("ps", "--json", cwd=folder).code == 0
    assert run("send", "b", "x", cwd=place).code == 0
    assert lab.submits("b") == ["x"]
    assert run("-f", str(lab.file), "up", cwd=place).code == 0
    assert len(git(lab.repo, "worktree", "list").splitlines()) == 3


def test_c60_prompts_and_arguments_pass_no_shell(lab: Lab, world: Path) -> None:
    """Backticks, dollars and quotes arrive byte for byte; nothing is executed."""
    text = """`touch P1` $(touch P2) "q" 'q' \\ ! $HOME ${X} $5 * ~"""
    env = {"P": "a$b", "Q": "$$", "R": "^x$"}
    agent = {"name": "a", "command": [*tui("a"), text], "prompt": text, "env": env}
    lab.write([agent])
    lab.ok("up")

    assert lab.submits("a") == [text]
    argv = lab.starts("a")[0]["argv"]
    assert isinstance(argv, list)
    assert argv[-1] == text
    pid = lab.rows()["a"]["pid"]
    assert isinstance(pid, int)
    seen = psutil.Process(pid).environ()
    assert {key: seen[key] for key in env} == env
    assert not list(world.rglob("P[12]"))


def test_c61_paths_are_the_files_own(lab: Lab, world: Path) -> None:
    """The office is one, whether named from its folder, from `/` or by a link."""
    (lab.home / "prompts").mkdir()
    (lab.home / "prompts" / "a.md").write_text("do it")
    lab.write([{"name": "a", "command": tui("a"), "prompt": "file:prompts/a.md"}])
    link = world / "link.yaml"
    link.symlink_to(lab.file)
    log = {"FX_LOG": str(lab.home / "fx.log")}
    assert run("up", str(link), cwd="/", env=log).code == 0
    assert run("-f", str(lab.file), "ps", cwd="/").code == 0
    assert lab.rows()["a"]["state"] == "running"
    assert lab.submits("a") == ["do it"]
    assert run("down", str(lab.file), cwd="/").code == 0
    assert lab.rows()["a"]["state"] == "stopped"
