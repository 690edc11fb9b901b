"""Public suites for recall and for ask-or-act."""
