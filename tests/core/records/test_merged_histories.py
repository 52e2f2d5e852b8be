"""Random histories of branches that are written and merged, held against what each writer knew."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deedlog.core.clarify.values import REQUEST, Decided
from deedlog.core.records.adr import read_adr
from deedlog.core.records.architecture import fold, in_order
from deedlog.core.records.building import plan_records
from deedlog.core.records.uid import uid_at
from deedlog.core.records.values import Adr, Book
from deedlog.core.records.wanted import Wanted

FIELDS, VALUES, BRANCHES = ("Type", "ORM"), ("a", "b", "c"), 3
steps = st.one_of(
    st.tuples(st.just("write"), st.integers(0, BRANCHES - 1), st.sampled_from(FIELDS), st.sampled_from(VALUES)),
    st.tuples(st.just("merge"), st.integers(0, BRANCHES - 1), st.integers(0, BRANCHES - 1)),
)


class History:
    """Branches as sets of ADRs, and for each ADR those its writer had."""

    def __init__(self) -> None:
        self.branches: list[dict[str, Adr]] = [{} for _ in range(BRANCHES)]
        self.knew: dict[str, set[str]] = {}
        self._numbers = count(1)

    def write(self, branch: int, field: str, value: str) -> None:
        adrs = in_order(self.branches[branch].values())
        spec = Wanted(
            title="t",
            intention="t",
            adr=True,
            task=False,
            decided=[Decided(area="Database", field=field, value=value, source=REQUEST)],
        )
        planned = plan_records(Book(adrs=adrs, architecture=fold(adrs)), spec, self._uid, 0)
        assert planned.adr
        self.knew[planned.adr.uid] = set(self.branches[branch])
        self.branches[branch][planned.adr.uid] = read_adr(planned.adr.path, planned.files[0].text)

    def _uid(self) -> str:
        return uid_at(next(self._numbers) * 1000, 0)

    def merge(self, into: int, other: int) -> None:
        self.branches[into] |= self.branches[other]


@pytest.mark.proves("clarify:projection:fold", "clarify:projection:conflicts")
@settings(max_examples=400)
@given(st.lists(steps, max_size=25))
def test_nothing_is_lost_and_conflicts_are_told_exactly(
    told: list[tuple[str, int, str, str] | tuple[str, int, int]],
) -> None:
    history = History()
    for step in told:
        getattr(history, step[0])(*step[1:])
    for branch in history.branches:
        architecture = fold(branch.values())
        for field in FIELDS:
            changes = {uid: c.value for uid, adr in sorted(branch.items()) for c in adr.changes if c.field == field}
            held = architecture.areas.get("Database", {}).get(field)
            assert (held and (held.uid, held.value)) == (max(changes.items()) if changes else None)
            last = {uid: v for uid, v in changes.items() if not any(uid in history.knew[other] for other in changes)}
            conflicts = [c.values for c in architecture.conflicts if c.field == field]
            assert conflicts == ([last] if len(set(last.values())) > 1 else [])
