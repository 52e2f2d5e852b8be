"""Everything Deedlog promises, as data: an id, where the promise comes from, one sentence that can be observed.

Tests name the ids they prove (`@pytest.mark.proves("ledger:seq:dense")`) and tests/guard/test_requirements.py
checks both ways. `later` is the number of the issue that builds a promise; a group without it is built.
When one of them is built, its line moves into a group of the same source without `later`.
"""

from tests.requirements import (
    clarify,
    faces,
    gate,
    importing,
    ledger,
    operations,
    page,
    permissions,
    tasks,
    track,
    watch,
)
from tests.requirements.promise import SOURCES, Requirement

REQUIREMENTS: tuple[Requirement, ...] = (
    *operations.REQUIREMENTS,
    *ledger.REQUIREMENTS,
    *faces.REQUIREMENTS,
    *track.REQUIREMENTS,
    *watch.REQUIREMENTS,
    *clarify.REQUIREMENTS,
    *gate.REQUIREMENTS,
    *tasks.REQUIREMENTS,
    *importing.REQUIREMENTS,
    *page.REQUIREMENTS,
    *permissions.REQUIREMENTS,
)

__all__ = ["REQUIREMENTS", "SOURCES", "Requirement"]
