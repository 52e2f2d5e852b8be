"""The ledger's own records: an op is one call that changed something, its events say what."""

from __future__ import annotations

import json

from deedlog.core.data import same
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

GENESIS = "0" * 64


class Op(Value):
    """One call that changed something. `answer` is what the caller was told, for a repeated call."""

    op_id: str
    operation: str
    effect: str
    actor: str
    at: int
    cause: str = ""
    idempotency_key: str | None = None
    arguments_digest: str = ""
    undo_of: str | None = None
    answer: Any = None


class Event(Value):
    """One thing that changed: the fields that differ, as they were and as they became.

    `before` is None where the thing appeared, `after` is None where it went; both are None
    for a call that changed nothing of ours. An event that came by import and did not fit
    what the store already had is kept in the log, not `applied`.
    """

    seq: int
    op_id: str
    kind: str
    entity: str
    entity_id: str
    entity_version: int
    subjects: list[str]
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    applied: bool = True
    operation: str = ""
    actor: str = ""
    at: int = 0
    cause: str = ""


def dumps(data: Any) -> str:
    """The one JSON spelling of the store: compact, keys in their own order, readable letters."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _sha256(data: bytes) -> str:
    import hashlib  # costs a third of a start, and listing what there is needs no fingerprint

    return hashlib.sha256(data).hexdigest()


def digest(data: Any) -> str:
    """A fingerprint of JSON data that does not depend on the order of keys."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), default=str)
    return _sha256(text.encode())


def link(previous: str, op_row: tuple[object, ...], event_row: tuple[object, ...]) -> str:
    """The hash that chains one event, with the op it belongs to, to the one before it."""
    text = json.dumps((previous, op_row, event_row), separators=(",", ":"))
    return _sha256(text.encode("utf-8", "surrogatepass"))


def difference(
    old: dict[str, Any] | None, new: dict[str, Any] | None
) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """The fields that differ: as they were, and as they are."""
    if old is None or new is None:
        return old, new
    changed = [name for name in {**old, **new} if name not in old or name not in new or not same(old[name], new[name])]
    return {n: old[n] for n in changed if n in old}, {n: new[n] for n in changed if n in new}


def patched(
    body: dict[str, Any] | None, before: dict[str, Any] | None, after: dict[str, Any] | None
) -> dict[str, Any] | None:
    """`body` with a change applied; swap `before` and `after` to take the change back."""
    if after is None:
        return None
    if body is None or before is None:
        return dict(after)
    kept = {name: value for name, value in body.items() if name not in before or name in after}
    return {**kept, **after}
