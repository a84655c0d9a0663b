"""Lower bounds, one technique a file."""
