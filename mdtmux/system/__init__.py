"""mdtmux.system."""
