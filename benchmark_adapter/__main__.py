"""`python -m benchmark_adapter` is `stead-bench`."""

from benchmark_adapter.cli import app

app()
