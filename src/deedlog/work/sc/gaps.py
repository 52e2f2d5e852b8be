"""What a watcher does not get because it is no longer, or never was, kept."""

from __future__ import annotations

from typing import Any, TypedDict

from deedlog.work.sc.streams import Stream


class Gap(TypedDict):
    """After `from_seq` and up to `to_seq` there were `missed` more."""

    from_seq: int
    to_seq: int
    missed: int


def gap_before(stream: Stream, from_seq: int) -> Gap | None:
    """What is kept from a reader who goes on after `from_seq`."""
    floor = stream.floor()
    missed = stream.count(floor) - stream.count(from_seq) if floor > from_seq else 0
    return {"from_seq": from_seq, "to_seq": floor, "missed": missed} if missed > 0 else None


def gap_in(rows: list[Any]) -> Gap | None:
    """What was never recorded between the first and the last of these rows, as far as they tell."""
    telling = [row for row in rows if row.get("missed")]
    if not telling:
        return None
    missed = sum(row["missed"] for row in telling)
    return {"from_seq": telling[0]["seq"] - 1, "to_seq": telling[-1]["seq"], "missed": missed}
