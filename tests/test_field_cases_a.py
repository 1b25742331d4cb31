"""Field cases, section A: getting text into a pane, end to end by the command line.

Each test is one case from public bug reports, told by what users saw.
"""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from tests.support.cli import Result, start
from tests.support.office import Lab, kill_server, make_lab, pair, tmux, tui
from tests.support.wait import until


@pytest.fixture
def lab(tidy: Path) -> Lab:
    """Give a folder with a repository, for an office of stand-ins."""
    return make_lab(tidy)


def pane(name: str) -> str:
    """Return the id of the agent's pane."""
    rows = tmux("list-panes", "-a", "-F", "#{@mdtmux_agent} #{pane_id}").splitlines()
    return next(row.split()[1] for row in rows if row.split()[0] == name)


def screen(name: str) -> str:
    """Return what stands on the agent's screen."""
    return tmux("capture-pane", "-p", "-t", pane(name))


def agent(name: str, *options: str, **keys: object) -> dict[str, object]:
    """Return a stand-in as the office file has it."""
    return {
        "name": name,
        "command": tui(name, *options),
        "branch": f"ag/{name}",
        **keys,
    }


def test_c01_a_closing_semicolon_stays(lab: Lab) -> None:
    """A line of code or SQL that ends in `;` arrives with it, also as a prompt."""
    texts = ["SELECT 1;", ";", "x;;", r"find . -exec ls {} \;"]
    lab.write([agent("a"), agent("b", prompt="SELECT 1;")])
    lab.ok("up")

    for text in texts:
        lab.ok("send", "a", text)

    assert lab.submits("a") == texts
    assert lab.submits("b") == ["SELECT 1;"]


def test_c02_a_message_may_begin_with_a_dash(lab: Lab) -> None:
    """Bullets and flags are text, from arguments, standard input and prompts."""
    lab.write([agent("a"), agent("b", prompt="- tidy up")])
    lab.ok("up")

    assert lab.run("send", "a", "-", stdin="- one\n- two").code == 0
    lab.ok("send", "a", "--", "--model x")
    lab.ok("send", "a", "--", "--help")
    lab.ok("send", "a", "- do this")

    assert lab.submits("a") == ["- one\n- two", "--model x", "--help", "- do this"]
    assert lab.submits("b") == ["- tidy up"]


def test_c03_the_name_of_a_key_is_a_word(lab: Lab) -> None:
    """One-word messages that are names of keys are typed, not pressed."""
    pair(lab)
    lab.ok("up")
    words = ["Enter", "Up", "Escape", "Space", "C-c", "F1", "0x41"]

    for word in words:
        lab.ok("send", "a", word)

    assert lab.submits("a") == words
    assert lab.events("a", "ctrl-c") == []


def test_c04_a_prompt_of_many_lines_is_one_prompt(lab: Lab) -> None:
    """Lines stay together; a program that takes no paste refuses them as a whole."""
    text = "l1\nl2\n\nl4"
    lab.write([agent("a", prompt=text), agent("b", "nobracket")])
    lab.ok("up")

    refused = lab.run("send", "b", text)

    assert lab.submits("a") == [text]
    assert refused.code == 4
    assert "bracketed paste" in refused.err
    assert lab.submits("b") == []


def test_c04_a_prompt_for_a_program_without_paste_is_never_split(lab: Lab) -> None:
    """A first prompt of several lines for such a program is refused and told."""
    lab.write([agent("b", "nobracket", prompt="l1\nl2\n\nl4")])

    done = lab.run("up")

    assert lab.submits("b") == []
    assert "bracketed paste" in done.out + done.err


def test_c05_an_enter_that_is_swallowed_is_not_called_sent(lab: Lab) -> None:
    """Where Enter in one burst with text is a newline, the text is still submitted."""
    lab.write([agent("a", "swallow"), agent("b", "swallow", "echo")])
    lab.ok("up")

    lab.ok("send", "a", "hello")
    lab.ok("send", "b", "hello")

    assert lab.submits("a") == lab.submits("b") == ["hello"]


