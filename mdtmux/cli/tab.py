"""What happens at a Tab: the words in, the candidates out, for every shell alike.

The shell's script puts the words after the program's name, up to the cursor, into
`_MDTMUX_WORDS`, parted by U+001F. It gets back a line per candidate: kind, value and
help, parted by tabs; the kind is `plain`, or `file` or `dir` for names of files.
"""

from __future__ import annotations

import os

import click
from click.shell_completion import (
    CompletionItem,
    ShellComplete,
    add_completion_class,
    shell_complete,
)

WORDS = "_MDTMUX_WORDS"


class _Tab(ShellComplete):
    """The protocol above, as bash speaks it: the option's name is not repeated."""

    name = "bash"

    def get_completion_args(self) -> tuple[list[str], str]:
        words = os.environ.get(WORDS, "").split("\x1f")
        return words[:-1], words[-1]

    def format_completion(self, item: CompletionItem) -> str:
        text = " ".join((item.help or "").split())
        return f"{item.type}\t{item.value}\t{text}"


class _WholeWord(_Tab):
    """The same for shells that take `--option=value` for one word."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        found = super().get_completions(args, incomplete)
        option, equals, _ = incomplete.partition("=")
        if not equals or not option.startswith("-"):
            return found
        return [
            CompletionItem(f"{option}={item.value}", item.type, item.help)
            for item in found
        ]


class _Zsh(_WholeWord):
    name = "zsh"


class _Fish(_WholeWord):
    name = "fish"


def complete(command: click.Command) -> int:
    """Answer the shell that asks by `_MDTMUX_COMPLETE`, and return the exit code.

    Click's own protocols are taken over: their scripts differ from release to release.
    """
    for shell in (_Tab, _Zsh, _Fish):
        add_completion_class(shell)
    variable = "_MDTMUX_COMPLETE"
    return shell_complete(command, {}, "mdtmux", variable, os.environ[variable])
