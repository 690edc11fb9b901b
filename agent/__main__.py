"""`python -m agent` is `stead`."""

from agent.cli import app

app()
