"""Which processes belong to whom: pure, from one look at all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mdtmux.system.processes import Identity, Row


def families(
    rows: Iterable[Row], roots: Mapping[str, int]
) -> dict[str, frozenset[Identity]]:
    """Return, by name, the processes that belong to each root.

    A process belongs when its session is led by the root, when it descends from it,
    or when its mark is the root's name: children that left the session and were
    re-parented still have the environment they were born with.
    """
    known = {row.identity.pid: row for row in rows}
    owner = {pid: name for name, pid in roots.items() if pid in known}
    found: dict[str, set[Identity]] = {}
    for row in known.values():
        name = row.mark or owner.get(row.session) or _ancestor(row, known, owner)
        if name is not None:
            found.setdefault(name, set()).add(row.identity)
    return {name: frozenset(members) for name, members in found.items()}


def _ancestor(
    row: Row, known: Mapping[int, Row], owner: Mapping[int, str]
) -> str | None:
    seen: set[int] = set()
    pid = row.identity.pid
    while pid in known and pid not in seen:
        if pid in owner:
            return owner[pid]
        seen.add(pid)
        pid = known[pid].parent
    return None
