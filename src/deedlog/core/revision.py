"""The revisions of the Model Context Protocol that are spoken here."""

from __future__ import annotations

LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")  # opened by `initialize`
MODERN = "2026-07-28"  # no handshake: every request says who asks and what they can do
