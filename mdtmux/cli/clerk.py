"""`mdtmux clerk`: run the embedded agent in this terminal."""

from __future__ import annotations

import sys

import click


@click.command(
    "clerk",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True},
)
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def command(args: tuple[str, ...]) -> None:
    """Run the embedded agent, for trying and testing without a model or a key.

    Its own options are listed by `mdtmux clerk --help` and in docs/clerk.md.
    """
    from mdtmux.agents.clerk.app import main

    sys.exit(main(args))
