"""The one room that reads words: what a text says, as a `Reading` (docs/reading.md)."""
