"""`mdtmux postman`: ring for an office's mail; started by `mail send` and `up`."""

from __future__ import annotations

import click


@click.command("postman", hidden=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Tell agents of their new mail, until the last of them has ended."""
    from mdtmux.cli.context import current_office
    from mdtmux.running.postman import serve
    from mdtmux.system.tmux import Tmux

    ref = current_office(ctx)
    serve(ref, Tmux(ref.socket))
