from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.moment import SECOND, iso, moment_of

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@given(st.datetimes(min_value=datetime(1, 1, 1), max_value=datetime(9999, 12, 31)))  # noqa: DTZ001
def test_a_moment_is_written_as_the_library_would(naive: datetime) -> None:
    moment = (naive.replace(tzinfo=UTC) - EPOCH) // timedelta(microseconds=1)
    wanted = naive.isoformat(timespec="milliseconds") + "Z"
    assert iso(moment) == wanted.replace(".000Z", "Z")


@given(st.datetimes(min_value=datetime(1, 1, 1), max_value=datetime(9999, 12, 31)))  # noqa: DTZ001
def test_what_was_written_is_read_back(naive: datetime) -> None:
    moment = (naive.replace(tzinfo=UTC) - EPOCH) // timedelta(milliseconds=1) * 1000
    assert moment_of(iso(moment)) == moment
    assert moment_of(iso(moment).replace("-", "").replace(":", "") + "-A001") == moment


def test_a_text_that_begins_with_no_moment_has_none() -> None:
    assert moment_of("2025-01-15") == moment_of("2025-01-15T00:00:00Z")
    for text in ("", "soon", "2025", "2025-13-01", "2025-01-32", "202501151"):
        assert moment_of(text) is None, text


def test_every_day_of_eight_centuries_has_its_date() -> None:
    day = datetime(1600, 1, 1, tzinfo=UTC)
    start = (day - EPOCH).days
    for number in range(800 * 366):
        assert iso((start + number) * 86_400 * SECOND)[:10] == day.strftime("%Y-%m-%d")
        day += timedelta(days=1)
