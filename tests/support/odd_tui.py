r"""Programs that treat what is typed oddly, for tests of what counts as proof.

    python tests/support/odd_tui.py NAME MODE

They ask for bracketed paste, show `> `, and log `submit` as `tui.py` does.

    late      shows a paste 1.5 s after it was read, and drops keys typed meanwhile
    dropping  throws every key away and draws a new picture for each read
    dialog    opens a dialog half a second after a paste; keys typed meanwhile are lost
    spinner   echoes, and turns a spinner in the first row ten times a second
    deaf      as spinner, but drops every Enter
    asks      echoes, and asks a question once it has taken a text
    ends      echoes, and ends once it has taken a text
    rows      echoes, and takes Enter for a new row, which has a prompt too
    box       as rows, in a box
    gutter    as rows, with the number of the row as the prompt
    below     echoes, and Enter asks a question below the text, which stays unsent
    editor    echoes as line editors do: at work it hands the terminal back
    limit     echoes, and takes no more than twenty characters
    modal     takes letters for orders until an `i`, and echoes from then on
    crash     echoes, and Enter ends it, with the terminal as it was found
    flush     in line mode, throws away what was not read
"""

from __future__ import annotations

import json
import os
import select
import sys
import termios
import tty
from pathlib import Path

COOKED = termios.tcgetattr(0)
INSERTS: list[str] = []
_MARKS = (b"\x1b[200~", b"\x1b[201~")


def show(text: str) -> None:
    """Write to the terminal at once."""
    os.write(1, text.encode())


def submit(name: str, text: str) -> None:
    """Append the event to $FX_LOG and show a new prompt."""
    row = {"ev": "submit", "text": text, "agent": name}
    with Path(os.environ["FX_LOG"]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
    show("\r\ntaken\r\n> ")


def enter(name: str, mode: str, draft: str) -> str:
    """Take Enter and return what stands on the input line then."""
    if mode == "deaf":
        return draft
    if mode == "rows":
        show("\r\n> ")
        return draft + "\n"
    if mode == "gutter":
        show(f"\r\nL{draft.count(chr(10)) + 2} ")
        return draft + "\n"
    if mode == "below":
        show("\r\n\nWhom shall it go to: ")
        return draft
    if mode == "crash":
        termios.tcsetattr(0, termios.TCSANOW, COOKED)
        show("\x1b[2J\x1b[HTraceback: no connection\n")
        sys.exit(1)
    if mode == "editor":
        at_work(name, draft)
        return ""
    if mode == "box":
        show(f"\r| > {draft:<40} |\r\n| > {'':<40} |\x1b[5G")
        return draft + "\n"
    submit(name, draft)
    if mode == "asks":
        show("\x1b[2K\rDelete all of it? [y/N] ")
    if mode == "ends":
        sys.exit(3)
    return ""


def at_work(name: str, text: str) -> None:
    """Work on a text with the terminal as it was found, until the test ends."""
    row = {"ev": "submit", "text": text, "agent": name}
    with Path(os.environ["FX_LOG"]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
    termios.tcsetattr(0, termios.TCSADRAIN, COOKED)
    show("\nat work")
    select.select([], [], [])


def flush() -> None:
    """Never read, as before a question for a password."""
    show("at work\n")
    while True:
        select.select([0], [], [])
        termios.tcflush(0, termios.TCIFLUSH)


def take(name: str, mode: str, draft: str, data: bytes) -> str:
    """Take what one read gave and return what stands on the input line then."""
    for mark in _MARKS:
        data = data.replace(mark, b"")
    typed = data.decode()
    if mode == "dropping":
        show(f"\x1b[2J\x1b[H{len(typed)} characters are no command\r\n> ")
        return ""
    if mode in ("late", "dialog") and typed != "\r":
        select.select([], [], [], 1.5 if mode == "late" else 0.5)
        termios.tcflush(0, termios.TCIFLUSH)
        shown = typed if mode == "late" else "\r\nA new version is there.\r\n> Yes   No"
        show(shown)
        return draft + typed
    for letter in typed:
        if letter == "\r":
            draft = enter(name, mode, draft)
        elif mode == "limit" and len(draft) == 20:
            continue
        elif mode == "modal" and not INSERTS:
            INSERTS.extend(["i"] * (letter == "i"))
        else:
            show(letter)
            draft += letter
    return draft


def main() -> None:
    """Behave as the mode says until the terminal is gone."""
    name, mode = sys.argv[1:]
    if mode == "flush":
        flush()
    tty.setraw(0)
    prompt = {"box": "| > ", "gutter": "L1 "}.get(mode, "> ")
    show(f"\x1b[?2004h\x1b[2J\x1b[5;1H{prompt}")
    draft, turn = "", 0
    while True:
        if mode in ("spinner", "deaf"):
            turn += 1
            show(f"\x1b7\x1b[1;1H{'|/-.'[turn % 4]} working\x1b8")
        if select.select([0], [], [], 0.1)[0]:
            data = os.read(0, 65536)
            if not data:
                return
            draft = take(name, mode, draft, data)


if __name__ == "__main__":
    main()
