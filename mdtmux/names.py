"""Names that are safe in tmux targets, git branches, paths and shells alike."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NewType

from mdtmux.errors import UsageError

OfficeName = NewType("OfficeName", str)
AgentName = NewType("AgentName", str)
PaneId = NewType("PaneId", str)
RunId = NewType("RunId", str)

MAX_NAME = 64
# tmux rewrites `.` and `:` in session names, and reads a leading `-`, `=`, `@`, `%`
# or `$` as syntax, so none of these can begin or stand in a name.
NAME_PATTERN = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
_NAME = re.compile(NAME_PATTERN)


def is_name(text: str) -> bool:
    """Tell whether the text may name an office or an agent."""
    return _NAME.fullmatch(text) is not None


def name_fault(text: str) -> str:
    """Say in a few words why the text is not a name; call it for such texts only."""
    if not text:
        return "a name cannot be empty"
    if len(text) > MAX_NAME:
        return f"a name has at most {MAX_NAME} characters"
    bad = next((c for c in text if not re.fullmatch("[A-Za-z0-9_-]", c)), text[0])
    return (
        f"`{bad}` cannot stand there: "
        "names are letters, digits, - and _, a letter or digit first"
    )


def check_name(text: str, what: str) -> str:
    """Return the text when it is a name.

    Raises:
        UsageError: it is not; the message names the character.
    """
    if not is_name(text):
        message = f"{what} `{text}`: {name_fault(text)}"
        raise UsageError(message)
    return text


def safe_name(text: str) -> str:
    """Make a name of any text, for a default drawn from a folder's name."""
    cleaned = re.sub(r"[^A-Za-z0-9_-]+", "-", text).strip("-_")[:MAX_NAME]
    return cleaned or "office"


def nearest(word: str, choices: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """Return the choice that the word was most likely meant to be, if any is near.

    `cutoff` is how alike they must be, from 0 to 1.
    """
    # Imported here: difflib costs 10 ms that `--help` must not pay.
    from difflib import get_close_matches

    found = get_close_matches(word, list(choices), n=1, cutoff=cutoff)
    return found[0] if found else None


def new_run_id() -> RunId:
    """Return a new id for one life of an agent: 12 hexadecimal digits."""
    # Imported here: it brings `random` and `hmac`, which Tab must not pay for.
    import secrets

    return RunId(secrets.token_hex(6))
