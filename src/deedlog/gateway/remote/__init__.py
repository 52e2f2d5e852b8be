"""Servers over HTTP, and logins to them, through the official SDK."""
