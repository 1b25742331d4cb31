"""Run a piece of the program as a user for whom closed folders are closed."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
from pathlib import Path

_ROOT = 0


def run_as_nobody(
    world: Path, imports: str, code: str
) -> subprocess.CompletedProcess[str]:
    """Run Python code without root's rights, and give it the world's files for that.

    Whoever is not root already runs it as itself. Modules are imported before the
    rights go: the interpreter may lie in a folder of root's.
    """
    drop = ""
    if os.getuid() == _ROOT:
        nobody = pwd.getpwnam("nobody")
        ids = (nobody.pw_uid, nobody.pw_gid)
        for path in (world, *world.rglob("*")):
            os.chown(path, *ids, follow_symlinks=False)
        drop = f"import os; os.setgroups([]); os.setgid({ids[1]}); os.setuid({ids[0]})"
    script = "\n".join(("import pwd", imports, drop, code))
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
