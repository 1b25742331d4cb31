"""mdtmux.delivery"""
