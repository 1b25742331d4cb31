"""Who works in a folder: agents of this office and of every other one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from mdtmux.running.observe import observe
from mdtmux.running.offices import OfficeRef, every_office
from mdtmux.system.tmux import Tmux


def living_in(ref: OfficeRef, place: Path) -> list[str]:
    """Return the agents that live in the folder, those of other offices as OFFICE/NAME."""
    own = observe(ref, Tmux(ref.socket)).values()
    return [one.name for one in own if one.lives_in(place)] + [
        name for name, path in strangers(ref, [place]) if path == place
    ]


def strangers(ref: OfficeRef, places: Iterable[Path]) -> list[tuple[str, Path]]:
    """Return the agents of other offices, as OFFICE/NAME, with the folder each lives in.

    Raises:
        MdtmuxError: the tmux server of one does not answer: who works is not known.
    """
    wanted = list(places)
    found: list[tuple[str, Path]] = []
    for other in every_office():
        if other.id == ref.id or other.common_dir != ref.common_dir:
            continue
        for one in observe(other, Tmux(other.socket)).values():
            found += [
                (f"{other.name}/{one.name}", place)
                for place in wanted
                if one.lives_in(place)
            ]
    return found
