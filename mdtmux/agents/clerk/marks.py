"""The signs on the clerk's screen, shared by what draws them and what reads them.

Every sign stands in the first column, where the transcript never writes: its rows
are indented or begin with a bullet. So no text about a limit or a question can be
taken for one.
"""

from __future__ import annotations

# Two columns before each row of the draft tell how the row came about.
POINTER = "\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}"
PROMPT = f"{POINTER} "
NEW_LINE = "⋮ "
WRAPPED = "  "
HIDDEN = "… "

RULE = "─"
FOOTER = "  clerk"
SPINNER = "·✢✳✶✻✽"
WORKING = "Working…"
LIMIT = "■ Usage limit reached"
CONFIRM = "Enter to confirm · Esc to cancel"
SELECT = "Enter to select · Esc to dismiss"

TRUST = "trust"
APPROVAL = "approval"
QUESTION = "question"

BULLET = "● "
SAID = "> "
OUTPUT = "  ⎿  "
INDENT = "  "


def rule(width: int, label: str = "") -> str:
    """Return a line across the screen, with the name of a dialog in it if given."""
    head = f"{RULE * 2} {label} " if label else ""
    return (head + RULE * width)[:width]


def placeholder(number: int, text: str) -> str:
    """Return what stands in the draft for a long paste."""
    breaks = text.count("\n")
    size = f"+{breaks} lines" if breaks else f"{len(text)} chars"
    return f"[Pasted text #{number} {size}]"


def is_long(text: str) -> bool:
    """Tell whether a paste is shown by its placeholder."""
    return len(text) > 800 or text.count("\n") > 4
