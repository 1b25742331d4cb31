"""mdtmux.record."""
