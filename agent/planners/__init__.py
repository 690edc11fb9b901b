"""Planners: `chat` asks a model, `rules` needs none."""
