"""mdtmux.worktrees"""
