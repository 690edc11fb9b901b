"""How tool schemas are written for one family of models or another."""
