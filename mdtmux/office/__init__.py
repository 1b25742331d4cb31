"""mdtmux.office"""
