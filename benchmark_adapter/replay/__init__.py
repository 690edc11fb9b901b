"""Playing turns against their reference."""
