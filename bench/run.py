"""Run every bench and print one table: `python bench/run.py [office|record|send|mail]…`."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

PARTS = ("office", "send", "record", "mail")


def main(names: list[str]) -> int:
    """Measure the named parts (all by default); exit 1 when a must is missed."""
    from bench.table import Row, render_table

    found: list[Row] = []
    for name in names or PARTS:
        found += import_module(f"bench.{name}").rows()
        print(render_table(found), flush=True)
    return int(any(row.missed for row in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
