"""mdtmux.running."""
