"""Fixtures of the delivery's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.panes import Desk


@pytest.fixture
def desk(tidy: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Give a tmux server of the test's own for agents without an office."""
    monkeypatch.setenv("FX_LOG", str(tidy / "fx.log"))
    return Desk(tidy)
