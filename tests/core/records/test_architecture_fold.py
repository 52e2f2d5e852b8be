"""The architecture is what all ADRs add up to, field by field; branches that disagree are named."""

from __future__ import annotations

import pytest

from deedlog.core.records.architecture import fold, in_order, is_ours, render_state
from deedlog.core.records.uid import uid_at
from deedlog.core.records.values import Adr, Architecture, Change, Held


def uid(number: int) -> str:
    return uid_at(number * 1000, number)


def adr(number: int, value: str = "", *, previous: int = 0, was: int = 0, field: str = "Type", **more: object) -> Adr:
    changes = (
        [Change(area="Database", field=field, value=value, was="x", was_uid=uid(was) if was else "")] if value else []
    )
    made = Adr(uid=uid(number), title="t", path=f"docs/adr/{uid(number)}_t.md", changes=changes)
    return made.replace(previous=uid(previous) if previous else "", **more)


@pytest.mark.proves("clarify:projection:fold")
def test_the_latest_value_of_each_field_holds_in_whatever_order_the_files_are_read() -> None:
    adrs = [adr(1, "PostgreSQL"), adr(2, "Prisma", previous=1, field="ORM"), adr(3, "MySQL", previous=2, was=1)]
    for order in (adrs, adrs[::-1]):
        found = fold(order)
        assert found.uid == uid(3)
        assert found.areas == {
            "Database": {"ORM": Held(value="Prisma", uid=uid(2)), "Type": Held(value="MySQL", uid=uid(3))}
        }
        assert found.conflicts == []


@pytest.mark.proves("clarify:projection:fold")
def test_what_an_adr_said_that_is_gone_is_kept_by_the_snapshots_of_later_ones() -> None:
    snapshot = {"Database": {"Type": Held(value="PostgreSQL", uid=uid(1)), "ORM": Held(value="Prisma", uid=uid(2))}}
    assert fold([adr(2, "Prisma", previous=1, field="ORM", snapshot=snapshot)]).plain() == {
        "Database": {"ORM": "Prisma", "Type": "PostgreSQL"}
    }


def test_a_snapshot_cannot_overrule_the_adr_it_names_nor_speak_for_later_ones() -> None:
    wrong = {"Database": {"Type": Held(value="Evil", uid=uid(1)), "ORM": Held(value="Evil", uid=uid(9))}}
    assert fold([adr(1, "PostgreSQL"), adr(2, "x", field="Other", snapshot=wrong)]).plain() == {
        "Database": {"Other": "x", "Type": "PostgreSQL"}
    }


@pytest.mark.proves("clarify:projection:conflicts")
def test_two_that_did_not_know_of_each_other_are_in_conflict_until_one_knows_both() -> None:
    branches = [adr(1, "PostgreSQL"), adr(2, "MySQL", previous=1, was=1), adr(3, "SQLite", previous=1, was=1)]
    (conflict,) = fold(branches).conflicts
    assert conflict.values == {uid(2): "MySQL", uid(3): "SQLite"}
    assert "## Conflicts" in render_state(fold(branches))
    change = Change(area="Database", field="Type", value="SQLite", was="SQLite", was_uid=uid(3), over=[uid(2)])
    settled = [*branches, adr(4, previous=3, changes=[change])]
    assert fold(settled).conflicts == []
    assert fold(settled).plain() == {"Database": {"Type": "SQLite"}}


@pytest.mark.parametrize(
    "adrs",
    [
        [adr(1, "PostgreSQL"), adr(2, "postgresql")],
        [adr(1, "PostgreSQL"), adr(2, "Prisma", field="ORM")],
        [adr(1, "PostgreSQL"), adr(2, previous=1), adr(3, "MySQL", previous=2)],
    ],
    ids=["the same value", "other fields", "known by its line of ADRs"],
)
def test_no_conflict_is_made_up(adrs: list[Adr]) -> None:
    assert fold(adrs).conflicts == []


def test_names_are_the_same_in_upper_and_lower_case() -> None:
    again = adr(2, previous=1, changes=[Change(area="database", field="TYPE", value="MySQL", was_uid=uid(1))])
    assert fold([adr(1, "PostgreSQL"), again]).plain() == {"Database": {"Type": "MySQL"}}


def test_files_without_a_uid_come_first_and_lines_of_previous_ones_may_run_in_circles() -> None:
    old = Adr(uid="9999-old", title="t", path="docs/adr/9999-old.md", form="nygard")
    looped = [adr(1, "a", previous=2), adr(2, "b", previous=1), adr(3, "c", previous=3)]
    assert [one.uid for one in in_order([*looped, old])] == ["9999-old", uid(1), uid(2), uid(3)]
    fold([*looped, old])


def test_without_adrs_the_file_says_so_and_is_still_ours() -> None:
    text = render_state(Architecture())
    assert text.startswith("<!-- UID: None -->\n")
    assert is_ours(text)
    assert is_ours(text.replace("\n", "\r\n"))
    assert not is_ours("# Architecture State\n\n## Categories\n")
    assert not is_ours("<!-- UID: whatever -->\n")
