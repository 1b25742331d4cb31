"""Branch names: git's rules as a pure function, and which names cannot both exist.

The rules are those of `git check-ref-format --branch` (its manual page), so that an
office file is judged without starting git.
"""

from __future__ import annotations

import re

# A branch is a file under refs/heads, written through a `.lock` beside it; most file
# systems end a name at 255 bytes.
MAX_BRANCH = 200
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]")


def branch_fault(name: str) -> str | None:
    """Say why git would refuse the branch name; None when it would take it."""
    bad = _FORBIDDEN.search(name)
    if bad is not None:
        return f"`{bad[0]}` cannot stand in a branch name"
    for part, reason in (
        ("..", "`..` cannot stand in a branch name"),
        ("@{", "`@{` cannot stand in a branch name"),
        ("//", "`/` stands twice"),
    ):
        if part in name:
            return reason
    return _edge_fault(name) or _component_fault(name)


def _edge_fault(name: str) -> str | None:
    if not name:
        return "it is empty"
    if len(name.encode()) > MAX_BRANCH:
        return f"it is longer than {MAX_BRANCH} bytes"
    if name in ("@", "HEAD"):
        return "git keeps this name for itself"
    if name.startswith("refs/"):
        return "write the short name, without refs/heads/"
    if name[0] in "-/":
        return f"it begins with `{name[0]}`"
    if name[-1] in "/.":
        return f"it ends with `{name[-1]}`"
    return None


def _component_fault(name: str) -> str | None:
    for component in name.split("/"):
        if component.startswith("."):
            return "a part of it begins with `.`"
        if component.endswith(".lock"):
            return "a part of it ends with `.lock`"
    return None


class Claims:
    """Branches that have been given out; tells which cannot exist side by side.

    Two collide when they are the same, or when one is the folder of the other (git
    keeps branches as files). Case is ignored, as the file systems of macOS do.
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._folders: dict[str, str] = {}

    def claim(self, name: str) -> str | None:
        """Give out the branch; return the earlier one that it collides with, if any."""
        folded = name.casefold()
        parts = folded.split("/")
        folders = ["/".join(parts[:end]) for end in range(1, len(parts))]
        other = self._names.get(folded) or self._folders.get(folded)
        other = other or next(
            (self._names[folder] for folder in folders if folder in self._names), None
        )
        self._names.setdefault(folded, name)
        for folder in folders:
            self._folders.setdefault(folder, name)
        return other
