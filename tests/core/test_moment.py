from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.moment import SECOND, iso

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@given(st.datetimes(min_value=datetime(1, 1, 1), max_value=datetime(9999, 12, 31)))  # noqa: DTZ001
def test_a_moment_is_written_as_the_library_would(naive: datetime) -> None:
    moment = (naive.replace(tzinfo=UTC) - EPOCH) // timedelta(microseconds=1)
    wanted = naive.isoformat(timespec="milliseconds") + "Z"
    assert iso(moment) == wanted.replace(".000Z", "Z")


def test_every_day_of_eight_centuries_has_its_date() -> None:
    day = datetime(1600, 1, 1, tzinfo=UTC)
    start = (day - EPOCH).days
    for number in range(800 * 366):
        assert iso((start + number) * 86_400 * SECOND)[:10] == day.strftime("%Y-%m-%d")
        day += timedelta(days=1)
