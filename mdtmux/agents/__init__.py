"""mdtmux.agents"""
