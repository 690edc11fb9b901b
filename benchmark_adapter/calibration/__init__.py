"""Fitting and reporting calibration from runs."""
