"""Fixtures of the delivery's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from mdtmux.delivery import sequence
from tests.support.panes import Desk


@pytest.fixture
def desk(tidy: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Give a tmux server of the test's own for agents without an office."""
    monkeypatch.setenv("FX_LOG", str(tidy / "fx.log"))
    return Desk(tidy)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give up sooner on what never proves itself: many tests wait for just that."""
    monkeypatch.setattr(sequence, "_UNCLEAR", 3.5)
    monkeypatch.setattr(sequence, "_READ", 4.0)