@pytest.mark.parametrize("size", [4000, 5000, 16_300, 16_400, 140_000, 1_000_000])
def test_c06_a_long_prompt_arrives_whole(lab: Lab, size: int) -> None:
    """A prompt file of any size up to the limit is submitted byte for byte."""
    row = "".join(chr(33 + i % 90) for i in range(79)) + "\n"
    text = (row * (size // 80 + 1))[:size]
    (lab.home / "big.md").write_text(text)
    lab.write([agent("a", prompt="file:big.md")])

    lab.ok("up")

    assert lab.submits("a") == [text]


def test_c06_a_text_above_the_limit_is_refused_before_typing(lab: Lab) -> None:
    """The limit is told and nothing reaches the agent."""
    pair(lab)
    lab.ok("up")
    (lab.home / "huge").write_bytes(b"x" * 16_000_001)

    done = lab.run("send", "a", "--text-file", "huge")

    assert done.code == 4
    assert "at most 16.0MB" in done.err
    assert lab.submits("a") == []


def test_c07_a_prompt_waits_until_somebody_listens(lab: Lab) -> None:
    """Slow starters that throw early input away each get their prompt once."""
    names = [f"a{number}" for number in range(4)]
    lab.write([agent(n, "boot=2", prompt=f"task of {n}\nin two rows") for n in names])

    lab.ok("up")

    for name in names:
        until(partial(lab.submits, name), what=f"prompt of {name}")
        assert lab.submits(name) == [f"task of {name}\nin two rows"]


@pytest.mark.parametrize("dialog", ["trust", "menu"])
def test_c08_a_dialog_does_not_eat_the_prompt(lab: Lab, dialog: str) -> None:
    """The prompt waits while a dialog is open, and is typed once a human has answered."""
    lab.write([agent("a", f"dialog={dialog}", prompt="do it")])

    done = lab.run("up")

    assert lab.events("a", "dialog-answered") == []
    assert "a" in done.out
    why = lab.ok("why", "a").out
    assert "1 texts wait" in why or "1 text waits" in why
    lab.ok("send", "a", "--key", "Enter")
    until(lambda: lab.submits("a") == ["do it"], seconds=20, what="the prompt")
    answered = lab.events("a", "dialog-answered")
    assert [event["with_text"] for event in answered] == [""]


def test_c09_a_menu_is_never_approved_by_a_text(lab: Lab) -> None:
    """While a question is open a text is refused or kept, and no Enter is pressed."""
    lab.write([agent("a", "dialog=menu")])
    lab.ok("up")

    plain = lab.run("send", "a", "hold on")
    forced = lab.run("send", "a", "--force", "hold on")
    kept = lab.ok("send", "a", "--queue", "hold on")

    assert (plain.code, forced.code) == (4, 4)
    assert "waits for an answer" in plain.err
    assert "queued" in kept.out
    assert lab.events("a", "dialog-answered") == []


@pytest.mark.parametrize(
    "command",
    [
        ["sh", "-c", "sleep 1; exec sh"],
        ["sh", "-c", "sleep 0.2; exec bash --norc"],
        ["sh", "-c", "exec " + sys.executable + " -i -q"],
    ],
)
def test_c10_a_shell_does_not_run_the_prompt(lab: Lab, command: list[str]) -> None:
    """What is left of an agent that quit into a shell gets no text, forced or not."""
    lab.write([{"name": "a", "command": command}])
    lab.run("up")
    text = "open('PWNED', 'w'); touch PWNED"

    early = lab.run("send", "a", text)
    until(lambda: screen("a").strip(), what="the shell's prompt")
    late = lab.run("send", "a", text)
    forced = lab.run("send", "a", "--force", text)
    key = lab.run("send", "a", "--key", "Enter")

    assert [one.code for one in (early, late, forced, key)] == [4] * 4
    assert "executed" in late.err
    assert list(lab.home.rglob("PWNED")) == []
    assert "PWNED" not in screen("a")


def test_c11_a_scrolled_pane_still_takes_the_text(lab: Lab) -> None:
    """Somebody's scrolling does not swallow the Enter."""
    pair(lab)
    lab.ok("up")
    tmux("copy-mode", "-t", pane("a"))

    lab.ok("send", "a", "hello")

    assert lab.submits("a") == ["hello"]


def test_c12_senders_at_the_same_time_do_not_mix(lab: Lab) -> None:
    """Forty processes send to two agents: each text whole, once, where it belongs."""
    pair(lab)
    lab.ok("up")
    jobs = [(name, f"{name}{number}") for number in range(20) for name in "ab"]

    def send(job: tuple[str, str]) -> Result:
        return lab.run("send", *job, "--timeout", "100s")

    with ThreadPoolExecutor(10) as pool:
        done = list(pool.map(send, jobs))

    assert [one.code for one in done] == [0] * 40, [one.err for one in done if one.code]
    for name in "ab":
        assert sorted(lab.submits(name)) == sorted(f"{name}{n}" for n in range(20))
    assert tmux("list-buffers") == ""


def test_c14_indexes_are_not_used(lab: Lab) -> None:
    """Windows and panes that count from 1 and renumber get their own texts."""
    (Path.home() / ".tmux.conf").write_text(
        "set -g base-index 1\nset -g pane-base-index 1\nset -g renumber-windows on\n"
    )
    pair(lab, tmux={"socket": "default", "panes_per_window": 1})
    lab.ok("up")
    lab.ok("send", "a", "for a")
    rows = tmux(
        "list-panes", "-a", "-F", "#{@mdtmux_agent} #{pane_id}", socket="default"
    )
    first = next(row.split()[1] for row in rows.splitlines() if row.startswith("a "))
    tmux("kill-pane", "-t", first, socket="default")

    lab.ok("send", "b", "for b")
    gone = lab.run("send", "a", "nobody")

    assert (lab.submits("a"), lab.submits("b")) == (["for a"], ["for b"])
    assert gone.code == 4


def test_c18_renamed_windows_are_still_found(lab: Lab) -> None:
    """A program or a human that renames the window does not redirect the text."""
    lab.write([agent("a", "say=\x1bkHACKED\x1b\\")])
    lab.ok("up")
    tmux("set-option", "-g", "allow-rename", "on")
    tmux("rename-window", "-t", pane("a"), "foo")

    lab.ok("send", "a", "hello")

    assert lab.submits("a") == ["hello"]


def test_c19_ids_of_another_server_are_void(lab: Lab) -> None:
    """After the server died, a stranger's pane of the same id gets nothing."""
    pair(lab)
    lab.ok("up")
    old = pane("a")
    kill_server()
    other = lab.home / "other.txt"
    other.touch()
    tmux("-f", "/dev/null", "new-session", "-d", "-s", "mine", f"cat > '{other}'")
    while old not in tmux("list-panes", "-a", "-F", "#{pane_id}").split():
        tmux("new-window", "-d", "-t", "mine", f"cat >> '{other}'")

    done = lab.run("send", "a", "secret")

    assert done.code == 4
    assert other.read_text() == ""
    assert "mine" in tmux("list-sessions")


@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": None, "LANG": None},
        {"LC_ALL": "C"},
        {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
)
def test_c21_no_utf8_locale_changes_nothing(
    lab: Lab, env: dict[str, str | None]
) -> None:
    """Letters with accents arrive although the caller's locale knows none."""
    pair(lab)
    lab.ok("up", env=env)

    lab.ok("send", "a", "é ✓", env=env)

    assert lab.submits("a") == ["é ✓"]


def test_c35_a_dead_pane_takes_no_text(lab: Lab) -> None:
    """An agent that crashed is told as ended, not typed into."""
    lab.write([agent("a", "after=2", "exit=3")])
    lab.ok("up")
    lab.until_state("a", "exited")

    def refused() -> bool:
        done = lab.run("send", "a", "x")
        assert done.code == 4
        # tmux learns the status a moment after the end.
        return "status 3" in done.err

    until(refused, what="a refusal that tells the status")


@pytest.mark.parametrize(
    "wrap",
    [
        "#!/bin/sh\n{command}\n",
        "#!/bin/sh\nexec {command}\n",
        "#!/bin/sh\nX=1 sh -c '{command}'\n",
        "#!/usr/bin/env bash\nenv X=1 {command}\n",
    ],
)
def test_c36_a_wrapped_agent_takes_text(lab: Lab, wrap: str) -> None:
    """A wrapper script makes the process look like a shell; the agent is still there."""
    script = lab.home / "claude"
    script.write_text(wrap.format(command=" ".join(tui("a"))))
    script.chmod(0o755)
    lab.write([{"name": "a", "kind": "custom", "command": [str(script)]}])
    lab.ok("up")

    lab.ok("send", "a", "--wait", "idle", "--timeout", "20s", "hello")

    assert lab.submits("a") == ["hello"]


def test_a_killed_sender_holds_nobody_up(lab: Lab) -> None:
    """Kill -9 of a sender leaves no lock and no paste buffer behind."""
    pair(lab)
    lab.ok("up")
    senders: list[subprocess.Popen[str]] = []
    for number in range(3):
        env = {"FX_LOG": str(lab.home / "fx.log")}
        senders.append(start("send", "a", f"text {number}", cwd=lab.home, env=env))
    until(lambda: (lab.state() / "queue/a/typed.json").exists(), what="the first text")
    for sender in senders:
        with sender:
            sender.kill()

    done = lab.run("send", "a", "--force", "after")

    assert done.code == 0, done
    assert lab.submits("a")[-1].endswith("after")
    assert tmux("list-buffers") == ""
