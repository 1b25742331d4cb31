"""The office file: its keys, its reader, and the values that it becomes."""
