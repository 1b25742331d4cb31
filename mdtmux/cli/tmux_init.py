"""`mdtmux tmux-init`: key bindings for tmux, printed and never forced."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from mdtmux.cli import output

# Free in tmux's own table; C-s, which others take, is tmux-resurrect's.
POPUP, NEXT = "O", "W"
# The agent's pane knows its office; elsewhere the folder tells, as in any shell.
_OFFICE = "#{?@mdtmux_office,-o #{@mdtmux_office},}"
# display-popup came with tmux 3.2.
_OLD = '"#{m/r:^[12][.]|^3[.][01][a-z]*$,#{version}}"'


def _program() -> str:
    """Return the shell's word for this very mdtmux: a server's PATH may lack it."""
    path = Path(sys.argv[0])
    if path.name != "mdtmux" or not path.is_file():
        return "mdtmux"
    return shlex.quote(str(path.absolute())).replace("#", "##")


def _tmux_word(text: str) -> str:
    """Quote the text for tmux's configuration language."""
    for special in ("\\", '"', "$"):
        text = text.replace(special, "\\" + special)
    return f'"{text}"'


def _binding(key: str, what: str, shell: str) -> str:
    return f'bind-key -N "mdtmux: {what}" {key} run-shell -b {_tmux_word(shell)}'


def bindings(popup: str, following: str) -> str:
    """Return the bindings as a tmux configuration; the keys come after the prefix."""
    mdtmux = f"{_program()} {_OFFICE}"
    # ^C is how one leaves; any other failure stays to be read.
    watch = f"{mdtmux} ps -w || [ $? -ge 128 ] || read -r line"
    # tmux runs it by the user's own shell, which need not speak sh.
    inside = shlex.quote(f"sh -c {shlex.quote(watch)}")
    folder = "-d '##{pane_current_path}'"
    # The popup's end is tmux's status, and run-shell covers the pane with a view
    # that tells of any but 0.
    popped = f"tmux display-popup -E -w 90% -h 60% {folder} {inside} || :"
    asked = f"{mdtmux} attach --next-waiting --window"
    jump = f'cd "$1"; said=$({asked} 2>&1) || tmux display-message "$said"'
    # The folder tells which office is meant, as for the popup.
    jumping = f"sh -c {shlex.quote(jump)} sh #{{q:pane_current_path}}"
    return f"""\
# Key bindings for mdtmux, made by `mdtmux tmux-init`; each comes after the prefix.
# {popup}: a popup with `ps -w`; ^C closes it.
# {following}: jump to the next agent that waits for an answer; from another tmux server
# in a new window.
%if {_OLD}
{_binding(popup, "the office", f"tmux new-window -n office {inside}")}
%else
{_binding(popup, "the office", popped)}
%endif
{_binding(following, "next agent that waits", jumping)}"""


@click.command("tmux-init")
@click.option(
    "--popup-key",
    metavar="KEY",
    default=POPUP,
    show_default=True,
    help="Opens a popup with `ps -w`.",
)
@click.option(
    "--next-key",
    metavar="KEY",
    default=NEXT,
    show_default=True,
    help="Jumps to the next agent that waits.",
)
def command(popup_key: str, next_key: str) -> None:
    """Print tmux key bindings: a popup with `ps -w`, and a jump to who waits.

    Nothing is bound until you say so. In your ~/.tmux.conf:

    \u0008
    run-shell 'mdtmux tmux-init | tmux source-file -'

    In an office on its own tmux server, which does not read that file:

    \u0008
    mdtmux tmux-init | tmux -L mdtmux source-file -
    """
    output.echo(bindings(shlex.quote(popup_key), shlex.quote(next_key)))
