"""Secrets are taken out of a text before it leaves the machine. Rather a word too many than a key."""

from __future__ import annotations

import re

from deedlog.core.gate.redaction import REDACTED, without_shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

E_MAIL = "[e-mail]"
RULES = tuple(
    (re.compile(pattern, re.ASCII), instead)
    for pattern, instead in (
        (r"[\w.+%-]{1,64}@(?!\dx\.)[\w-]{1,64}(?:\.[\w-]{1,64})+", E_MAIL),
        (r"\b[0-9a-fA-F]{32,}\b", REDACTED),
        (
            r"(?<![\w+-])(?=[\w+-]*[0-9])(?=[\w+-]*[a-z])(?=[\w+-]*[A-Z])[\w+-]{40,}={0,2}",
            REDACTED,
        ),
    )
)


def redacted(text: str) -> str:
    text = without_shapes(text)
    for pattern, instead in RULES:
        text = pattern.sub(instead, text)
    return text


def redacted_data(data: Any) -> Any:
    """The same for every text in JSON data, the names in it included."""
    if isinstance(data, str):
        return redacted(data)
    if isinstance(data, dict):
        return {redacted(str(name)): redacted_data(value) for name, value in data.items()}
    if isinstance(data, list):
        return [redacted_data(value) for value in data]
    return data
