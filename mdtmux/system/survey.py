"""All panes and the screens of some of them, by one tmux client."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from mdtmux.errors import NoServer, TmuxError
from mdtmux.names import PaneId
from mdtmux.system.answers import PANE_FORMAT, parse_pane, screen_of
from mdtmux.system.screen import Pane, Screen
from mdtmux.system.tmux import Tmux, line


def survey(
    tmux: Tmux, wanted: Callable[[Pane], bool]
) -> tuple[list[Pane], dict[PaneId, Screen]]:
    """Return every pane, and the screens of the live ones that are wanted.

    Two clients, however many panes there are. A pane that goes away in between has
    no screen.

    Raises:
        TmuxError: tmux answered something that is not a pane list.
    """
    panes = tmux.panes()
    chosen = [pane for pane in panes if not pane.dead and wanted(pane)]
    if not chosen:
        return panes, {}
    # A row that no pane's text can forge parts the answers.
    fence = f"mdtmux-{secrets.token_hex(8)}"
    rows: list[str] = []
    for pane in chosen:
        rows.append(
            line("display-message", "-p", "-t", pane.pane, f"{fence} {PANE_FORMAT}")
        )
        rows.append(line("capture-pane", "-p", "-e", "-t", pane.pane))
    try:
        answer = tmux.batch("\n".join(rows) + "\n")
    except NoServer:
        return panes, {}
    except TmuxError as error:
        answer = error.output
    return panes, _screens(answer, fence)


def _screens(answer: str, fence: str) -> dict[PaneId, Screen]:
    found: dict[PaneId, Screen] = {}
    for part in answer.split(f"{fence} ")[1:]:
        head, _, body = part.partition("\n")
        row = parse_pane(head)
        found[row.pane] = screen_of(row, body)
    return found
