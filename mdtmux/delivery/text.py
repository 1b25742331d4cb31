"""What may be typed into an agent: text that arrives byte for byte, or a refusal."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mdtmux.errors import Refused
from mdtmux.units import format_size

# The most that one delivery takes. tmux holds the whole text until the program has
# read it, so the limit is the server's memory, not a protocol's.
LIMIT = 16_000_000
# C0 but TAB and LF, and DEL. CR never gets that far: it becomes LF first.
_DROPPED = bytes({*range(0x20), 0x7F} - {0x09, 0x0A})
# C1 (U+0080 to U+009F) as UTF-8: a terminal takes U+009B for the start of a sequence.
_C1 = re.compile(rb"\xc2[\x80-\x9f]")


@dataclass(frozen=True, slots=True)
class Prepared:
    """Text that is safe to paste: UTF-8, LF line breaks, TAB the only other control.

    `dropped` counts the control characters that were taken out, `lines` the lines
    (a final line break does not begin another one), `bytes` the length in UTF-8.
    """

    text: str
    dropped: int
    lines: int
    bytes: int


def prepare(text: bytes | str) -> Prepared:
    """Return the text as it will be typed.

    CRLF and CR become LF. Control characters other than LF and TAB are dropped and
    counted: an ESC could end the paste and begin a key.

    Raises:
        Refused: it is not UTF-8, larger than `LIMIT`, or has nothing visible in it.
    """
    raw = text if isinstance(text, bytes) else _encode(text)
    if len(raw) > LIMIT:
        message = f"the text has {format_size(len(raw))}; at most {format_size(LIMIT)} can be sent"
        raise Refused(message, hint="put it into a file and send the file's name")
    if b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    kept = raw.translate(None, _DROPPED)
    dropped = len(raw) - len(kept)
    if b"\xc2" in kept:
        kept, found = _C1.subn(b"", kept)
        dropped += found
    clean = _decode(kept)
    if not clean or clean.isspace():
        message = "there is no text to send"
        raise Refused(
            message, hint="to press a key, use `mdtmux send AGENT --key Enter`"
        )
    lines = clean.count("\n") + (not clean.endswith("\n"))
    return Prepared(clean, dropped, lines, len(kept))


def _encode(text: str) -> bytes:
    try:
        # Arguments that were no UTF-8 reach Python as surrogates; give them back.
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise _not_text(error.start) from error


def _decode(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_text(error.start) from error


def _not_text(place: int) -> Refused:
    message = f"the text is not UTF-8 (at byte {place})"
    return Refused(message, hint="send the file's name instead of its contents")
