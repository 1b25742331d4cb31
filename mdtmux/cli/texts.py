"""A command whose words may begin with a dash when they are plainly text."""

from __future__ import annotations

import click

# What `--wait` means alone, and the words behind it that are no text: only `idle` can
# be waited for, and the others are a mistake better told than typed.
_IDLE = "idle"
_VALUES = (_IDLE, "busy", "waiting", "limited", "unknown", "exited")
# No argument can hold a NUL, so it can mark a word that click must not read.
_MARK = "\0"


class TextCommand(click.Command):
    """Takes `- do this` for text, not for an option: no option has a blank in its name.

    `--wait` means `--wait idle`, and does not take the text for its value.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does, with such words hidden from it."""
        words = args if ctx.resilient_parsing else _complete_wait(args)
        rest = super().parse_args(ctx, [_hide(word) for word in words])
        ctx.params.update({name: _show(value) for name, value in ctx.params.items()})
        return rest


def _complete_wait(args: list[str]) -> list[str]:
    """Give `--wait` its value where none follows; behind `--` everything is text."""
    end = args.index("--") if "--" in args else len(args)
    following = [*args[1:], ""]
    return [
        f"--wait={_IDLE}"
        if word == "--wait" and number < end and following[number] not in _VALUES
        else word
        for number, word in enumerate(args)
    ]


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
