"""mdtmux.agents."""
