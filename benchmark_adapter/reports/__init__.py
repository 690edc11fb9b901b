"""What is shown of runs: tables, comparisons, the audit, a page to look at."""
