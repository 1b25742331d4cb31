"""Instructions that call git and mdtmux."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.agents.clerk.terminal import clerk

# Stands for the command line of an office that is up: notes its call and its input.
OFFICE = """\
#!/bin/sh
{ echo "$@"; [ "$1" = wait ] || cat; echo; } >> calls
case "$1$2" in mailsend) echo "Error: No such command 'mail'." >&2; exit 2;; esac
echo "$1: fine"
"""


def _git(*args: str) -> str:
    return subprocess.run(
        ["git", *args], check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def office(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a program named mdtmux on PATH; return the file that it notes calls in."""
    monkeypatch.setenv("PATH", f"{Path.cwd() / 'bin'}:{os.environ['PATH']}")
    Path("bin").mkdir()
    Path("bin/mdtmux").write_text(OFFICE, encoding="utf-8")
    Path("bin/mdtmux").chmod(0o755)
    return Path("calls")


def test_commit_takes_everything() -> None:
    """New, changed and deleted files are committed with the message."""
    _git("init", "-q")
    Path("old").write_text("x", encoding="utf-8")
    _git("add", "-A")
    _git("commit", "-q", "-m", "first")
    Path("old").unlink()
    with clerk("--log", "/dev/null") as seen:
        seen.submit('write new hello\ncommit make "new"; $HOME isn\'t run')
        seen.see("● done")
    assert _git("log", "-1", "--format=%s %an") == (
        'make "new"; $HOME isn\'t run Test Person'
    )
    assert _git("status", "--porcelain") == ""


def test_commit_without_an_identity_uses_its_own_and_stores_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where git has no identity the clerk's name is used for that commit."""
    _git("init", "-q")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    with clerk("--name", "jim") as seen:
        seen.result("write a b\ncommit first")
    name = _git("log", "-1", "--format=%an <%ae>")
    assert name == "jim <jim@clerk.invalid>"
    assert "user" not in Path(".git/config").read_text(encoding="utf-8")


def test_nothing_to_commit_is_a_failure() -> None:
    """An empty commit is not made."""
    _git("init", "-q")
    Path(".gitignore").write_text("*\n", encoding="utf-8")
    with clerk() as seen:
        assert "nothing to commit" in seen.result("commit nothing")


def test_the_boss_hands_out_a_list(office: Path) -> None:
    """Each item of a dispatch goes to its agent by `mdtmux send`, byte for byte."""
    prompt = """\
dispatch jim: write a.txt one
  commit a
dispatch:
  pam: - say 'hi'; $HOME
  dwight:
    write b.txt two
    commit b
wait jim pam
merge jim"""
    with clerk(height=50) as seen:
        text = seen.result(prompt)
        assert "send: fine" in text
        assert "● done" in text
    assert office.read_text(encoding="utf-8") == (
        "send --queue jim -\nwrite a.txt one\ncommit a\n"
        "send --queue pam -\n- say 'hi'; $HOME\n"
        "send --queue dwight -\nwrite b.txt two\ncommit b\n"
        "wait jim pam --for idle\n\nmerge jim\n\n"
    )


def test_mail_says_when_the_office_has_none_yet(office: Path) -> None:
    """An mdtmux without mailboxes is named as such."""
    with clerk() as seen:
        text = seen.result("mail jim hello there")
        assert "this mdtmux has no `mail` yet" in text
    assert office.read_text(encoding="utf-8") == "mail send jim -\nhello there\n"


def test_a_missing_mdtmux_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without mdtmux on PATH the instruction fails and says why."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    with clerk() as seen:
        assert "cannot run `mdtmux`" in seen.result("merge jim")
