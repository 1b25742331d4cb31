"""docs/clerk.md tells the truth about options and instructions."""

from __future__ import annotations

import re
from pathlib import Path

from mdtmux.agents.clerk import language, options
from mdtmux.agents.clerk.answer import HELP

MANUAL = (Path(__file__).parents[3] / "docs/clerk.md").read_text(encoding="utf-8")


def test_every_option_is_in_the_manual_and_no_other() -> None:
    """The table of options is that of `--help`."""
    given = set(re.findall(r"--[a-z-]+", options.usage())) - {"--help"}
    told = set(re.findall(r"^\| `(--[a-z-]+)", MANUAL, re.MULTILINE))
    assert told == given


def test_every_instruction_is_in_the_manual_and_in_the_help() -> None:
    """No word of the language is kept secret, and none is invented."""
    section = MANUAL.partition("## The language")[2].partition("## Keys")[0]
    told = set(re.findall(r"^\| `([a-z]+)", section, re.MULTILINE))
    assert told == set(language.WORDS)
    assert all(re.search(rf"\b{word}\b", HELP) for word in language.WORDS)


def test_the_examples_are_what_they_seem() -> None:
    """The manual's program is instructions only, and its script can be read."""
    program, script = re.findall(r"```text\n(.*?)```", MANUAL, re.DOTALL)
    parsed = language.parse(program)
    assert not parsed.prose
    assert [i.word for i in parsed.instructions] == [
        "write",
        "commit",
        "dispatch",
        "wait",
        "merge",
    ]
    assert len(language.parse_script(script).reactions) == 2
