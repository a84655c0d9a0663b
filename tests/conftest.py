"""What all tests share."""

from hypothesis import settings

# How long one example takes depends on the machine and on what else it does, so it is no failure.
settings.register_profile("dtfinder", deadline=None)
settings.load_profile("dtfinder")
