"""Sub-commands of `stead`."""
