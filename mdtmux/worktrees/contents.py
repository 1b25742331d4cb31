"""Content marks of many files, where each is read once as long as it does not change."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from mdtmux.worktrees.furnish import content_mark

# A change within one tick of the file system's clock leaves no trace in the times.
_SETTLED = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Contents:
    """Remembers the marks of files by what the kernel says of them."""

    _known: dict[tuple[int, ...], str] = field(default_factory=dict)

    def of(self, path: Path) -> str:
        """Return the SHA-256 of the file's content as it is now.

        Raises:
            OSError: the file cannot be read.
        """
        # The change time is the kernel's alone; renaming a folder above leaves it.
        now = path.stat()
        key = (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)
        known = self._known.get(key)
        if known is not None:
            return known
        mark = content_mark(path)
        if time.time_ns() - now.st_ctime_ns > _SETTLED:
            self._known[key] = mark
        return mark
