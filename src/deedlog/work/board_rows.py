"""What operations on the blackboard and on marks answer, and what they take."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.operation.define import Field
from deedlog.work.blackboard import MOST_KEY, MOST_TAGS, MOST_TTL_MS

Key = Annotated[str, Field("Key; before its first : / or | is its namespace", min_length=1, max_length=MOST_KEY)]
Tags = Annotated[list[str], Field("Tags", max_items=MOST_TAGS)]
TtlMs = Annotated[int | None, Field("It expires after this; never if left out", minimum=1, maximum=MOST_TTL_MS)]
NodeId = Annotated[str, Field("Node or task, e.g. task-5", min_length=1, max_length=120)]


class Snapshot(TypedDict):
    key: str
    value: Any
    tags: list[str]
    createdAt: int
    updatedAt: int
    expiresAt: int | None
    version: int


class Kept(Snapshot):
    op_id: str


class Point(TypedDict):
    node_id: str
    type: str
    intensity: float
    updated_at: int


class Total(TypedDict):
    node_id: str
    intensity: float
    updated_at: int


class Change(TypedDict):
    point: Point
    node_total: Total


class Marking(TypedDict):
    node_id: Annotated[str, Field("Node or task")]
    type: Annotated[str, Field("What the mark means")]
    intensity: Annotated[float, Field("Up to 10000")]
    half_life_ms: NotRequired[Annotated[int, Field("Its half-life", minimum=1, maximum=MOST_TTL_MS)]]
