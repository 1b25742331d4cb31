"""mdtmux.record"""
