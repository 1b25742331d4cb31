"""Run the command line as a real process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Result:
    """What one run of the command line left behind."""

    code: int
    out: str
    err: str

    def json(self) -> object:
        """Return what was printed, read as JSON."""
        value: object = json.loads(self.out)
        return value


@dataclass(frozen=True, slots=True)
class _Spec:
    argv: tuple[str, ...]
    cwd: str | None
    env: dict[str, str]


def _spec(
    args: tuple[str, ...],
    cwd: str | Path | None,
    env: Mapping[str, str | None] | None,
) -> _Spec:
    merged = dict(os.environ)
    for key, value in (env or {}).items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = value
    argv = (sys.executable, "-m", "mdtmux", *args)
    return _Spec(argv, None if cwd is None else str(cwd), merged)


def run(
    *args: str,
    cwd: str | Path | None = None,
    env: Mapping[str, str | None] | None = None,
    stdin: str | bytes = b"",
    timeout: float = 50,
) -> Result:
    """Run `mdtmux ARGS` to its end.

    `env` is laid over the test's environment; None removes a variable. Output is read
    as UTF-8 with undecodable bytes kept as surrogates.
    """
    spec = _spec(args, cwd, env)
    done = subprocess.run(
        spec.argv,
        cwd=spec.cwd,
        env=spec.env,
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        timeout=timeout,
        check=False,
    )
    out, err = (
        text.decode("utf-8", "surrogateescape") for text in (done.stdout, done.stderr)
    )
    return Result(done.returncode, out, err)


def start(
    *args: str,
    cwd: str | Path | None = None,
    env: Mapping[str, str | None] | None = None,
) -> subprocess.Popen[str]:
    """Start `mdtmux ARGS` with pipes and return the process; the test must end it."""
    spec = _spec(args, cwd, env)
    return subprocess.Popen(
        spec.argv,
        cwd=spec.cwd,
        env=spec.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="surrogateescape",
    )
