"""Campaigns over the benchmark data; nothing here is part of the package."""
