"""Branch names against git's own judgement, and which cannot exist together."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mdtmux.names import NAME_PATTERN
from mdtmux.office.branches import Claims, branch_fault
from tests.support.office_files import agent_fault

FRAGMENTS = st.sampled_from(
    ["a", "b", "/", ".", "..", "@", "{", "@{", "-", ".lock", "é", " ", "~", "^", ":", "?",
     "*", "[", "\\", "\t", "\x7f", "HEAD", "refs/", "1", "_", "🙂"]
)  # fmt: skip
NAMES = st.lists(FRAGMENTS, max_size=8).map("".join)


def _git_takes(name: str) -> bool:
    command = ["git", "check-ref-format", "--branch", name]
    done = subprocess.run(command, capture_output=True, check=False)
    return done.returncode == 0 and done.stdout.decode().rstrip("\n") == name


@given(NAMES)
@example("a.lock/b")
@example("a/.b")
@example("@")
@example("")
@settings(max_examples=150)
def test_git_agrees_on_branch_names(name: str) -> None:
    """What is accepted git accepts; what is refused beyond git is refused on purpose."""
    if branch_fault(name) is None:
        assert _git_takes(name)
    elif name not in ("@", "HEAD") and not name.startswith("refs/"):
        assert not _git_takes(name)


@given(
    st.from_regex(NAME_PATTERN, fullmatch=True),
    st.from_regex(NAME_PATTERN, fullmatch=True),
)
@settings(max_examples=50)
def test_every_default_branch_is_a_branch_to_git(office: str, agent: str) -> None:
    """OFFICE/AGENT of accepted names needs no further check."""
    assert branch_fault(f"{office}/{agent}") is None
    assert _git_takes(f"{office}/{agent}")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("''", "it is empty"),
        ("a..b", "`..` cannot stand in a branch name"),
        ("'a b'", "` ` cannot stand in a branch name"),
        ("'a:b'", "`:` cannot stand in a branch name"),
        ("'a@{1}'", "`@{` cannot stand in a branch name"),
        ("a//b", "`/` stands twice"),
        ("/a", "it begins with `/`"),
        ("a/", "it ends with `/`"),
        ("-a", "it begins with `-`"),
        ("a.", "it ends with `.`"),
        (".a", "a part of it begins with `.`"),
        ("a/.b", "a part of it begins with `.`"),
        ("a.lock/b", "a part of it ends with `.lock`"),
        ("'@'", "git keeps this name for itself"),
        ("HEAD", "git keeps this name for itself"),
        ("refs/heads/x", "write the short name, without refs/heads/"),
        ("x" * 201, "it is longer than 200 bytes"),
    ],
)
def test_branches_that_are_refused(name: str, reason: str) -> None:
    """The reason is told in the file's terms."""
    found = agent_fault(f"branch: {name}")
    assert found.startswith("branch: ")
    assert found.endswith(f" is no branch name: {reason}")


def test_claims_tell_the_earlier_branch() -> None:
    """The one that was there first is named, in its own spelling."""
    claims = Claims()
    assert [
        claims.claim(name) for name in ("Ag/a", "b", "ag/A/x", "AG", "b/c", "b2")
    ] == [
        None,
        None,
        "Ag/a",
        "Ag/a",
        "b",
        None,
    ]
