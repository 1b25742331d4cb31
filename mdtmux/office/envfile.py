"""The lines of an env file: `NAME=value`, nothing expanded."""

from __future__ import annotations

import re

FORM = "not an assignment of the form NAME=value"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def parse(text: str) -> tuple[dict[str, str], tuple[int, ...]]:
    """Return the assignments, and the numbers of the lines that are none.

    `export` in front, blank lines and `#` lines are allowed; a value in single or
    double quotes is taken without them. A wrong line may hold a secret, so only its
    number is told; lines count from 1.
    """
    found: dict[str, str] = {}
    wrong: list[int] = []
    for number, row in enumerate(text.splitlines(), 1):
        line = row.strip().removeprefix("export ").strip()
        if not line or line.startswith("#"):
            continue
        name, equals, value = line.partition("=")
        if not equals or not _VARIABLE.fullmatch(name.strip()) or "\0" in value:
            wrong.append(number)
            continue
        found[name.strip()] = _unquoted(value.strip())
    return found, tuple(wrong)


def _unquoted(value: str) -> str:
    quoted = len(value) >= 2 and value[0] == value[-1] and value[0] in "'\""
    return value[1:-1] if quoted else value
