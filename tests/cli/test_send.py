"""`mdtmux send`: what it prints, its exit codes, and where the text comes from."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.office import Lab, make_lab, pair, tmux, tui
from tests.support.wait import until


@pytest.fixture
def lab(tidy: Path) -> Lab:
    """Give an office of two stand-ins that is up."""
    lab = make_lab(tidy)
    pair(lab)
    lab.ok("up")
    return lab


def test_a_text_is_submitted_and_told(lab: Lab) -> None:
    """One line on stdout says what was proven; several words are joined by a blank."""
    done = lab.ok("send", "a", "hello", "there")

    assert lab.submits("a") == ["hello there"]
    assert done.out.startswith("a: submitted 11 bytes: ")
    assert done.err == ""


def test_json_is_the_receipt(lab: Lab) -> None:
    """`--json` prints the receipt without the text; a refusal has one too."""
    good = lab.ok("send", "a", "--json", "he\x07llo").json()
    bad = lab.run("send", "a", "--json", "\n")

    assert isinstance(good, dict)
    assert (good["outcome"], good["bytes"], good["dropped"]) == ("submitted", 5, 1)
    assert "hello" not in str(good)
    assert bad.code == 4
    refusal = bad.json()
    assert isinstance(refusal, dict)
    assert refusal["outcome"] == "refused"
    assert "error: " in bad.err


def test_text_comes_from_stdin_and_from_a_file(lab: Lab) -> None:
    """`-` is standard input, `--text-file` a file; bytes that are no UTF-8 are refused."""
    (lab.home / "t.md").write_bytes("dos\r\nlines é".encode())
    (lab.home / "bin").write_bytes(b"\xff\x00")

    assert lab.run("send", "a", "-", stdin="from\nstdin").code == 0
    lab.ok("send", "a", "--text-file", "t.md")
    binary = lab.run("send", "a", "--text-file", "bin")

    assert lab.submits("a") == ["from\nstdin", "dos\nlines é"]
    assert binary.code == 4
    assert "not UTF-8" in binary.err


@pytest.mark.parametrize(
    "args",
    [
        ("send", "a"),
        ("send", "a", "text", "--key", "Enter"),
        ("send", "a", "text", "--text-file", "office.yaml"),
        ("send", "a", "--text-file", "missing"),
        ("send", "a", "--key", "Entr"),
        ("send", "a", "--timeout", "soon", "x"),
        ("send", "a", "--wait", "idle", "--queue", "x"),
        ("send", "a", "--wait", "busy", "x"),
        ("send", "a", "--nonsense", "x"),
        ("send", "nobody", "x"),
    ],
)
def test_what_cannot_be_meant_is_a_usage_error(lab: Lab, args: tuple[str, ...]) -> None:
    """Nothing is typed, and the exit code is 2."""
    done = lab.run(*args)

    assert (done.code, done.out) == (2, ""), done
    assert done.err.startswith("error: ")
    assert lab.submits("a") == []


def test_keys_are_pressed_by_name(lab: Lab) -> None:
    """`--key` presses keys in their order."""
    done = lab.ok("send", "a", "--key", "h", "--key", "i", "--key", "Enter")

    until(lambda: lab.submits("a") == ["hi"], what="the keys")
    assert "pressed h i Enter" in done.out
    lab.ok("send", "a", "--key", "C-c")
    until(lambda: lab.events("a", "ctrl-c"), what="the interrupt")


def test_a_stopped_agent_takes_nothing_unless_it_is_kept(lab: Lab) -> None:
    """A text for an agent that does not run is refused; `--queue` keeps it till then."""
    lab.ok("stop", "a")

    refused = lab.run("send", "a", "x")
    kept = lab.ok("send", "a", "--queue", "kept")

    assert refused.code == 4
    assert "does not run" in refused.err
    assert kept.out.startswith("a: queued")
    lab.ok("start", "a")
    until(lambda: lab.submits("a") == ["kept"], seconds=20, what="the kept text")


def test_a_side_process_takes_no_text(tidy: Path) -> None:
    """Text for a dev server is refused, kept or not."""
    lab = make_lab(tidy)
    side = [{"name": "web", "command": tui("web")}]
    lab.write([{"name": "a", "command": tui("a")}], processes=side)
    lab.ok("up")

    for args in (("send", "web", "x"), ("send", "web", "--queue", "x")):
        done = lab.run(*args)
        assert done.code == 4
        assert "side process" in done.err


def test_queued_texts_come_in_order_after_the_answer(tidy: Path) -> None:
    """Behind a dialog texts wait in line; the pump types them when it is answered."""
    lab = make_lab(tidy)
    lab.write([{"name": "a", "command": tui("a", "dialog=menu")}])
    lab.ok("up")

    for number in range(3):
        lab.ok("send", "a", "--queue", f"text {number}")
    lab.ok("send", "a", "--key", "Enter")

    wanted = [f"text {number}" for number in range(3)]
    until(lambda: lab.submits("a") == wanted, seconds=20, what="the texts in order")
    assert lab.events("a", "dialog-answered")[0]["with_text"] == ""


def test_down_ends_the_pump_and_keeps_the_queue(tidy: Path) -> None:
    """What waits outlasts `down`; nothing of the office runs on."""
    lab = make_lab(tidy)
    lab.write([{"name": "a", "command": tui("a", "dialog=menu")}])
    lab.ok("up")
    lab.ok("send", "a", "--queue", "later")
    state = lab.state()
    until(lambda: (state / "queue/a/pump.json").exists(), what="the pump")

    lab.ok("down")

    assert not (state / "queue/a/pump.json").exists()
    assert len(list((state / "queue/a").glob("*-*.json"))) == 1


def test_waiting_in_vain_exits_5(tidy: Path) -> None:
    """`--wait idle` that takes too long has a code of its own."""
    lab = make_lab(tidy)
    lab.write([{"name": "a", "command": tui("a", "dialog=menu")}])
    lab.ok("up")

    done = lab.run("send", "a", "--wait", "idle", "--timeout", "1s", "x")

    assert done.code == 5
    assert lab.events("a", "dialog-answered") == []


@pytest.mark.parametrize("verb", [("send", "a"), ("broadcast",)])
def test_a_closed_standard_input_is_a_usage_error(
    lab: Lab, verb: tuple[str, ...]
) -> None:
    """`- <&-` says what is wrong instead of breaking down."""
    words = (sys.executable, "-m", "mdtmux", *verb, "-")
    done = subprocess.run(
        ("sh", "-c", '"$@" <&-', "sh", *words),
        cwd=lab.home, capture_output=True, text=True, check=False, timeout=50,
    )  # fmt: skip

    assert (done.returncode, done.stdout) == (2, "")
    assert "standard input is closed" in done.stderr


@pytest.mark.parametrize("name", ["pipe", "/dev/zero"])
def test_a_text_file_is_a_regular_file(lab: Lab, name: str) -> None:
    """A pipe that nobody writes to, or a device, does not keep the sender."""
    os.mkfifo(lab.home / "pipe")

    done = lab.run("send", "a", "--text-file", name)

    assert (done.code, done.out) == (2, "")
    assert "not a regular file" in done.err


def test_a_clerk_takes_what_it_would_take_for_a_command(tidy: Path) -> None:
    """`/word` and `!word` arrive as text; `--command` means them as commands."""
    lab = make_lab(tidy)
    log = str(tidy / "here" / "fx.log")
    lab.write([{"name": "a", "kind": "clerk", "args": ["--prose", "--log", log]}])
    lab.ok("up")

    lab.ok("send", "a", "/help")
    lab.ok("send", "a", "--wait", "idle", "!ls")
    lab.ok("send", "a", "--wait", "idle", "--command", "/help")

    assert lab.submits("a") == ["/help", "!ls"]
    assert [event["text"] for event in lab.events("a", "command")] == ["/help"]


def test_an_agent_can_send_to_another(lab: Lab) -> None:
    """From inside a pane the office is known, and no name of it has to be given."""
    inside = {
        "MDTMUX_STATE": str(lab.state()),
        "MDTMUX_OFFICE": "lab",
        "MDTMUX_AGENT": "b",
    }

    done = lab.run("send", "a", "hello from b", env=inside)

    assert done.code == 0, done.err
    assert lab.submits("a") == ["hello from b"]
    assert tmux("list-buffers") == ""
