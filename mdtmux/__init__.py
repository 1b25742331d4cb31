"""Run an office of AI coding agents in tmux, each in its own git worktree."""

from __future__ import annotations

__version__ = "0.1.0"
