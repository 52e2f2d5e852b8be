"""Proofs that a worker and its supervisor have the same secret; `core/worker_calls.py` says where they stand."""

from __future__ import annotations

import hmac


def request_proof(secret: str, challenge: str, number: int, body: str) -> str:
    """What shows that the worker sends this, as the request of that number since the challenge."""
    return _derived(secret, f"ask {challenge} {number}\n{body}")


def answer_proof(secret: str, asked: str, body: str) -> str:
    """What shows that the supervisor answers this to the request with the proof `asked`."""
    return _derived(secret, f"answer {asked}\n{body}")


def same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def _derived(secret: str, text: str) -> str:
    return hmac.new(secret.encode("utf-8", "replace"), text.encode("utf-8", "replace"), "sha256").hexdigest()
