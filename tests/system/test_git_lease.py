"""A lease lives as long as we or the git that inherited it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from mdtmux.errors import Busy
from mdtmux.system.git_lease import lease


def test_a_child_keeps_the_lease_when_its_parent_lets_go(world: Path) -> None:
    """While the inheriting process lives nobody gets the lease; after it, one does."""
    path = world / "marker"
    with lease(path, wait=0) as descriptor:
        child = subprocess.Popen(["sleep", "300"], pass_fds=[descriptor])
    try:
        with pytest.raises(Busy, match="still works there"), lease(path, wait=0.1):
            pass
    finally:
        child.kill()
        child.wait()

    with lease(path, wait=1):
        assert path.exists()
