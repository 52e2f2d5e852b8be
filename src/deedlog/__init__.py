"""The work ledger and control room for coding agents."""

__version__ = "0.1.0"
