"""Demo toolsets in English and Chinese, with a simulator that answers their calls."""
