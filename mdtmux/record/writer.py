"""Write what a pane prints into a ring on disk, without a Python process a pane.

tmux's `pipe-pane` starts the command made here. The ring is a folder of numbered
segments, see `ring.sh`; `reader` reads it.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from mdtmux.record.segments import end, length, load, path_of, segments
from mdtmux.system.files import private_dir, write_private

# Three segments: when the oldest goes, two thirds of the buffer are still there.
SEGMENTS = 3
_SCRIPT = Path(__file__).with_name("ring.sh")


def pipe_command(folder: Path, buffer: int) -> str:
    """Return the shell command that records its standard input into `folder`.

    It is for `pipe-pane` as it is, and at once: it goes on where the recording ends
    now. tmux replaces `#` formats and `%` times in it (tmux(1), pipe-pane), so neither
    character stands in it. The folder is made, for this user alone. The files never
    take more than `buffer` bytes, and once that many were written hold at least 0.6
    of them. The command ends with its input.

    Raises:
        MdtmuxError: the folder cannot be made.
    """
    folder = private_dir(folder.absolute())
    size = max(1, buffer // SEGMENTS)
    _fit(folder, size)
    # Told here, since a shell must start a process to learn a file's size.
    at = end(folder)
    given = (folder, size, SEGMENTS, at.segment, at.offset)
    words = " ".join(_word(str(one)) for one in given)
    # tmux has started a /bin/sh for it: that one reads the script, no second one.
    return f"set -- {words}; . {_word(str(_SCRIPT))}"


def _fit(folder: Path, size: int) -> None:
    """Keep only what a ring of such segments holds; the buffer was made smaller.

    An earlier recorder may still have brought some bytes more than a segment takes.
    Then where its runs began is forgotten, as of all output that left the ring.
    """
    numbers = segments(folder)
    kept = numbers[-SEGMENTS:]
    if any(length(folder, one) > size + size // 32 for one in kept):
        data = b"".join(load(folder, one) or b"" for one in kept)
        data = data[-(SEGMENTS - 1) * size :]
        pieces = [data[at : at + size] for at in range(0, len(data), size)]
        for number, piece in enumerate(pieces, numbers[-1] + 1):
            write_private(path_of(folder, number), piece)
        kept = []
    for number in numbers:
        if number not in kept:
            path_of(folder, number).unlink(missing_ok=True)


def _word(text: str) -> str:
    codes = {"#": r'''"$(printf '\043')"''', "%": r'''"$(printf '\045')"'''}
    parts = re.split("([#%])", text)
    return "".join(codes.get(part) or shlex.quote(part) for part in parts if part)
