"""Where work runs and when it stops: pools, processes, clusters, checkpoints, signals, limits."""
