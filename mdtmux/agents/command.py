"""Put an agent's argument vector together."""

from __future__ import annotations

from mdtmux.office.model import Agent

# What Claude Code (2.1.332), Codex (0.171.0), OpenCode (1.18.33), Gemini CLI (0.61.0),
# Qwen Code (0.24.4), Pi (1.6.0) and OpenClaw (2026.9.6) leave in the environment of the
# programs they start. An agent that `mdtmux` starts from inside one is not its child: with
# these it would refuse, or report to the other's session.
NESTED = (
    "AGENT",
    "AI_AGENT",
    "CLAUDECODE",
    "CLAUDE_CODE_CHILD_NOTES_DIR",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_EXECPATH",
    "CLAUDE_CODE_MESSAGING_SOCKET",
    "CLAUDE_CODE_MESSAGING_TOKEN",
    "CLAUDE_CODE_SESSION_ATTENDED",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_EFFORT",
    "CLAUDE_PID",
    "CODEX_CI",
    "CODEX_MANAGED_BY_NPM",
    "CODEX_MANAGED_PACKAGE_ROOT",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_SESSION_ID",
    "CODEX_THREAD_ID",
    "CODEX_TOOL_CALL_ID",
    "CODEX_VERSION",
    "GEMINI_CLI",
    "GEMINI_CLI_NO_RELAUNCH",
    "OPENCLAW_CLI",
    "OPENCLAW_SHELL",
    "OPENCODE",
    "OPENCODE_PID",
    "PI_CODING_AGENT",
    "PI_MODEL",
    "PI_PROVIDER",
    "PI_REASONING_LEVEL",
    "PI_SESSION_FILE",
    "PI_SESSION_ID",
    "QWEN_CODE",
    "QWEN_CODE_AGENT_ID",
    "QWEN_CODE_CLI",
    "QWEN_CODE_LAUNCHER_PID",
    "QWEN_CODE_MANAGED_NPM_PIN",
    "QWEN_CODE_MANAGED_NPM_ROOT",
    "QWEN_CODE_MESSAGING_SOCKET",
    "QWEN_CODE_MESSAGING_TOKEN",
    "QWEN_CODE_MODEL",
    "QWEN_CODE_MODEL_IDENTITY",
    "QWEN_CODE_NO_RELAUNCH",
    "QWEN_CODE_PRIVATE_RELAUNCH_ENV_PROVENANCE",
    "QWEN_CODE_PROJECT_DIR",
    "QWEN_CODE_PROMPT_ID",
    "QWEN_CODE_SESSION_ID",
    "QWEN_CODE_STARTUP_VERSION",
)


def unless_given(agent: Agent, options: tuple[str, ...], *own: str) -> tuple[str, ...]:
    """Return the options, or none where `args` or the command has one of `own`.

    `own` are options of the CLI that decide the same thing, as in `--mode` (which also
    stands for `--mode=x`).
    """
    words = (*(agent.command or ()), *agent.args)
    given = any(
        word == name or word.startswith(f"{name}=") for word in words for name in own
    )
    return () if given else options


def command_line(
    agent: Agent, program: str | None, options: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Return the argv: the office file's command or the program, options, `args`.

    A `shell:` line runs as it is, with `args` as its positional parameters; options
    of the kind have no place in it.
    """
    if agent.shell is not None:
        return ("/bin/sh", "-c", agent.shell, "sh", *agent.args)
    start = agent.command or (() if program is None else (program,))
    return (*start, *options, *agent.args)
