"""Type text into agents through one gate, and prove what became of it."""
