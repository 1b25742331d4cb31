"""The agents' worktrees: made, furnished, judged, removed, merged and brought back."""
