"""The one module that prints: results to stdout, everything else to stderr."""

from __future__ import annotations

import contextlib
import os
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from typing import TextIO

from mdtmux.errors import MdtmuxError

_COLOURS = {
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "dim": "2",
    "bold": "1",
}


def echo(text: str) -> None:
    """Print a result line."""
    _write(sys.stdout, text)


def emit_json(value: object) -> None:
    """Print a result as JSON."""
    # Imported here, as below: `--help` and Tab must not pay for it.
    import json

    text = json.dumps(value, ensure_ascii=False, indent=2)
    # Bytes of file names that are no UTF-8 become JSON's own escapes.
    echo(text.encode("utf-8", "backslashreplace").decode())


def echo_bytes(data: bytes) -> None:
    """Print a result as it is, without a line break."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def note(text: str) -> None:
    """Tell the user about progress, on stderr."""
    _write(sys.stderr, text)


def warn(text: str) -> None:
    """Tell the user of something that may be wrong, on stderr."""
    _write(sys.stderr, paint("warning: ", "yellow", stream=sys.stderr) + text)


def error(message: str, hint: str | None = None) -> None:
    """Tell the user why it failed, on stderr."""
    _write(sys.stderr, paint("error: ", "red", stream=sys.stderr) + message)
    if hint:
        _write(sys.stderr, paint("hint: ", "blue", stream=sys.stderr) + hint)


def paint(text: str, colour: str, *, stream: TextIO | None = None) -> str:
    """Colour the text when it goes to a terminal and NO_COLOR is not set."""
    target = sys.stdout if stream is None else stream
    if os.environ.get("NO_COLOR") or not target.isatty():
        return text
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m"


def width(text: str) -> int:
    """Return how many terminal cells the text takes."""
    return sum(
        0
        if unicodedata.combining(c)
        else 2
        if unicodedata.east_asian_width(c) in "WF"
        else 1
        for c in text
    )


def help_width() -> int:
    """Return how wide help is laid out: as the terminal, within what reads well.

    Counted here because click would load `shutil` and two decompressors for it.
    """
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and len(columns) < 10 and int(columns):
        return max(50, min(int(columns), 100) - 2)
    try:
        return max(50, min(os.get_terminal_size(1).columns, 100) - 2)
    except OSError:
        return 78


def clean(text: str) -> str:
    """Return the text without control characters, on one line."""
    return "".join(c if c.isprintable() else " " for c in text)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay out a table that fits the terminal: the last column is cut to fit."""
    import shutil

    cells = [[clean(cell) for cell in row] for row in (header, *rows)]
    widths = [max(width(row[i]) for row in cells) for i in range(len(header))]
    limit = (
        shutil.get_terminal_size((200, 24)).columns if sys.stdout.isatty() else 10_000
    )
    lines: list[str] = []
    for row in cells:
        padded = [cell + " " * (widths[i] - width(cell)) for i, cell in enumerate(row)]
        lines.append(_cut("  ".join(padded).rstrip(), limit))
    return "\n".join(lines)


def _cut(text: str, limit: int) -> str:
    while width(text) > limit:
        text = text[:-1]
    return text


def _write(stream: TextIO | None, text: str) -> None:
    # Python has no stream for a descriptor that was closed by the caller.
    if stream is None:
        return
    # Bytes, so that an ASCII locale cannot make a name with an accent a crash.
    data = (text + "\n").encode("utf-8", "surrogateescape")
    try:
        stream.flush()
        buffer = getattr(stream, "buffer", None)
        if buffer is None:
            stream.write(text + "\n")
            return
        buffer.write(data)
        buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        # What was done is done; only the telling failed. Nothing more is to be tried
        # at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        message = f"cannot write the output: {error.strerror}"
        raise MdtmuxError(message) from error


def is_terminal() -> bool:
    """Tell whether results go to a terminal."""
    return sys.stdout.isatty()


@contextlib.contextmanager
def patience(text: str, seconds: float = 1.0) -> Iterator[None]:
    """Tell on stderr what is waited for, when the block takes longer than that."""
    # Imported here: help and Tab must not pay for it.
    import threading

    timer = threading.Timer(seconds, note, [text])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
