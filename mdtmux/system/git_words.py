"""What git says when it fails, made ready for people."""

from __future__ import annotations

import re


def joined(err: str) -> list[str]:
    """Return the lines of a message, with the names that git indents under one in it."""
    lines: list[str] = []
    for line in err.splitlines():
        if line.startswith("\t") and lines and lines[-1].startswith("error:"):
            joint = " " if lines[-1].endswith(":") else ", "
            lines[-1] += f"{joint}`{line.strip()}`"
        elif line.strip():
            lines.append(line.strip())
    return lines


def remedy(err: str) -> str | None:
    """Return what the user can do about git's complaint, when we know it."""
    owner = re.search(r"dubious ownership in repository at '([^'\n]+)'", err)
    if owner:
        return (
            "the folder belongs to another user; if you trust it, run "
            f"`git config --global --add safe.directory {owner.group(1)}`"
        )
    if re.search(r"smudge filter \S+ failed|external filter .* failed", err):
        return "a filter program that .gitattributes asks for is missing; install it"
    return None
