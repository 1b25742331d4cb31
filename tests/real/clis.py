"""The agent CLIs under test: their settings, and what differs between them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

# No key of anybody: the model is scripted and looks at none.
KEY = "sk-ant-dummy-key-for-loopback-0001"


@dataclass(frozen=True, slots=True)
class Cli:
    """One CLI. `settle(home, repo, url)` writes its settings below a HOME.

    `env` is what it needs besides, from the model's URL. `refused` are texts that
    cannot be typed as text; `escapes` how many Escapes leave a turn. `approval` is a
    prompt that would make a file `made.txt` and for which it asks. `asks` is false for
    a CLI that has neither approvals nor questions: it must make the file unasked.
    `commands` are texts that look like commands and arrive as texts. `error` is what
    it shows of the model's status 400: the model's own words if it has no others.
    """

    name: str
    args: tuple[str, ...]
    env: Callable[[str], Mapping[str, str]]
    settle: Callable[[Path, Path, str], None]
    refused: tuple[str, ...]
    escapes: int
    asks_for_trust: bool
    approval: str = "WRITE made.txt"
    asks: bool = True
    commands: tuple[str, ...] = ()
    error: str = "scripted error 400"


def _claude_settings(home: Path, repo: Path, url: str) -> None:
    project = {"hasTrustDialogAccepted": True}
    settings = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [KEY[-20:]]},
        "projects": {str(repo): project},
    }
    (home / ".claude.json").write_text(json.dumps(settings))


def _claude_env(url: str) -> Mapping[str, str]:
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_MAX_RETRIES": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }


def _opencode_settings(home: Path, repo: Path, url: str) -> None:
    model = {"name": "Scripted", "limit": {"context": 200000, "output": 8000}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Scripted",
        "options": {"baseURL": f"{url}/v1", "apiKey": KEY},
        "models": {"scripted": model},
    }
    settings = {
        "autoupdate": False,
        "share": "disabled",
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "permission": {"edit": "ask", "bash": "ask"},
        "provider": {"scripted": provider},
    }
    folder = home / ".config" / "opencode"
    folder.mkdir(parents=True)
    (folder / "opencode.json").write_text(json.dumps(settings))


def _opencode_env(url: str) -> Mapping[str, str]:
    names = ("MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
    return {f"OPENCODE_DISABLE_{name}": "1" for name in names}


def _family_settings(folder: str, auth: str) -> Callable[[Path, Path, str], None]:
    """Return what writes the settings of Gemini CLI and of its fork."""

    def write(home: Path, repo: Path, url: str) -> None:
        settings = {
            "security": {
                "auth": {"selectedType": auth},
                "folderTrust": {"enabled": True},
            },
            "general": {"enableAutoUpdate": False},
            "privacy": {"usageStatisticsEnabled": False},
        }
        own = home / folder
        own.mkdir()
        (own / "settings.json").write_text(json.dumps(settings))
        # Both trust what is below a folder; worktrees stand beside their repository.
        worktrees = repo.parent / f"{repo.name}__worktrees"
        trusted = dict.fromkeys(map(str, (repo, worktrees)), "TRUST_FOLDER")
        (own / "trustedFolders.json").write_text(json.dumps(trusted))

    return write


def _gemini_env(url: str) -> Mapping[str, str]:
    return {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": url}


def _qwen_env(url: str) -> Mapping[str, str]:
    return {
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": f"{url}/v1",
        "OPENAI_MODEL": "scripted",
    }


def _codex_settings(home: Path, repo: Path, url: str) -> None:
    lines = (
        'model = "gpt-5.5"',
        'model_provider = "scripted"',
        "check_for_update_on_startup = false",
        # Without it the question for the user is one of its plan mode only.
        "features.default_mode_request_user_input = true",
        # It has been told of the newer model.
        'notice.model_migrations = {"gpt-5.5" = "gpt-6-sol"}',
        "[model_providers.scripted]",
        'name = "scripted"',
        f'base_url = "{url}/v1"',
        'wire_api = "responses"',
        'env_key = "SCRIPTED_KEY"',
        "[analytics]",
        "enabled = false",
        f'[projects."{repo}"]',
        'trust_level = "trusted"',
    )
    folder = home / ".codex"
    folder.mkdir()
    (folder / "config.toml").write_text("\n".join(lines))


def _codex_env(url: str) -> Mapping[str, str]:
    return {"SCRIPTED_KEY": KEY}


def _pi_settings(home: Path, repo: Path, url: str) -> None:
    provider = {
        "baseUrl": f"{url}/v1",
        "api": "openai-completions",
        "apiKey": "SCRIPTED_KEY",
        "models": [{"id": "scripted", "contextWindow": 200000, "maxTokens": 8000}],
    }
    folder = home / ".pi" / "agent"
    folder.mkdir(parents=True)
    models = {"providers": {"scripted": provider}}
    (folder / "models.json").write_text(json.dumps(models))
    chosen = {"defaultProvider": "scripted", "defaultModel": "scripted"}
    (folder / "settings.json").write_text(json.dumps(chosen))


def _pi_env(url: str) -> Mapping[str, str]:
    return {"SCRIPTED_KEY": KEY, "PI_OFFLINE": "1", "PI_TELEMETRY": "0"}


def _openclaw_settings(home: Path, repo: Path, url: str) -> None:
    model = {"id": "scripted", "name": "Scripted", "contextWindow": 200000}
    provider = {
        "baseUrl": f"{url}/v1",
        "apiKey": KEY,
        "api": "openai-completions",
        "models": [{**model, "maxTokens": 8000}],
    }
    # No workspace: a configured one would go before the folder of the agent.
    chosen = {"model": {"primary": "scripted/scripted"}, "skipBootstrap": True}
    settings = {
        "models": {"providers": {"scripted": provider}},
        "agents": {"defaults": chosen},
    }
    folder = home / ".openclaw"
    folder.mkdir()
    (folder / "openclaw.json").write_text(json.dumps(settings))


def _openclaw_env(url: str) -> Mapping[str, str]:
    return {}


CLIS = {
    "claude": Cli(
        "claude",
        ("--permission-mode", "manual"),
        _claude_env,
        _claude_settings,
        ("/help", "exit"),
        1,
        asks_for_trust=True,
    ),
    "opencode": Cli(
        "opencode", (), _opencode_env, _opencode_settings, ("exit",), 2,
        asks_for_trust=False,
    ),
    "gemini": Cli(
        "gemini", (), _gemini_env, _family_settings(".gemini", "gemini-api-key"),
        ("/help", " /tmp"), 1, asks_for_trust=True,
    ),
    "qwen": Cli(
        "qwen", (), _qwen_env, _family_settings(".qwen", "openai"),
        ("/help", " /nosuch word", "exit"), 1, asks_for_trust=True,
    ),
    # It takes every text as text. In its sandbox it writes in the folder unasked: it
    # asks for a command that shall run outside.
    "codex": Cli(
        "codex", (), _codex_env, _codex_settings, (), 1,
        asks_for_trust=True,
        approval="RUN touch made.txt ESCALATE",
    ),
    # It asks nothing and takes every text as text.
    "pi": Cli(
        "pi", (), _pi_env, _pi_settings, (), 1,
        asks_for_trust=False,
        asks=False,
        commands=("/help", "/model scripted", " !touch BANG", "\n/quit"),
    ),
    "openclaw": Cli(
        "openclaw", (), _openclaw_env, _openclaw_settings, (), 1,
        asks_for_trust=False,
        asks=False,
        commands=("/help", "/model scripted", " !touch BANG", "\n/exit", "stop"),
        error="LLM request failed: provider rejected the request",
    ),
}  # fmt: skip
