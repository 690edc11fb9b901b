"""From replies to scores and metrics."""
