"""Settings of the whole suite."""

from __future__ import annotations

import os

from hypothesis import settings

# No test is timed: the machine may be busy. CI repeats the same examples, so that it fails for a reason in the change.
settings.register_profile("stead", deadline=None, derandomize=os.environ.get("CI") == "true")
settings.load_profile("stead")
