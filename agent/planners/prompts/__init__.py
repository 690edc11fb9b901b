"""The words of the prompts, in files that a researcher can read and replace."""
