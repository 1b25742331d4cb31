"""The root of the command line: bare calls, usage errors, closed pipes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cli import run
from tests.support.tree_office import tree_office


def _into_a_closed_pipe(*args: str, cwd: Path) -> tuple[int, bytes]:
    """Run the command line into a pipe that nobody reads any more."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "mdtmux", *args],
            cwd=cwd,
            stdout=writer,
            stderr=subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(writer)
    return done.returncode, done.stderr


@pytest.mark.parametrize("args", [("ps",), ("--help",), ("ps", "--help"), ()])
def test_a_reader_that_went_away_ends_it_silently(
    repo: Path, args: tuple[str, ...]
) -> None:
    """`mdtmux ps | true` exits as a program that SIGPIPE ends would, and says nothing."""
    office = tree_office(repo, "a")

    assert _into_a_closed_pipe(*args, cwd=office.home) == (141, b"")


@pytest.mark.parametrize("args", [(), ("config",)])
def test_a_bare_call_prints_the_help(args: tuple[str, ...]) -> None:
    """Whoever types the program's name alone asks what it can do."""
    done = run(*args)

    assert (done.code, done.err) == (0, "")
    assert done.out == run(*args, "--help").out


@pytest.mark.parametrize(
    ("args", "where"),
    [
        (("send", "a", "--timeout"), "mdtmux send --help"),
        (("wait", "a", "--for", "sleep"), "mdtmux wait --help"),
        (("config", "show", "--nonesuch"), "mdtmux config show --help"),
        (("ps", "extra"), "mdtmux ps --help"),
        (("--nonesuch",), "mdtmux --help"),
    ],
)
def test_a_usage_error_names_the_help_of_its_verb(
    args: tuple[str, ...], where: str
) -> None:
    """The hint leads to the options of what was typed, not to the list of verbs."""
    done = run(*args)

    assert done.code == 2
    assert f"`{where}`" in done.err


@pytest.mark.parametrize(
    ("typed", "meant"), [("bogus", None), ("lgos", "logs"), ("dwon", "down")]
)
def test_an_unknown_verb_suggests_only_what_is_near(
    typed: str, meant: str | None
) -> None:
    """A word that is like no verb gets no suggestion."""
    done = run(typed)

    assert done.code == 2
    assert f"no such command `{typed}`" in done.err
    assert ("did you mean" in done.err) is bool(meant)
    assert f"`{meant}`" in done.err or meant is None


@pytest.mark.parametrize("verb", ["completion", "shell-init", "tmux-init"])
def test_examples_in_help_stand_as_they_were_written(verb: str) -> None:
    """The mark that keeps click from wrapping lines is not shown itself."""
    text = run(verb, "--help").out

    assert r"\b" not in text
    assert "\b" not in text
    assert r"\u0008" not in text
    assert any(
        line.startswith(("  bash", "  mdtmux tmux-init")) for line in text.split("\n")
    )


def test_the_help_of_a_group_is_not_cut() -> None:
    """Each of its verbs is told in a whole line."""
    assert "..." not in run("config", "-h").out.replace("[ARGS]...", "")


@pytest.mark.parametrize(
    ("args", "right"),
    [
        (("up", "-f", "office.yaml"), "mdtmux -f FILE up"),
        (("up", "--file=office.yaml"), "mdtmux --file FILE up"),
        (("ps", "-omine"), "mdtmux -o NAME ps"),
        (("config", "show", "--office", "mine"), "mdtmux --office NAME config show"),
        (("plan", "-v"), "mdtmux -v plan"),
        (("down", "--verbose"), "mdtmux --verbose down"),
    ],
)
def test_a_global_option_after_the_verb(args: tuple[str, ...], right: str) -> None:
    """The hint writes the command as it is understood."""
    done = run(*args)

    assert done.code == 2
    assert "no such option" in done.err.lower()
    assert f"stands before the verb: `{right}`\n" in done.err


@pytest.mark.parametrize("verb", ["ps", "init", "plan", "down"])
def test_one_office_is_named_once(verb: str) -> None:
    """With -f and -o neither is silently passed over."""
    done = run("-f", "office.yaml", "-o", "mine", verb)

    assert (done.code, done.out) == (2, "")
    assert "-f and -o both say which office is meant" in done.err
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("option", ["-f", "-o"])
@pytest.mark.parametrize("verb", ["up", "down", "plan", "config validate"])
def test_an_office_named_beside_the_verbs_own_file(verb: str, option: str) -> None:
    """`mdtmux -o mine down other.yaml` takes neither of the two down."""
    done = run(option, "mine", *verb.split(), "other.yaml")

    assert (done.code, done.out) == (2, "")
    assert f"`other.yaml` and {option} both say which office is meant" in done.err
