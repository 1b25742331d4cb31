"""Write an office file and read it back: as an office, or as the lines of its faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from mdtmux.errors import OfficeFileError, Problem
from mdtmux.office.file import load
from mdtmux.office.model import Agent, Office

NAME = "office.yaml"


def write(text: str | bytes, folder: Path | None = None) -> Path:
    """Write the office file into the working directory, or a folder that is made."""
    path = (folder or Path()) / NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def office(text: str | bytes) -> Office:
    """Return the office that the text declares."""
    return load(write(text))


def problems(text: str | bytes) -> tuple[Problem, ...]:
    """Return the problems of the text, none when it is an office file."""
    path = write(text)
    try:
        load(path)
    except OfficeFileError as error:
        return error.problems
    return ()


def faults(text: str | bytes) -> list[str]:
    """Return the messages of a text that is no office file."""
    path = write(text)
    with pytest.raises(OfficeFileError) as caught:
        load(path)
    return str(caught.value).split("\n")


def fault(text: str | bytes) -> str:
    """Return the only message of a text that is no office file, without its name."""
    found = faults(text)
    assert len(found) == 1, found
    return found[0].removeprefix(f"{NAME}:").strip()


def agent(keys: str, others: str = "") -> Agent:
    """Return the agent `a` with these keys (`key: value, …`), of kind clerk."""
    return office(wrap(keys, others)).agents[0]


def agent_fault(keys: str, others: str = "") -> str:
    """Return the message about the agent `a` with these keys, after its path."""
    message = fault(wrap(keys, others))
    return message.partition(" at agents[1] 'a'")[2].removeprefix(" > ")


def wrap(keys: str, others: str = "") -> str:
    """Return an office file with the agent `a` in one line, and further lines."""
    kind = (
        ""
        if "kind:" in keys or "command:" in keys or "shell:" in keys
        else "kind: clerk, "
    )
    return f"name: lab\nagents:\n- {{name: a, {kind}{keys}}}\n{others}"
