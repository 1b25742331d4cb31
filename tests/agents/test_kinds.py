"""Each kind is found by its name and starts what the office file says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mdtmux.agents.kinds import KINDS, kind_of
from mdtmux.errors import UsageError
from mdtmux.office.model import Permissions
from tests.agents.agents import PLAIN, of_kind

CLIS = ("claude", "codex", "opencode", "gemini", "qwen", "pi", "openclaw")


def test_the_kinds_are_named() -> None:
    """The office file's words lead to the kinds."""
    assert list(KINDS) == [*CLIS, "clerk", "custom"]
    assert all(KINDS[name](of_kind(name)).name == name for name in KINDS)


@pytest.mark.parametrize("name", [*CLIS, "clerk", "custom"])
def test_an_agent_has_the_kind_of_its_file(name: str) -> None:
    """The kind of an agent is the one that its file names."""
    assert kind_of(of_kind(name, "program")).name == name


def test_a_side_process_is_a_process_whatever_it_runs() -> None:
    """What stands under `processes:` is never read or typed into."""
    kind = kind_of(replace(of_kind("claude"), is_process=True))
    assert (kind.name, kind.reads_screen) == ("process", False)


def test_an_unknown_kind_names_the_nearest() -> None:
    """A misspelt kind is an error with a suggestion."""
    with pytest.raises(UsageError) as error:
        kind_of(of_kind("claud"))
    assert error.value.hint == "did you mean `claude`?"


CODEX = ("--no-daemon", "-c", "check_for_update_on_startup=false")
HERE = (
    "/bin/sh",
    "-c",
    'OPENCLAW_WORKSPACE_DIR="${OPENCLAW_WORKSPACE_DIR:-$PWD}" exec "$@"',
    "sh",
)
SANDBOX = ("-s", "workspace-write")
ARGV = [
    (of_kind("claude"), ("claude", "--permission-mode", "manual")),
    (
        replace(of_kind("claude"), permissions=Permissions.AUTO),
        ("claude", "--permission-mode", "auto"),
    ),
    (
        of_kind("claude", args=("--permission-mode=plan",)),
        ("claude", "--permission-mode=plan"),
    ),
    (
        of_kind(
            "claude", "npx", "claude", "--dangerously-skip-permissions", args=("-c",)
        ),
        ("npx", "claude", "--dangerously-skip-permissions", "-c"),
    ),
    (
        replace(of_kind("claude", args=("--ide",)), model="opus"),
        ("claude", "--permission-mode", "manual", "--model", "opus", "--ide"),
    ),
    (
        replace(of_kind("opencode"), model="acme/fast"),
        ("opencode", "--model", "acme/fast"),
    ),
    (
        replace(of_kind("gemini"), model="gemini-2.5-pro"),
        ("gemini", "--approval-mode", "default", "--model", "gemini-2.5-pro"),
    ),
    (
        replace(of_kind("gemini"), permissions=Permissions.AUTO),
        ("gemini", "--approval-mode", "yolo"),
    ),
    (of_kind("gemini", args=("-y",)), ("gemini", "-y")),
    (
        replace(of_kind("qwen", args=("-c",)), model="qwen3"),
        ("qwen", "--approval-mode", "default", "--model", "qwen3", "-c"),
    ),
    (
        replace(of_kind("qwen"), permissions=Permissions.AUTO),
        ("qwen", "--approval-mode", "auto"),
    ),
    (of_kind("qwen", "npx", "qwen", "--yolo"), ("npx", "qwen", "--yolo")),
    (of_kind("codex"), ("codex", *CODEX, "-a", "on-request", *SANDBOX)),
    (
        replace(of_kind("codex"), permissions=Permissions.AUTO, model="gpt-5.5"),
        ("codex", *CODEX, "-a", "never", *SANDBOX, "--model", "gpt-5.5"),
    ),
    (
        of_kind("codex", args=("-c", "approval_policy=never", "--search")),
        ("codex", *CODEX, *SANDBOX, "-c", "approval_policy=never", "--search"),
    ),
    (
        of_kind("codex", "codex", "--no-daemon", args=("--sandbox=read-only",)),
        ("codex", "--no-daemon", *CODEX[1:], "-a", "on-request", "--sandbox=read-only"),
    ),
    (
        of_kind("codex", args=("--dangerously-bypass-approvals-and-sandbox",)),
        ("codex", *CODEX, "--dangerously-bypass-approvals-and-sandbox"),
    ),
    (of_kind("pi"), ("pi",)),
    (
        replace(of_kind("pi", args=("-c",)), permissions=Permissions.AUTO, model="a/b"),
        ("pi", "--model", "a/b", "-c"),
    ),
    (
        of_kind("openclaw", args=("--thinking", "high")),
        (*HERE, "openclaw", "chat", "--session", "office-jim", "--thinking", "high"),
    ),
    (
        of_kind("openclaw", "openclaw", "tui", args=("--session=mine",)),
        (*HERE, "openclaw", "tui", "--session=mine"),
    ),
    (
        replace(of_kind("openclaw"), branch=""),
        (*HERE, "openclaw", "chat", "--session", "jim"),
    ),
    (
        replace(of_kind("openclaw"), shell="exec openclaw chat"),
        ("/bin/sh", "-c", "exec openclaw chat", "sh"),
    ),
    (of_kind("custom", "cat", args=("-u",)), ("cat", "-u")),
    (replace(of_kind("custom", "cat"), model="fast"), ("cat",)),
    (
        replace(of_kind("custom", args=("a b",)), shell='echo "$1"; cat'),
        ("/bin/sh", "-c", 'echo "$1"; cat', "sh", "a b"),
    ),
    (
        replace(of_kind("claude"), shell="exec claude"),
        ("/bin/sh", "-c", "exec claude", "sh"),
    ),
    (replace(of_kind("x", "make", "serve"), is_process=True), ("make", "serve")),
]


@pytest.mark.parametrize(("agent", "argv"), ARGV)
def test_the_argument_vector_is_the_files(agent: object, argv: tuple[str, ...]) -> None:
    """A command replaces the program, options and arguments follow, no shell runs."""
    assert isinstance(agent, type(PLAIN))
    assert kind_of(agent).argv(agent) == argv


@pytest.mark.parametrize("name", [*CLIS, "custom"])
def test_a_nested_start_is_none(name: str) -> None:
    """An agent started from inside another CLI is not that one's child."""
    kind = kind_of(of_kind(name, "program"))
    assert {"CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "OPENCODE_PID"} <= set(kind.scrub)
    assert {"GEMINI_CLI", "QWEN_CODE", "QWEN_CODE_NO_RELAUNCH"} <= set(kind.scrub)
    assert {"CODEX_THREAD_ID", "PI_CODING_AGENT", "PI_SESSION_ID"} <= set(kind.scrub)
    assert not {"CODEX_HOME", "OPENAI_API_KEY", "PI_OFFLINE"} & set(kind.scrub)
    assert not any(name.startswith("ANTHROPIC_") for name in kind.scrub)
