"""The reference evaluator's behaviour, without listing paths, and the proof that it is equal."""
