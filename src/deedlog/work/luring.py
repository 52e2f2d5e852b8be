"""Prompts and resources of mounted servers that try to lead a model astray by what they say of themselves."""

from __future__ import annotations

from functools import lru_cache

from deedlog.core.gate.flags import is_grave
from deedlog.core.gate.suspicion import flags_of_texts, is_deep, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

READ = ("name", "title", "description", "arguments")  # its address is none of it
MOST_REMEMBERED = 4_096


def described(said: Any) -> Any:
    """What of a prompt or a resource is meant to be read."""
    return {key: value for key, value in said.items() if key in READ} if isinstance(said, dict) else said


def is_luring(row: Json, tools: list[Json]) -> bool:
    """Whether somebody would have to be asked about a tool that says this. `tools` are those of the same server."""
    said = described(row)
    if is_deep(said):
        return True
    return _is_luring(tuple(texts(said)), frozenset(str(tool.get("name")) for tool in tools))


@lru_cache(MOST_REMEMBERED)
def _is_luring(said: tuple[str, ...], own: frozenset[str]) -> bool:
    """Every list of them asks this anew."""
    return is_grave(flags_of_texts(list(said), {}, own))
