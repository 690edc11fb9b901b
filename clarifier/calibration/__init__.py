"""Signals, the heads that weigh them, how they are fitted and what they promise."""
