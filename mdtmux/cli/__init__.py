"""mdtmux.cli."""
