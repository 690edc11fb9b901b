"""What the learned reader is fitted on: clauses in context, written and labelled by hand (`README.md`)."""
