"""Fields of stored things as the orchestrator's tools tell them: their moments in milliseconds."""

from __future__ import annotations

from deedlog.core.blackboard import NEVER
from deedlog.core.moment import millis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

ENDINGS = ("_at", "_until")
MOMENTS = ("not_before",)
WITHIN = {  # by kind: fields of ours that have moments in them; what others put into a field is left as it is
    "entry": ("held",),
    "output": ("lines",),
    "run": ("options",),
    "tender": ("bids", "awarded"),
}


def in_millis(kind: str, fields: Json) -> Json:
    """The fields of a thing of this kind; what never comes is None."""
    within = WITHIN.get(kind, ())
    return {name: _inside(part) if name in within else _told(name, part) for name, part in fields.items()}


def _inside(part: Any) -> Any:
    if isinstance(part, list):
        return [_inside(item) for item in part]
    return {name: _told(name, value) for name, value in part.items()} if isinstance(part, dict) else part


def _told(name: str, value: Any) -> Any:
    is_moment = name == "at" or name in MOMENTS or name.endswith(ENDINGS)
    if not is_moment or not isinstance(value, int) or isinstance(value, bool):
        return value
    return None if value == NEVER else millis(value)
