"""Typed values: dates, times, numbers, codes, and their mentions in text."""
