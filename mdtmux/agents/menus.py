"""Find an open question on a screen that no kind reads: there nothing is ever typed."""

from __future__ import annotations

import re

from mdtmux.system.screen import Screen

# Frames that TUIs draw around their rows.
_FRAME = " \t│┃║|▌▐█▏▕╎┆┊╭╮╰╯┌┐└┘├┤─━═"
# What points at the chosen option: > and its look-alikes, arrows, a filled button.
_MARK = r"[>\u276f\u203a▶▸→➜●◉*]"
_OPTION = re.compile(rf"(?:{_MARK}\s*)?(?:\(?\d{{1,2}}[.):]|\[\d{{1,2}}\])\s+\S")
_CHOSEN = re.compile(rf"{_MARK}\s*(?:\(?\d{{1,2}}[.):]|\[\d{{1,2}}\])\s+\S")
_YES_NO = re.compile(
    rf"(?:{_MARK}\s*)?(?:yes|no|allow|deny|approve|reject)\b", re.IGNORECASE
)
_CHOSEN_YES_NO = re.compile(
    rf"{_MARK}\s*(?:yes|no|allow|deny|approve|reject)\b", re.IGNORECASE
)
_PROMPT = re.compile(r"[>\u276f\u203a$%»](?:\s|$)")
_KEYS = re.compile(
    r"(?:enter|return|⏎|↵)\W{0,3}(?:to\s+)?(?:select|confirm|approve|accept|choose)\b",
    re.IGNORECASE,
)
_Y_OR_N = re.compile(
    r"[\[(]\s*y(?:es)?\s*/\s*n(?:o)?\b[^\])]*[\])]\s*\W?\s*$", re.IGNORECASE
)
_SECRET = re.compile(
    r"\b(?:password|passphrase|passcode|verification code|one-time code|otp|pin)\b"
    r"[^:?]{0,80}[:?]$",
    re.IGNORECASE,
)
# A pager or an installer that waits: what is typed drives it.
_PAUSE = re.compile(
    r"--More--|\(END\)$|\bpress (?:enter|return|any key)\b", re.IGNORECASE
)
_TRUST = re.compile(r"\bdo you trust\b", re.IGNORECASE)
# A question stands at the end of the screen, with at most some rows of key hints below.
_DEPTH = 12
_HINTS = 3


def open_menu(screen: Screen) -> str | None:
    """Return the row that shows an open menu or yes/no question, None without one.

    It errs towards a menu: a false alarm holds a text back, the other error approves
    something in a human's name.
    """
    rows = [line.strip(_FRAME) for line in screen.lines]
    rows = [row for row in rows if row][-_DEPTH:]
    if not rows:
        return None
    if any(asks.search(rows[-1]) for asks in (_Y_OR_N, _SECRET, _PAUSE, _TRUST)):
        return rows[-1]
    keys = next((row for row in rows[-_HINTS:] if _KEYS.search(row)), None)
    return (
        keys
        or _options(rows, _OPTION, _CHOSEN)
        or _options(rows, _YES_NO, _CHOSEN_YES_NO)
    )


def _options(
    rows: list[str], option: re.Pattern[str], chosen: re.Pattern[str]
) -> str | None:
    """Return the chosen row of the last block of options, if the block is still open."""
    last = max((i for i, row in enumerate(rows) if option.match(row)), default=-1)
    first = last
    while first > 0 and option.match(rows[first - 1]):
        first -= 1
    below = rows[last + 1 :]
    if last < 0 or last == first or len(below) > _HINTS:
        return None
    if any(_PROMPT.match(row) for row in below):
        # An input line below it: the menu has been answered.
        return None
    return next((row for row in rows[first : last + 1] if chosen.match(row)), None)
