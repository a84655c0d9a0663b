"""Trees that may err: find the front of sizes and errors, and choose from it."""
