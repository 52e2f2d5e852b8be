"""What tells whether a record still is what was written."""

from __future__ import annotations

import hashlib


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
