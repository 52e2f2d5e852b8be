"""Requests of agents for what needs a person: one review per call, which lets just that call through, once."""

from __future__ import annotations

from deedlog.core.entry import digest
from deedlog.core.moment import DAY, SECOND
from deedlog.core.remark import APPROVED, CLOSED, OPEN, Review

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

REASON = "permission"
MOST_OPEN = 20  # requests of one actor that no person has answered
MOST_OPEN_OF_ALL = 200
LASTS = DAY * SECOND  # an approval that nobody used by then is over


def call_digest(actor: str, operation: str, arguments: dict[str, Any], meaning: dict[str, Any]) -> str:
    """The same for the same call by the same actor, while its arguments mean the same."""
    return digest([actor, operation, arguments, *([meaning] if meaning else [])])


def usable(reviews: Sequence[Review], now: int) -> Review | None:
    """The approval among closed requests that is still good for one call."""
    return next((one for one in reviews if _is_usable(one, now)), None)


def _is_usable(review: Review, now: int) -> bool:
    is_fresh = review.reviewed_at is not None and now < review.reviewed_at + LASTS
    return review.status == CLOSED and review.verdict == APPROVED and review.used_at is None and is_fresh


def refused(reviews: Sequence[Review]) -> Review | None:
    """The newest request, where a person answered it with anything but yes."""
    newest = max(reviews, key=lambda one: one.reviewed_at or 0, default=None)
    return newest if newest is not None and newest.verdict != APPROVED else None


def has_room(waiting: Sequence[Review], actor: str) -> bool:
    """Whether an actor may put one more request before a person."""
    own = [one for one in waiting if one.actor == actor and one.status == OPEN]
    return len(own) < MOST_OPEN and len(waiting) < MOST_OPEN_OF_ALL
