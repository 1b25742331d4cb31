"""What each real CLI must do in an office; run by `run.py`, inside its namespace."""

from __future__ import annotations

import fcntl
import os
import socket
import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.real.clis import CLIS, Cli
from tests.real.desk import FIRST, Desk
from tests.real.model import Model
from tests.real.run import say
from tests.support.wait import until

TEXTS = {
    "30 lines": "\n".join(f"line {n}: some words, and more" for n in range(30)),
    "8 KB in one line": "word " * 1640,
    "50 KB": "\n".join(f"line {n} of a long text, {'word ' * 9}" for n in range(750)),
    "a closing semicolon": "SELECT 1;",
    "a leading dash": "- do this\n- and that",
    "a leading !": "!touch BANG",
    "a path": "/etc/hosts is a file",
    "a heading": "# Title\n\nbody",
    "a name of a file at its end": "look at @README",
    "a backslash at its end": "a path C:\\",
    "a name of a key": "Enter",
    "letters": "Grüße, 你好, 🙂 and e\u0301",
}


Check = Callable[[Desk], None]


def up(desk: Desk) -> None:
    """The agent is up and has its first prompt, once."""
    done = desk.run("up", "--json")
    assert done.code == 0, f"{done.code}\n{done.out}{done.err}"
    desk.arrived(FIRST, 0)
    again = desk.run("up", "--json")
    assert again.code == 0, again.err
    desk.activity("idle")
    assert len(desk.model.prompts()) == 1, "the first prompt came twice"


def text_arrives(text: str) -> Check:
    """Return the check that a text is submitted as one prompt."""

    def check(desk: Desk) -> None:
        desk.activity("idle")
        since = len(desk.model.prompts())
        done = desk.send(text)
        assert done.code == 0, f"{done.code}\n{done.out}{done.err}\n{desk.screen()}"
        desk.arrived(text, since)

    return check


def commands_are_refused(desk: Desk) -> None:
    """A text that would be a command is refused; the agent lives on, unchanged."""
    desk.activity("idle")
    since = len(desk.model.prompts())
    for text in desk.cli.refused:
        done = desk.send(text)
        assert done.code == 4, f"{text}: {done.code}\n{done.out}{done.err}"
    assert desk.agent()["state"] == "running"
    assert len(desk.model.prompts()) == since
    assert not (desk.worktree() / "BANG").exists(), "a shell ran the text"


def busy_is_seen(desk: Desk) -> None:
    """A working agent is busy, a send waits for it or is refused."""
    desk.activity("idle")
    assert desk.send("SLOW 8 please").code == 0
    desk.activity("busy", 20)
    assert desk.send("too early").code == 4, "typed into a busy agent"
    since = len(desk.model.prompts())
    assert desk.send("afterwards", "--wait", "idle", "--timeout", "60").code == 0
    desk.arrived("afterwards", since)


def approval_is_waiting(desk: Desk) -> None:
    """An open approval is waiting; a send is refused and does not answer it."""
    desk.activity("idle")
    assert desk.send(desk.cli.approval).code == 0
    evidence = desk.activity("waiting", 30)
    since = len(desk.model.prompts())
    done = desk.send("hold on")
    assert done.code == 4, f"{done.code}\n{done.out}{done.err}"
    forced = desk.send("hold on", "--force")
    assert forced.code == 4, "forced into a menu"
    assert desk.agent()["activity"] == "waiting", "the menu was answered"
    assert not (desk.worktree() / "made.txt").exists(), "the menu was approved"
    assert len(desk.model.prompts()) == since
    say(f"       {evidence}")
    desk.keys("Escape")
    desk.activity("idle", 30)


def question_is_waiting(desk: Desk) -> None:
    """An open question is waiting; a send is refused."""
    desk.activity("idle")
    assert desk.send("ASK me").code == 0
    say(f"       {desk.activity('waiting', 30)}")
    assert desk.send("my answer").code == 4
    desk.keys("Escape")
    desk.activity("idle", 30)


def goes_ahead(desk: Desk) -> None:
    """A CLI without approvals makes the file, and is idle again."""
    desk.activity("idle")
    assert desk.send(desk.cli.approval).code == 0
    until((desk.worktree() / "made.txt").exists, seconds=30, what="the file")
    desk.activity("idle", 30)


def draft_is_kept(desk: Desk) -> None:
    """What a human has begun to type is neither sent nor lost."""
    desk.activity("idle")
    desk.type("a human types")
    until(lambda: "a human types" in desk.screen(), what="the draft")
    done = desk.send("not now")
    assert done.code == 4, f"{done.code}\n{done.out}{done.err}"
    assert "a human types" in desk.screen()
    desk.type("C-u")
    until(lambda: "a human types" not in desk.screen(), what="the cleared line")


