"""The strategies that move the bounds on size and depth until they meet."""
