"""Start a program as a pane's own command, in its directory or not at all.

tmux changes to another directory without a word when the wanted one is missing, so
a shell of one line goes there, looks that it really is there and becomes the
program. The environment is given to tmux by `-e` in a script on standard input: no
value ever stands in an argument vector or a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from mdtmux.errors import MdtmuxError

# Set by tmux for each pane, or by the shell: never given from outside.
_PANES_OWN = frozenset(
    [
        "TMUX",
        "TMUX_PANE",
        "TERM",
        "TERM_PROGRAM",
        "TERM_PROGRAM_VERSION",
        "PWD",
        "OLDPWD",
        "_",
    ]
)
# A link put in the directory's place leads elsewhere, so the real path is compared.
# tmux 3.3a gives a new pane the PATH of the client that asked for it, whatever `-e`
# says, so it is set here.
_SCRIPT = (
    'cd -P -- "$1" && [ "$PWD" = "$1" ] || {'
    " printf 'mdtmux: %s is not the directory that was meant\\n' \"$1\" >&2; exit 126; };"
    ' PATH=$2; export PATH; unset OLDPWD; shift 2; exec "$@"'
)


def command(directory: Path, path: str, argv: Sequence[str]) -> tuple[str, ...]:
    """Return the command that enters the directory and becomes the program.

    `directory` is its real path, `path` the PATH by which it is found. A program
    that cannot be found ends with 127, a directory that cannot be entered with 126,
    each with a line that says so.

    Raises:
        MdtmuxError: an argument holds a NUL byte.
    """
    _check((str(directory), path, *argv))
    return ("/bin/sh", "-c", _SCRIPT, "mdtmux", str(directory), path, *argv)


def is_entering(argv: Sequence[str]) -> bool:
    """Tell whether that is still the shell that enters the directory."""
    return list(argv[1:3]) == ["-c", _SCRIPT]


def pane_environment(env: Mapping[str, str]) -> dict[str, str]:
    """Return what is to be given to the pane of an environment.

    Raises:
        MdtmuxError: a value holds a NUL byte.
    """
    given = {name: value for name, value in env.items() if name not in _PANES_OWN}
    _check(given.values())
    return given


def inherited_in_vain(server: Iterable[str], env: Mapping[str, str]) -> list[str]:
    """Return the names that a pane would get from its server but shall not have."""
    return sorted(set(server) - set(env) - _PANES_OWN)


def _check(texts: Iterable[str]) -> None:
    if any("\0" in text for text in texts):
        message = "a NUL byte cannot stand in an argument or an environment variable"
        raise MdtmuxError(message)
