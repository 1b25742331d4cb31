"""Mail between agents and people: one file per message, states set by events."""
