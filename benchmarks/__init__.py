"""Measured ratios: `make bench`."""
