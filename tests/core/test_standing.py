"""Which ADRs still hold."""

from __future__ import annotations

from deedlog.core.records.values import Adr, Change
from deedlog.core.standing import Standing, standings


def adr(uid: str, *changes: str, status: str = "Accepted", form: str = "deedlog") -> Adr:
    """`Database.ORM=Drizzle` is a change."""
    made = []
    for change in changes:
        name, _, value = change.partition("=")
        area, _, field = name.partition(".")
        made.append(Change(area=area, field=field, value=value))
    path = f"docs/adr/{uid}.md"
    return Adr(uid=uid, title=uid, path=path, changes=made, status=status, form=form)


def by_uid(adrs: list[Adr]) -> dict[str, Standing]:
    found = standings(adrs)
    return {adr.uid: found[adr.path] for adr in adrs}


def test_one_holds_what_no_later_one_set() -> None:
    found = by_uid([adr("1", "Database.ORM=Prisma", "Database.Type=MySQL"), adr("2", "Database.ORM=Drizzle")])
    assert found["1"].status == "active"
    assert found["1"].holds == ["Database.Type: MySQL"]
    assert found["1"].superseded_by == ["2"]
    assert found["2"].supersedes == ["1"]
    assert found["2"].superseded_by == []


def test_one_is_over_when_all_it_set_was_set_again() -> None:
    found = by_uid([adr("1", "Database.ORM=Prisma"), adr("2", "Database.ORM=Drizzle"), adr("3", "Infra.Hosting=AWS")])
    assert [found[uid].status for uid in "123"] == ["archived", "active", "active"]


def test_each_is_superseded_by_the_next_not_by_the_last() -> None:
    found = by_uid([adr(uid, f"Database.ORM={uid}") for uid in "123"])
    assert [found[uid].superseded_by for uid in "123"] == [["2"], ["3"], []]
    assert [found[uid].supersedes for uid in "123"] == [[], ["1"], ["2"]]


def test_one_that_set_no_field_is_never_over() -> None:
    assert by_uid([adr("1"), adr("2", "Database.ORM=Drizzle")])["1"].status == "active"


def test_history_stands_as_it_says_itself() -> None:
    said = {"accepted": "active", "Superseded by [7](0007.md)": "archived", "Rejected": "archived", "proposed": "draft"}
    for status, meant in said.items():
        found = by_uid([adr("0001-old", status=status, form="madr")])
        assert found["0001-old"].status == meant, status


def test_two_files_of_one_uid_each_stand() -> None:
    copy = adr("1", "Database.ORM=Prisma").replace(path="docs/adr/copy.md")
    assert len(standings([adr("1", "Database.ORM=Prisma"), copy])) == 2


def test_the_case_of_a_fields_name_makes_no_other_field() -> None:
    found = by_uid([adr("1", "Database.Type=MySQL"), adr("2", "database.type=SQLite")])
    assert found["1"].superseded_by == ["2"]
    assert found["1"].status == "archived"


def test_what_later_ones_leave_of_a_field_still_holds() -> None:
    def of(uid: str, value: str, was: str = "") -> Adr:
        change = Change(area="Infra", field="Observability", value=value, was=was)
        return Adr(uid=uid, title=uid, path=f"docs/adr/{uid}.md", changes=[change])

    found = by_uid(
        [
            of("1", "Pino"),
            of("2", "Pino + Sentry", was="Pino"),
            of("3", "Sentry + Winston", was="Pino + Sentry"),
            adr("4", "Infra.Hosting=AWS"),
        ]
    )
    assert [found[uid].status for uid in "123"] == ["archived", "active", "active"]
    assert [found[uid].superseded_by for uid in "123"] == [["3"], [], []]
    assert [found[uid].supersedes for uid in "123"] == [[], [], ["1"]]
    assert found["2"].holds == ["Infra.Observability: Sentry"]
