"""Commands for tmux that look and act in one step inside the server.

What holds when a client looks may be over when its next command arrives.
"""

from __future__ import annotations

from mdtmux.errors import TmuxError
from mdtmux.names import PaneId

_NOT_HERE = "mdtmux:not-here"


def only_if(
    pane: PaneId, run: str | None, then: str, cleanup: str = ""
) -> tuple[str, ...]:
    """Run the script `then` only while the pane lives, and is that run's if one is given.

    Give the answer to `check_here`. `cleanup` runs otherwise; it ends with `; `.
    """
    # The pane's own id is compared: tmux fills in another pane's values, or none,
    # for a target that does not exist.
    mark, wanted = (" #{@mdtmux_run}", f" {run}") if run is not None else ("", "")
    guard = f"#{{==:#{{pane_id}} #{{pane_dead}}{mark},{pane} 0{wanted}}}"
    other = f"{cleanup}display-message -p {_NOT_HERE}"
    return ("if-shell", "-F", "-t", pane, guard, then, other)


def check_here(pane: PaneId, answer: str) -> None:
    """Raise when `only_if` found another pane than it was told.

    Raises:
        TmuxError: the pane is dead, gone, or not that run's any more.
    """
    if _NOT_HERE in answer:
        message = f"the program in pane `{pane}` has ended"
        raise TmuxError(message)


def alone(pane: PaneId, press: str) -> tuple[str, ...]:
    """Keep the keys of the script `press` from panes synchronized with this one.

    A paste is never passed on (tmux 3.3a). The option may be the window's or the
    pane's own: it is on again afterwards, where it was.
    """
    asked = ("if-shell", "-F", "-t", pane, "#{pane_synchronized}")
    option = f"-t {pane} synchronize-panes"
    again = (
        f"if-shell -F -t {pane} '#{{pane_synchronized}}' '' 'set-option -p {option} on'"
    )
    steps = (
        f"set-option -p {option} off",
        press,
        f"set-option -pu {option}",
        again,
    )
    return (*asked, " ; ".join(steps), press)
