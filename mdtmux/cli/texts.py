"""A command whose words may begin with a dash when they are plainly text."""

from __future__ import annotations

import click

# No argument can hold a NUL, so it can mark a word that click must not read.
_MARK = "\0"


class TextCommand(click.Command):
    """Takes `- do this` for text, not for an option: no option has a blank in its name."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does, with such words hidden from it."""
        rest = super().parse_args(ctx, [_hide(word) for word in args])
        ctx.params.update({name: _show(value) for name, value in ctx.params.items()})
        return rest


def _hide(word: str) -> str:
    name = word.partition("=")[0]
    blank = any(letter.isspace() for letter in name)
    return f"{_MARK}{word}" if blank and word.startswith("-") else word


def _show(value: object) -> object:
    if isinstance(value, str):
        return value.removeprefix(_MARK)
    if isinstance(value, tuple):
        return tuple(_show(one) for one in value)
    return value
