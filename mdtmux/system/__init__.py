"""mdtmux.system"""
