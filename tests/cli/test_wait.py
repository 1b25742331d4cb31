"""`mdtmux wait`, and what an agent cannot ask of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.office import Lab, make_lab, tui


@pytest.fixture
def lab(tidy: Path) -> Lab:
    """Give an office of a stand-in, of `cat`, and of one that never gets ready."""
    lab = make_lab(tidy)
    cat = {"name": "kitty", "command": ["cat"], "worktree": False}
    slow = {"name": "slow", "command": ["sleep", "600"], "worktree": False}
    slow["ready"] = {"pattern": "READY>", "timeout": "90s"}
    lab.write([{"name": "a", "command": tui("a"), "worktree": False}, cat, slow])
    lab.run("up", "--timeout", "2")
    return lab


def test_a_late_agent_is_told_with_what_it_did(lab: Lab) -> None:
    """The activity that it had instead, and where to learn how that is known."""
    done = lab.run("wait", "kitty", "--timeout", "0.5")
    ended = lab.run("wait", "kitty", "--for", "exited", "--timeout", "0.5")

    assert done.code == 5
    assert "`kitty` was still unknown after 0.5s" in done.err
    assert "hint: `mdtmux why kitty`" in done.err
    assert ended.code == 5
    assert "`kitty` was still running after" in ended.err


def test_an_agent_cannot_wait_for_itself(lab: Lab) -> None:
    """Called from its own pane it would never end; another's name or a kept text does."""
    inside = {"MDTMUX_STATE": str(lab.state()), "MDTMUX_AGENT": "kitty"}

    alone = lab.run("wait", "kitty", env=inside)
    both = lab.run("wait", "a", "kitty", env=inside)
    sent = lab.run("send", "kitty", "--wait", "go on", env=inside)
    kept = lab.run("send", "kitty", "--queue", "go on", env=inside)
    key = lab.run("send", "kitty", "--key", "Enter", env=inside)

    for done in (alone, both, sent):
        assert done.code == 4, done
        assert "`kitty`" in done.err
        assert "itself" in done.err
    assert "--queue" in sent.err
    assert (kept.code, key.code) == (0, 0)
    other = {**inside, "MDTMUX_STATE": str(lab.home)}
    assert "itself" not in lab.run("wait", "kitty", "--timeout", "0", env=other).err


def test_a_refusal_of_a_program_without_a_prompt_says_what_helps(lab: Lab) -> None:
    """For `cat` there is `--force`; a program with a prompt can be described."""
    done = lab.run("send", "kitty", "hello")

    assert done.code == 4
    assert "`--force` types all the same" in done.err
    assert "`screen: {idle: PATTERN}`" in done.err


def test_why_says_which_sign_of_readiness_was_not_seen(lab: Lab) -> None:
    """The pattern of the file, and since when; and that nothing reads `cat`."""
    slow, cat = lab.ok("why", "slow").out, lab.ok("why", "kitty").out

    assert "; not ready after 2 s" in slow
    assert "not seen; its sign: `READY>` on its screen" in slow
    assert "the office file gives no `screen:` patterns" in cat
    assert "ready:" not in cat


def test_a_program_that_is_missing_leads_to_doctor(world: Path) -> None:
    """Nothing is there to attach to, so nobody is told to."""
    lab = make_lab(world)
    lab.write([{"name": "x", "command": ["nonesuch"], "worktree": False}])

    done = lab.run("up")

    assert done.code == 1
    assert "`mdtmux doctor`" in done.err
    assert "0 of 1 up in office `lab`\n" in done.err
    assert "attach" not in done.err


def test_ps_puts_the_question_first(tidy: Path) -> None:
    """What is asked, then how to answer it."""
    lab = make_lab(tidy)
    agent = {"name": "q", "command": ["sh", "-c", "echo 'Proceed with it?'; sleep 600"]}
    lab.write([{**agent, "worktree": False, "screen": {"waiting": "Proceed"}}])
    lab.ok("up")

    assert (
        lab.ok("ps")
        .out.rstrip()
        .endswith("Proceed with it? (answer it: attach q, or send q --key KEY)")
    )
