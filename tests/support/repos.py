"""Make real git repositories."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path


def git(where: Path, *args: str) -> str:
    """Run git in the folder and return what it printed, stripped at the right."""
    done = subprocess.run(
        ["git", "-C", str(where), *args], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"git {' '.join(args)}: {done.stderr}"
    return done.stdout.rstrip()


def make_repo(where: Path, files: Mapping[str, str] | None = None) -> Path:
    """Make a repository with one commit on `main` that holds the files."""
    where.mkdir(parents=True)
    git(where, "init", "-q", "-b", "main")
    for name, text in (files or {"README.md": "# a repository\n"}).items():
        path = where / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    git(where, "add", "-A")
    git(where, "commit", "-q", "-m", "first")
    return where
