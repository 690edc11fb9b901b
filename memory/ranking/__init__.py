"""Which turns answer a request."""
