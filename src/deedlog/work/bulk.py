"""Many changes at once: each is made ready, and any that cannot be keeps all of them from being committed."""

from __future__ import annotations

from deedlog.core.errors import Conflict, DeedlogError, Invalid, NotFound, Overtaken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    Item = TypeVar("Item")
    Made = TypeVar("Made")

PARTIAL = "E-BULK-PARTIAL"
SUFFIX = {Invalid.kind: "INVALID-INPUT", NotFound.kind: "NOTFOUND", Conflict.kind: "CONFLICT"}
MOST_FAILURES = 50


def gathered(
    items: Sequence[Item],
    make: Callable[[Item], Made],
    *,
    area: str,
    stage: str,
    told: Callable[[Item], dict[str, Any]],
) -> list[Made]:
    """What `make` makes of each item, or the refusal that names each item it refuses.

    `area` begins their codes, `stage` says what was being done, and `told` is what they are recognised by.
    """
    made, failures = [], []
    for index, item in enumerate(items):
        try:
            made.append(make(item))
        except Overtaken:
            raise
        except DeedlogError as error:
            code = error.data.get("code") or f"{area}-{SUFFIX.get(error.kind, 'FAILED')}"
            failure = {"index": index, "code": code, "message": error.message, "stage": stage, "entry": told(item)}
            failures.append(failure | ({"hint": error.hint} if error.hint else {}))
    if failures:
        raise Invalid(
            f"{len(failures)} of {len(items)} entries cannot be applied; nothing was changed",
            hint="correct the entries that details.failures names, and repeat the call",
            data={"code": PARTIAL, "failures": failures[:MOST_FAILURES], "rolled_back": True},
        )
    return made
