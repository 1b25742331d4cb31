"""mdtmux.running"""
