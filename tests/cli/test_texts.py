"""How the words of `send` and `broadcast` are told from their options."""

from __future__ import annotations

import click
import pytest

from mdtmux.cli.texts import TextCommand


def _parsed(*args: str) -> dict[str, object]:
    options = [
        click.Argument(["text"], nargs=-1),
        click.Option(["--wait"], type=click.Choice(["idle"])),
        click.Option(["--text-file"]),
    ]
    command = TextCommand("send", params=list(options))
    return command.make_context("send", list(args)).params


@pytest.mark.parametrize(
    ("args", "wait", "text"),
    [
        (("--wait", "do this"), "idle", ("do this",)),
        (("--wait", "go"), "idle", ("go",)),
        (("go", "--wait"), "idle", ("go",)),
        (("--wait", "idle", "go"), "idle", ("go",)),
        (("--wait=idle", "go"), "idle", ("go",)),
        (("--", "--wait"), None, ("--wait",)),
        (("- a list", "--wait"), "idle", ("- a list",)),
    ],
)
def test_wait_needs_no_value(
    args: tuple[str, ...], wait: str | None, text: tuple[str, ...]
) -> None:
    """`--wait` alone means idle, and what stands behind it stays text."""
    params = _parsed(*args)

    assert (params["wait"], params["text"]) == (wait, text)


@pytest.mark.parametrize("value", ["busy", "waiting", "exited"])
def test_what_cannot_be_waited_for_is_not_typed(value: str) -> None:
    """`--wait busy` is a mistake, not a text that begins with `busy`."""
    with pytest.raises(click.BadParameter):
        _parsed("--wait", value, "go")


def test_wait_before_another_option() -> None:
    """`--wait --text-file F` gives both."""
    params = _parsed("--wait", "--text-file", "F")

    assert (params["wait"], params["text_file"]) == ("idle", "F")
