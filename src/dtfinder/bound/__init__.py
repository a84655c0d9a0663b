"""Lower bounds, one technique per file."""
