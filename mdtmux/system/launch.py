"""Start a program as a pane's own command, with exactly the environment it shall have.

The specification is a file of mode 0600, so that no secret stands in an argument
vector, and it is a script for /bin/sh: a Python launcher would cost 15 ms an agent
where the shell costs 2. The script runs in two steps. tmux runs the first with the
environment of its server, whatever that is; it clears everything and runs the
second, which exports the wanted variables, removes the file, goes to the directory,
checks that it really is there and becomes the program.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mdtmux.errors import MdtmuxError
from mdtmux.system.files import write_private

# Set by tmux for each pane, so they are passed through and never given from outside.
PANE_VARIABLES = ("TMUX", "TMUX_PANE", "TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# What a shell must not be given by `export`: it keeps these itself or refuses them.
_SHELL_OWN = frozenset(["PWD", "OLDPWD", "_", "SHLVL", "PPID", "UID", "EUID", "GROUPS"])


@dataclass(frozen=True, slots=True)
class LaunchSpec:
    """What a pane shall run: the real path of the directory, the whole environment."""

    argv: tuple[str, ...]
    directory: Path
    environment: Mapping[str, str]
    script: Path


def is_variable(name: str) -> bool:
    """Tell whether a shell can export a variable of that name."""
    return _VARIABLE.fullmatch(name) is not None


def write_spec(spec: LaunchSpec) -> tuple[str, ...]:
    """Write the script (0600) and return the command that tmux shall run.

    Names that no shell can export (`a-b`, exported functions) are left out.

    Raises:
        MdtmuxError: an argument or a value holds a NUL byte, or the file cannot be
            written.
    """
    for text in (*spec.argv, *spec.environment.values(), str(spec.directory)):
        if "\0" in text:
            message = (
                "a NUL byte cannot stand in an argument or an environment variable"
            )
            raise MdtmuxError(message)
    write_private(spec.script, _script(spec))
    return ("/bin/sh", str(spec.script))


def _script(spec: LaunchSpec) -> str:
    keep = " ".join(f'{name}="${name}"' for name in PANE_VARIABLES)
    exports = [
        f"export {name}={shlex.quote(value)}"
        for name, value in spec.environment.items()
        if is_variable(name) and name not in _SHELL_OWN and name not in PANE_VARIABLES
    ]
    directory = shlex.quote(str(spec.directory))
    missing = shlex.quote(f"mdtmux: cannot enter {spec.directory}")
    moved = shlex.quote(f"mdtmux: {spec.directory} is not where it was")
    rows = [
        'if [ -z "${MDTMUX_LAUNCH:-}" ]; then',
        f'exec /usr/bin/env -i MDTMUX_LAUNCH=1 {keep} /bin/sh "$0"',
        "fi",
        "unset MDTMUX_LAUNCH",
        'rm -f -- "$0"',
        *exports,
        f"cd -P -- {directory} || {{ printf '%s\\n' {missing} >&2; exit 126; }}",
        # A link put in the directory's place leads elsewhere: refuse it.
        f"[ \"$PWD\" = {directory} ] || {{ printf '%s\\n' {moved} >&2; exit 126; }}",
        "unset OLDPWD",
        f"exec {_words(spec.argv)}",
    ]
    return "\n".join(rows) + "\n"


def _words(argv: Sequence[str]) -> str:
    return " ".join(shlex.quote(word) for word in argv)
