"""Run the clerk: `python -m mdtmux.agents.clerk`."""

from __future__ import annotations

import sys

from mdtmux.agents.clerk.app import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
