"""Ids that sort by the time they were made and stay unique when stores are merged."""

from __future__ import annotations

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford: no i, l, o, u
TIME_LENGTH = 11  # 55 bits of microseconds: enough until the year 3111
CHANCE_LENGTH = 5  # 25 bits


def encode(number: int, length: int) -> str:
    digits = []
    for _ in range(length):
        number, digit = divmod(number, 32)
        digits.append(ALPHABET[digit])
    return "".join(reversed(digits))


def uid(prefix: str, moment: int, chance: int) -> str:
    """An id such as `wf-1j9x2k3m4n5p6q7r`, from a moment in microseconds and random bits."""
    return f"{prefix}-{encode(moment, TIME_LENGTH)}{encode(chance, CHANCE_LENGTH)}"
