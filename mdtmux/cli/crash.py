"""The crash log: what a bug report needs, in one file."""

from __future__ import annotations

import platform
import sys
import time
import traceback
from pathlib import Path

from mdtmux import __version__
from mdtmux.errors import MdtmuxError
from mdtmux.system.files import state_root, write_private


def write_crash_log(error: Exception) -> str:
    """Write versions and traceback to a private file; return its path or why not.

    Arguments are named by their verb only: they may hold prompts and secrets.
    """
    name = time.strftime("crash-%Y%m%d-%H%M%S.log")
    path = state_root() / "crashes" / name
    verb = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
    rows = [
        f"mdtmux {__version__}, Python {platform.python_version()}, {platform.platform()}",
        f"verb: {verb}",
        "".join(traceback.format_exception(error)),
    ]
    try:
        write_private(path, "\n".join(rows))
    except MdtmuxError as failure:
        return failure.message
    return str(Path(path))
