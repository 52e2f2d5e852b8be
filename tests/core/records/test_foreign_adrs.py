"""ADRs that other tools and people wrote are read as history, Preflights' with what they changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from deedlog.core.records.adr import read_adr
from deedlog.core.records.architecture import fold, is_ours
from deedlog.core.records.task import read_task
from deedlog.core.records.values import Adr

PREFLIGHTS = Path(__file__).parents[2] / "importing/data/preflights/docs/adr"
MADR_2 = """# Use Markdown Architectural Decision Records

* Status: accepted
* Deciders: somebody
* Date: 2020-03-01

## Context and Problem Statement

We want to record decisions.

## Considered Options

* MADR 2.1.2
* Nygard's template

## Decision Outcome

Chosen option: "MADR 2.1.2", because it is lean.

### Positive Consequences

* Good
"""
MADR_4 = """---
status: "superseded by ADR-0123"
date: 2024-10-01
decision-makers: {list everyone}
---

# Use Plain JUnit5

## Context and Problem Statement

How to write readable test assertions?

## Considered Options

1. Plain JUnit5
2. Hamcrest

## Decision Outcome

Chosen option: "Plain JUnit5".

### Consequences

* Good, because it is known
"""
NYGARD = """# 9. Help comments

Date: 13/02/2016

## Status

Accepted

Amends [1. Record](0001-record.md)

## Context

The tool will have a `help` subcommand.

## Decision

Generate the help from comments.

## Consequences

No need to maintain help text.
"""
BY_HAND = "We met and decided things.\n\n## Decision?\n- **Type**: Evil (ADR 20250108T143512.237Z-EEEE)\n"


def read(text: str, name: str = "0009-x.md") -> Adr:
    return read_adr(f"docs/adr/{name}", text)


@pytest.mark.proves("clarify:adr:foreign")
@pytest.mark.parametrize(
    ("text", "form", "title", "date", "status", "alternatives"),
    [
        (MADR_2, "madr", "Use Markdown Architectural Decision Records", "2020-03-01", "accepted", 2),
        (MADR_4, "madr", "Use Plain JUnit5", "2024-10-01", "superseded by ADR-0123", 2),
        (NYGARD, "nygard", "Help comments", "13/02/2016", "Accepted", 0),
        (BY_HAND, "other", "0009-x", "", "", 0),
        ("", "other", "0009-x", "", "", 0),
        ("---\nnever closed\n# T\n", "other", "T", "", "", 0),
    ],
)
def test_other_forms_are_history_known_by_the_name_of_their_file(
    text: str, form: str, title: str, date: str, status: str, alternatives: int
) -> None:
    for version in (text, text.replace("\n", "\r\n"), "\ufeff" + text):
        adr = read(version)
        assert (adr.form, adr.uid, adr.title, adr.date, adr.status) == (form, "0009-x", title, date, status)
        assert len(adr.alternatives) == alternatives
        assert adr.changes == []
        assert fold([adr]).uid == ""


@pytest.mark.proves("clarify:adr:foreign")
def test_what_madr_puts_below_its_outcome_is_no_part_of_what_was_chosen() -> None:
    assert read(MADR_4).decision == 'Chosen option: "Plain JUnit5".'
    assert read(MADR_4).consequences == ["Good, because it is known"]
    both = read(MADR_2 + "\n### Negative Consequences\n\n* Bad\n")
    assert both.decision == 'Chosen option: "MADR 2.1.2", because it is lean.'
    assert both.consequences == ["Good", "Bad"]


@pytest.mark.proves("clarify:adr:foreign")
def test_headings_that_are_underlined_are_headings() -> None:
    text = "Use Kafka\n=========\n\nStatus\n------\nAccepted\n\nContext\n---\n\n- one\n---\n\n"
    text += "~~~\nNo\n===\n~~~\n\nDecision\n-\nKafka.\n"
    adr = read(text)
    assert (adr.form, adr.title, adr.status, adr.decision) == ("nygard", "Use Kafka", "Accepted", "Kafka.")
    assert adr.context.startswith("- one\n---")


@pytest.mark.proves("clarify:adr:foreign")
def test_what_preflights_wrote_counts_with_its_changes() -> None:
    adrs = [read(path.read_text(), path.name) for path in sorted(PREFLIGHTS.iterdir())]
    assert {adr.form for adr in adrs} == {"preflights"}
    architecture = fold(adrs)
    assert architecture.uid == adrs[-1].uid
    assert architecture.plain() == {
        "Authentication": {"Library": "passport", "Strategy": "Magic Link"},
        "Database": {"ORM": "Prisma", "Type": "PostgreSQL"},
    }
    assert architecture.conflicts == []
    assert {(change.field, change.was) for change in adrs[-1].changes} == {
        ("Strategy", "OAuth"),
        ("Library", "passport"),
    }


def test_names_with_spaces_and_slashes_are_read_from_a_snapshot() -> None:
    """Preflights itself loses them."""
    text = next(PREFLIGHTS.iterdir()).read_text().replace("**Library**", "**CI/CD State**")
    assert "CI/CD State" in fold([read(text)]).plain()["Authentication"]


@pytest.mark.parametrize(
    "mark", ["- a: ", "# ", "<!-- a: ", "Status: ", "`", "**", "- Modified: a = (was: ", "(ADR ", "---\na: "]
)
@pytest.mark.parametrize("filling", [" ", "#", ": ", "`", "*", "(ADR ", "(was: ", "-", "\\", "_"])
def test_no_text_keeps_a_reader_busy(mark: str, filling: str) -> None:
    """With a step for each pair of characters this would take hours."""
    text = f"<!-- UID: 20250108T143512.237Z-A001 -->\n\n## Architecture Snapshot\n\n### A\n{mark}{filling * 100_000}x\n"
    read(text)
    read(mark + filling * 100_000 + "x")
    read_task(f"# t\n\n## Allowlist\n\n- {mark}{filling * 100_000}x\n\n## Context\n\n{filling * 100_000}x\n")
    is_ours(mark + filling * 100_000)
