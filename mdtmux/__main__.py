"""Run mdtmux as `python -m mdtmux`."""

from __future__ import annotations

from mdtmux.cli.main import main

if __name__ == "__main__":
    main()
