"""Output that cannot be written, progress that is due."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.office import Lab, make_lab


@pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="this system has no /dev/full"
)
def test_a_full_disk_behind_the_output_is_no_bug() -> None:
    """What was done is done: one clear error, exit 1, no crash log."""
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "mdtmux", "config", "schema"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert done.returncode == 1
    assert done.stderr.startswith("error: cannot write the output")
    assert "bug" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_closed_descriptors_are_no_bug() -> None:
    """`>&-` and `2>&-` lose the text, not the command."""
    for closed in (">&-", "2>&-", "<&-"):
        argv = [
            "sh",
            "-c",
            f'exec "$0" -m mdtmux config schema {closed}',
            sys.executable,
        ]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (closed, done.stderr)


@pytest.mark.usefixtures("tidy")
def test_a_long_wait_is_told(world: Path) -> None:
    """What takes more than a second says what it waits for."""
    lab: Lab = make_lab(world)
    deaf = "trap '' INT; while :; do sleep 0.1; done"
    lab.write([{"name": "a", "shell": deaf, "stop": {"timeout": "1500ms"}}])
    lab.ok("up")

    assert "waiting for a to end" in lab.ok("stop", "a").err
    assert "waiting" not in lab.ok("down").err
