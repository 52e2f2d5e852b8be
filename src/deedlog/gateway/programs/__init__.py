"""Servers that are programs of this machine: how they are started, and their standard streams."""