def limit_is_seen(desk: Desk) -> None:
    """A reached usage limit shows as limited."""
    desk.activity("idle")
    desk.send("USAGE_LIMIT now")
    say(f"       {desk.activity('limited', 60)}")
    until(lambda: _interrupted(desk), seconds=60, what="the end of the limited turn")


def error_is_seen(desk: Desk) -> None:
    """An error of the model is on the screen, no limit; the next prompt is taken."""
    desk.activity("idle")
    desk.send("FAIL 400 now")
    until(lambda: desk.cli.error in desk.screen(), seconds=60, what=desk.screen)
    until(lambda: _interrupted(desk), seconds=60, what="the end of the turn")
    say(f"       {desk.activity('idle')}")
    text_arrives("go on")(desk)


def _interrupted(desk: Desk) -> bool:
    """Leave a turn that is tried again and again; tell whether it is left."""
    screen = desk.screen()
    if "retrying" not in screen:
        return True
    desk.keys(*["Escape"] * desk.cli.escapes)
    return False


def down(desk: Desk) -> None:
    """The agent ends by its own keys, and nothing of it is left."""
    start = time.monotonic()
    done = desk.run("down", "--json")
    assert done.code == 0, f"{done.code}\n{done.out}{done.err}"
    assert time.monotonic() - start < 9, "it did not end by its stop keys"
    assert not leftovers(desk.folder), leftovers(desk.folder)


def leftovers(folder: Path) -> list[str]:
    """Return the command lines of processes of the office that still run."""
    mark = f"MDTMUX_FILE={folder}/".encode()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "environ").read_bytes():
                words = (process / "cmdline").read_bytes().replace(b"\0", b" ")
                found.append(words.decode(errors="replace"))
        except OSError:
            continue
    return found


def trust_is_shown(desk: Desk) -> None:
    """In a folder it does not trust, the agent waits; the prompt is held back."""
    done = desk.run("up", "--json")
    assert done.code == 1, f"{done.code}\n{done.out}{done.err}"
    assert "trust" in done.out, done.out
    assert desk.send("hello").code == 4
    assert desk.agent()["activity"] == "waiting"
    assert not desk.model.prompts()
    down(desk)


def steps(cli: Cli) -> list[tuple[str, Check]]:
    """Return all checks in their order."""
    asked: list[tuple[str, Check]] = [
        ("an approval is waiting", approval_is_waiting),
        ("a question is waiting", question_is_waiting),
    ]
    texts = {**TEXTS, **{f"like a command, {text!r}": text for text in cli.commands}}
    return [
        ("up, first prompt once", up),
        *((f"text: {name}", text_arrives(text)) for name, text in texts.items()),
        ("commands are refused", commands_are_refused),
        ("busy is seen", busy_is_seen),
        *(asked if cli.asks else [("it goes ahead unasked", goes_ahead)]),
        ("a draft is kept", draft_is_kept),
        ("an error is seen", error_is_seen),
        ("a limit is seen", limit_is_seen),
        ("down, nothing left", down),
    ]


def attempt(desk: Desk, name: str, check: Check) -> bool:
    """Run one check and print how it went."""
    start = time.monotonic()
    try:
        check(desk)
    except AssertionError as error:
        say(f"FAIL  {desk.cli.name:9} {name}\n{error}")
        return False
    say(f"ok    {desk.cli.name:9} {name} ({time.monotonic() - start:.1f} s)")
    return True


def check(cli: Cli, home: Path) -> int:
    """Run all checks of one CLI and return how many failed."""
    failed = 0
    offices = [("office", steps(cli))]
    if cli.asks_for_trust:
        offices.insert(0, ("untrusted", [("trust is shown", trust_is_shown)]))
    for name, checks in offices:
        folder = home / f"{cli.name}-{name}"
        own = folder / "home"
        own.mkdir(parents=True)
        trusted = folder / ("repo" if name == "office" else "elsewhere")
        with Model() as model:
            desk = Desk(folder, cli, model)
            cli.settle(own, trusted, model.url)
            desk.write({"HOME": str(own), **cli.env(model.url)})
            try:
                failed += sum(not attempt(desk, *one) for one in checks)
            finally:
                desk.run("down", "--timeout", "2")
    return failed


def raise_loopback() -> None:
    """Switch the namespace's only interface on (SIOCSIFFLAGS, IFF_UP)."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, 0x8914, struct.pack("16sh14x", b"lo", 1))


def main(home: Path, versions: list[str]) -> int:
    """Check the CLIs named `name=version=folder`; return 1 when a check failed."""
    raise_loopback()
    (home / "home").mkdir()
    failed = 0
    path = os.environ["PATH"]
    for word in versions:
        name, version, folder = word.split("=", 2)
        say(f"{name} {version}")
        # Each is found alone, with the Node.js that is installed beside it.
        os.environ["PATH"] = os.pathsep.join([folder, path])
        own = home / version
        own.mkdir(exist_ok=True)
        failed += check(CLIS[name], own)
    say("all checks passed" if not failed else f"{failed} checks failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
