"""Text on a grid of cells: how wide it is, where it is cut, what may be shown."""

from __future__ import annotations

import unicodedata

_TAB = "    "


def cells(character: str) -> int:
    """Return how many columns a terminal gives to one character: 0, 1 or 2."""
    if character < "\u0300":
        return 1
    # Format characters join or steer their neighbours; terminals give them no cell,
    # as they give none to the vowels and finals that complete a Hangul syllable.
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    if "\u1160" <= character <= "\u11ff":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def width(text: str) -> int:
    """Return how many columns the text takes; it must be free of control characters."""
    return len(text) if text.isascii() else sum(map(cells, text))


def clean(text: str) -> str:
    """Return the text as it may be shown in one row: no character moves the cursor."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible(c) for c in text)


def _visible(character: str) -> str:
    if character == "\t":
        return _TAB
    kind = unicodedata.category(character)
    if kind in ("Zl", "Zp"):
        return " "
    # Terminals drop or misplace what has no agreed width.
    return "·" if kind in ("Cc", "Cn", "Co", "Cs") else character


def clip(text: str, columns: int) -> str:
    """Return the text, cut with `…` when it is wider than the columns."""
    if width(text) <= columns:
        return text
    if columns < 1:
        return ""
    head, _ = _split(text, columns - 1)
    return f"{head}…" if width(head) < columns else "…"


def wrap(text: str, columns: int) -> list[str]:
    """Cut cleaned text into rows of at most that many columns; at least one row."""
    rows = []
    while width(text) > columns:
        head, text = _split(text, columns)
        rows.append(head)
    return [*rows, text]


def _split(text: str, columns: int) -> tuple[str, str]:
    if text.isascii():
        cut = max(1, columns)
        return text[:cut], text[cut:]
    used = 0
    for index, character in enumerate(text):
        used += cells(character)
        if used > columns and index:
            return text[:index], text[index:]
    return text, ""
