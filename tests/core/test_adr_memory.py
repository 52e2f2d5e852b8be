"""ADRs as entries of the memory bank."""

from __future__ import annotations

import pytest

from deedlog.core.adr_memory import is_derived, memories_of
from deedlog.core.moment import moment_of
from deedlog.core.records.values import Adr, Change
from deedlog.core.slug import is_slug

DRIZZLE = Adr(
    uid="20250108T143512.237Z-A001",
    title="Choose an\nORM",
    path="docs/adr/20250108T143512.237Z-A001_choose_an_orm.md",
    area="Database",
    changes=[Change(area="Database", field="ORM", value="Drizzle")],
    context="Which ORM?",
    decision="Drizzle",
    alternatives=["Prisma", "TypeORM"],
)


def history(path: str, date: str = "") -> Adr:
    return Adr(uid="", title="Use PostgreSQL", path=path, form="madr", date=date)


def test_an_entry_says_what_its_adr_decided() -> None:
    [entry] = memories_of([DRIZZLE])
    assert entry.id == "adr-20250108t143512-237z-a001"
    assert (entry.category, entry.status, entry.origin) == ("architecture", "active", DRIZZLE.path)
    assert entry.title == "Choose an ORM"
    assert entry.summary == "Database.ORM: Drizzle"
    assert entry.created_at == moment_of("2025-01-08T14:35:12.237Z")
    assert DRIZZLE.path in entry.content
    assert "## Context\n\nWhich ORM?" in entry.content
    assert "- Prisma\n- TypeORM" in entry.content
    assert is_derived(entry)


@pytest.mark.parametrize(
    "path",
    [
        "docs/adr/0001-use-postgresql.md",
        "docs/adr/ADR-0002 Use PostgreSQL.md",
        "docs/adr/データベース.md",
        "docs/adr/../../etc/passwd.md",
        "docs/adr/---.md",
        f"docs/adr/{'x' * 300}.md",
    ],
)
def test_one_without_a_uid_is_called_after_its_file_in_a_way_that_leads_nowhere(path: str) -> None:
    [entry] = memories_of([history(path)])
    assert is_slug(entry.id)
    assert entry.id.startswith("adr-")
    assert entry.origin == path


def test_no_two_have_one_id() -> None:
    paths = [f"docs/adr/{'x' * 100}{number}.md" for number in range(3)]
    found = [entry.id for entry in memories_of([history(path) for path in paths])]
    assert len(set(found)) == 3
    assert all(map(is_slug, found))


def test_a_date_that_is_none_is_no_mistake() -> None:
    assert memories_of([history("docs/adr/1.md", date="last week")])[0].created_at == 0
    assert memories_of([history("docs/adr/1.md", date="1812-01-01")])[0].created_at == 0
