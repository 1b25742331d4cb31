"""The clerk's command line."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from mdtmux.agents.clerk.language import NO_SCRIPT, Script, parse_script
from mdtmux.agents.clerk.log import log_path
from mdtmux.units import parse_duration

_LOGGED = (
    "CLAUDECODE", "FX_KEY", "GIT_DIR", "HOME", "LANG", "LC_ALL", "MDTMUX_AGENT",
    "MDTMUX_FILE", "MDTMUX_OFFICE", "MDTMUX_ROLE", "MDTMUX_RUN", "MDTMUX_STATE",
    "PATH", "TERM", "TMUX", "TMUX_PANE",
)  # fmt: skip
_ABOUT = """\
The embedded agent: an interactive program that behaves like the CLI of an AI coding
agent, without a model behind it. It follows a small language in its prompts; see
docs/clerk.md, or type /help in it."""


@dataclass(frozen=True, slots=True)
class Options:
    """How this clerk shall behave; see `--help` for each."""

    name: str
    model: str
    auto: bool
    prose: bool
    trust_dialog: bool
    boot: float
    bracketed: bool
    strict_enter: bool
    stubborn: bool
    think: float
    script: Script
    log: Path | None
    logged: tuple[str, ...]
    prompt: str


def parse(args: Sequence[str]) -> Options:
    """Read the command line; exit 2 with a message when it cannot be meant."""
    parser = _parser()
    given = parser.parse_args(args)
    name = given.name or os.environ.get("MDTMUX_AGENT") or "clerk"
    script = NO_SCRIPT
    if given.script is not None:
        try:
            script = parse_script(given.script.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            parser.error(f"--script: {error}")
    return Options(
        name=name,
        model=given.model,
        auto=given.auto,
        prose=given.prose,
        trust_dialog=given.trust_dialog,
        boot=given.boot,
        bracketed=not given.no_bracketed,
        strict_enter=given.strict_enter == "on",
        stubborn=given.stubborn,
        think=given.think,
        script=script,
        log=log_path(given.log or os.environ.get("CLERK_LOG", ""), name),
        logged=(*_LOGGED, *given.log_env),
        prompt=" ".join(given.prompt),
    )


def usage() -> str:
    """Return what `--help` prints."""
    return _parser().format_help()


class _Parser(argparse.ArgumentParser):
    """A parser that tells its errors as the rest of mdtmux does."""

    def error(self, message: str) -> NoReturn:
        """Exit 2 with the message."""
        self.exit(2, f"error: {message}\nhint: try `{self.prog} --help`\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="mdtmux clerk", description=_ABOUT, allow_abbrev=False)
    add = parser.add_argument
    add("prompt", nargs="*", metavar="PROMPT", help="the first prompt")
    add("--name", help="who this is (default: $MDTMUX_AGENT, else clerk)")
    add("--model", default="paper-1", help="the model's name on the screen")
    add("--auto", action="store_true", help="run commands without asking")
    add("--prose", action="store_true", help="follow no instructions in prompts")
    add("--trust-dialog", action="store_true", help="ask at start to trust the folder")
    add("--boot", type=_seconds, default=0.0, metavar="TIME",
        help="start slowly, and lose what is typed meanwhile")  # fmt: skip
    add("--no-bracketed", action="store_true", help="do not ask for bracketed paste")
    add("--strict-enter", choices=("on", "off"), default="on",
        help="whether an Enter amid other bytes is a newline (default: on)")  # fmt: skip
    add("--stubborn", action="store_true", help="ignore Control-C, TERM and HUP")
    add("--think", type=_seconds, default=0.0, metavar="TIME",
        help="stay busy at least that long for each prompt")  # fmt: skip
    add("--script", type=Path, metavar="FILE", help="instructions and reactions")
    add("--log", metavar="FILE", help="one JSON line for each event (or $CLERK_LOG)")
    add("--log-env", action="append", default=[], metavar="NAME",
        help="one more variable for the log's start event")  # fmt: skip
    return parser


def _seconds(text: str) -> float:
    try:
        return parse_duration(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
