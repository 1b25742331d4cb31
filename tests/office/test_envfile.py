"""Env files are read line by line, and checked with the office file."""

from __future__ import annotations

from pathlib import Path

import pytest

from mdtmux.errors import OfficeFileError
from mdtmux.office.envfile import parse
from mdtmux.office.file import load


def test_assignments_and_wrong_lines() -> None:
    """Quotes and `export` go; a line that is no assignment is told by its number."""
    text = "A=1\n\n# C=no\nexport B='two words'\nnonsense\n1X=2\nD=\nE=a\0b\n"

    assert parse(text) == ({"A": "1", "B": "two words", "D": ""}, (5, 6, 8))


def test_a_wrong_env_file_is_a_problem_of_the_office_file(world: Path) -> None:
    """Its place in both files is told, for each wrong line, without what stands there."""
    (world / "x.env").write_text("A=1\nsecret\nB=2\nhush\n", encoding="utf-8")
    (world / "bin.env").write_bytes(b"A=\xff\n")
    file = world / "office.yaml"
    file.write_text(
        "agents:\n"
        "  - {name: a, command: x, env_file: x.env}\n"
        "  - {name: b, command: x, env_file: bin.env}\n",
        encoding="utf-8",
    )

    with pytest.raises(OfficeFileError) as caught:
        load(file)

    told = [(one.line, one.path, one.message) for one in caught.value.problems]
    assert [(line, path) for line, path, _ in told] == [
        (2, "agents[1] 'a' > env_file"),
        (2, "agents[1] 'a' > env_file"),
        (3, "agents[2] 'b' > env_file"),
    ]
    messages = [message for *_, message in told]
    assert "x.env" in messages[0]
    assert "line 2: not an assignment" in messages[0]
    assert "line 4: not an assignment" in messages[1]
    assert "not UTF-8" in messages[2]
    assert "secret" not in "".join(messages)
