"""Paths that must stay inside a worktree: `dir`, `copy` and `link`. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from mdtmux.office.nodes import shown
from mdtmux.office.report import Where


def inside(text: str, where: Where) -> str | None:
    """Return a relative path in its shortest spelling; note it when it leads out."""
    if text.startswith(("/", "~")):
        where.fault(f"{shown(text)} must be relative to the worktree")
        return None
    if ".." in text.split("/"):
        where.fault(f"{shown(text)} leads out with `..`")
        return None
    return posixpath.normpath(text)


def furnishing(texts: Sequence[str], where: Where) -> tuple[str, ...]:
    """Return what `copy` or `link` may bring into a worktree; note what it may not."""
    kept: list[str] = []
    for text in texts:
        path = inside(text, where)
        if path is None:
            continue
        if path == ".":
            where.fault(f"{shown(text)} is the whole repository")
        elif path.split("/")[0].casefold() == ".git":
            where.fault(f"{shown(text)} belongs to git")
        elif path not in kept:
            kept.append(path)
    return tuple(kept)


def overlap(copied: Sequence[str], linked: Sequence[str]) -> tuple[str, str] | None:
    """Return a copied and a linked path of which one lies in the other, if any.

    Copying into a linked folder would write into the repository itself.
    """
    for one in copied:
        for other in linked:
            if f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/"):
                return one, other
    return None
