"""mdtmux.cli"""
