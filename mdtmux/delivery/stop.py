"""How a delivery ends early: raised inside this folder, turned into a receipt."""

from __future__ import annotations

from mdtmux.delivery.receipt import Held, Outcome


class Stop(Exception):  # not an error: every delivery that is not submitted ends so
    """Ends a delivery with the outcome that its receipt shall have."""

    def __init__(self, outcome: Outcome, held: Held, evidence: str = "") -> None:
        super().__init__(held.reason)
        self.outcome = outcome
        self.held = held
        self.evidence = evidence
