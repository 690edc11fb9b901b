"""From replies to scores, metrics and tables."""
