"""Write what a pane prints into a ring on disk, without a Python process a pane.

tmux's `pipe-pane` starts the command made here. The ring is a folder of numbered
segments, see `ring.sh`; `reader` reads it.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

# Three segments: when the oldest goes, two thirds of the buffer are still there.
SEGMENTS = 3
_SCRIPT = Path(__file__).with_name("ring.sh")


def pipe_command(folder: Path, buffer: int) -> str:
    """Return the shell command that records its standard input into `folder`.

    It is for `pipe-pane` as it is: tmux replaces `#` formats and `%` times in it
    (tmux(1), pipe-pane), so neither character stands in it. The folder and what is
    missing above it are made, for this user alone. The files never take more than
    `buffer` bytes, and once that many were written hold at least 0.6 of them. The
    command ends with its input, and goes on where an earlier one stopped.
    """
    size = max(1, buffer // SEGMENTS)
    words = " ".join(map(_word, (str(folder.absolute()), str(size), str(SEGMENTS))))
    # tmux has started a /bin/sh for it: that one reads the script, no second one.
    return f"set -- {words}; . {_word(str(_SCRIPT))}"


def _word(text: str) -> str:
    codes = {"#": r'''"$(printf '\043')"''', "%": r'''"$(printf '\045')"'''}
    parts = re.split("([#%])", text)
    return "".join(codes.get(part) or shlex.quote(part) for part in parts if part)
