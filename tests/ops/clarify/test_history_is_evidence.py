"""ADRs of other tools tell what was chosen, although they set no field."""

from __future__ import annotations

import pytest

from deedlog.core.clarify.history import of_history
from deedlog.core.records.values import Adr
from tests.ops.clarify.conftest import Talk

NYGARD = "# 1. {title}\n\n## Status\n\n{status}\n\n## Context\n\nWe looked at MongoDB.\n\n## Decision\n\n{decision}\n"
MADR = (
    "---\nstatus: {status}\n---\n# {title}\n\n## Considered Options\n\n* MongoDB\n* MySQL\n"
    "\n## Decision Outcome\n\n{decision}\n"
)
POSTGRES = "We will use PostgreSQL rather than MySQL."


def asked(talk: Talk, form: str, title: str, status: str, decision: str) -> list[str]:
    folder = talk.repo / "docs/adr"
    folder.mkdir(parents=True)
    (folder / "0001-a-database.md").write_text(form.format(title=title, status=status, decision=decision))
    return [question["id"] for question in talk.require("We need a database for invoices").get("questions", [])]


@pytest.mark.proves("clarify:joined:history")
@pytest.mark.parametrize(
    ("form", "title", "decision"),
    [
        (NYGARD, "Use PostgreSQL as the database", POSTGRES),
        (NYGARD, "A database", POSTGRES),
        (NYGARD, "Move from MySQL to PostgreSQL", "As proposed."),
        (MADR, "Where to keep data", 'Chosen option: "PostgreSQL", because it beats MySQL.'),
    ],
    ids=["title", "decision", "move", "madr"],
)
def test_what_an_accepted_one_chose_is_not_asked_again(talk: Talk, form: str, title: str, decision: str) -> None:
    assert "db_type" not in asked(talk, form, title, "Accepted", decision)


@pytest.mark.parametrize(
    ("title", "status", "decision"),
    [
        ("Use PostgreSQL as the database", "Superseded by 7", POSTGRES),
        ("Use PostgreSQL as the database", "Proposed", POSTGRES),
        ("Do not use MongoDB", "Accepted", "We will not use MongoDB."),
    ],
)
def test_what_none_chose_is_asked(talk: Talk, title: str, status: str, decision: str) -> None:
    assert "db_type" in asked(talk, NYGARD, title, status, decision)


def test_the_newest_counts_and_ours_are_in_the_architecture_already() -> None:
    adrs = [
        Adr(uid="0001", title="Use MySQL", path="a", form="nygard", status="Accepted"),
        Adr(uid="0002", title="Use PostgreSQL instead of MySQL", path="b", form="madr", status="accepted"),
        Adr(uid="20250108T143512.237Z-A001", title="Use Drizzle", path="c"),
    ]
    assert [(one.id, one.title.strip()) for one in of_history(adrs)] == [
        ("0002", "Use PostgreSQL"),
        ("0001", "Use MySQL"),
    ]
