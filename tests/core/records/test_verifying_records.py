"""Every kind of damage is told, and nothing is told of what is in order."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest

from deedlog.core.records.adr import adr_path, render_adr
from deedlog.core.records.architecture import fold, render_state
from deedlog.core.records.digest import digest_of
from deedlog.core.records.uid import uid_at
from deedlog.core.records.values import Adr, Change, Held
from deedlog.core.records.verifying import Evidence, problems

ONE, TWO, GONE = uid_at(1000, 1), uid_at(2000, 2), uid_at(500, 9)
UNREAL = "20270231T000000.000Z-A001"
TYPE = Held(value="PostgreSQL", uid=ONE)


def first() -> Adr:
    return Adr(
        uid=ONE,
        title="one",
        path=adr_path(ONE, "one"),
        changes=[Change(area="Database", field="Type", value="PostgreSQL")],
        snapshot={"Database": {"Type": TYPE}},
    )


def second() -> Adr:
    return Adr(
        uid=TWO,
        title="two",
        path=adr_path(TWO, "two"),
        previous=ONE,
        changes=[Change(area="Queue", field="Broker", value="Kafka")],
        snapshot={"Database": {"Type": TYPE}, "Queue": {"Broker": Held(value="Kafka", uid=TWO)}},
    )


def blob(text: str) -> str:
    return hashlib.sha1(b"blob %d\0" % len(text.encode()) + text.encode()).hexdigest()


def evidence(*adrs: Adr) -> Evidence:
    sources: dict[str, str | None] = {adr.path: render_adr(adr) for adr in adrs}
    texts = {adr.uid: render_adr(adr) for adr in adrs}
    return Evidence(
        sources=sources,
        state=render_state(fold(adrs)),
        task=f"<!-- UID: {TWO} -->\n<!-- Related ADR: {TWO} -->\n\n# t\n",
        written={uid: digest_of(text) for uid, text in texts.items()},
        committed={adr.path: blob(texts[adr.uid]) for adr in adrs},
    )


WHOLE = evidence(first(), second())
PATH = second().path


def test_nothing_is_wrong_with_what_was_written() -> None:
    assert problems(WHOLE) == []
    assert problems(Evidence(sources={})) == []
    turned = {path: (text or "").replace("\n", "\r\n") for path, text in WHOLE.sources.items()}
    assert problems(WHOLE.replace(sources=turned)) == []


def edited(change: Callable[[str], str]) -> Evidence:
    return WHOLE.replace(sources={**WHOLE.sources, PATH: change(WHOLE.sources[PATH] or "")})


def unheaded(text: str) -> str:
    """As an ADR of another tool would look, with another decision."""
    return text.replace("<!-- Format: deedlog v1 -->\n", "").replace("Kafka", "Oracle")


@pytest.mark.proves("clarify:adr:verified")
@pytest.mark.parametrize(
    ("found", "told"),
    [
        (edited(lambda text: text + "\n").replace(written={}), "is not as it was committed"),
        (edited(lambda text: text + "\n").replace(committed={}), "is not as it was written"),
        (edited(lambda text: text.replace('"uid"', '"')), "is damaged"),
        (edited(unheaded).replace(written={}), "is not as it was committed"),
        (edited(unheaded).replace(committed={}), "is not as it was written"),
        (edited(unheaded).replace(committed={}, written={}), "its head is no longer as it was"),
        (edited(lambda text: "Note.\n" + text).replace(written={}), "is not as it was committed"),
        (edited(lambda text: "Note.\n" + text).replace(committed={}), "is not as it was written"),
        (edited(lambda _: "").replace(written={}), "is not as it was committed"),
        (edited(lambda _: "").replace(committed={}, written={}), "what it says is none"),
        (WHOLE.replace(sources={**WHOLE.sources, f"docs/adr/{UNREAL}_x.md": "# x\n"}), "a UID that is no moment"),
        (WHOLE.replace(sources={**WHOLE.sources, "docs/adr/link.md": None}), "no plain file"),
        (WHOLE.replace(committed={**WHOLE.committed, f"docs/adr/{GONE}_x.md": "0" * 40}), "committed but missing"),
        (WHOLE.replace(sources={**WHOLE.sources, "docs/adr/copy.md": WHOLE.sources[PATH]}), "have one UID"),
        (WHOLE.replace(sources={**WHOLE.sources, "docs/adr/copy.md": WHOLE.sources[PATH]}), "another UID in its name"),
        (evidence(first(), second().replace(previous=GONE)), "previous ADR that is not there"),
        (evidence(first(), second().replace(previous=TWO)), "previous ADR that is not earlier"),
        (evidence(first(), second().replace(snapshot={"Queue": second().snapshot["Queue"]})), "drops Database"),
        (evidence(first(), second().replace(snapshot={"Database": {"Type": TYPE}})), "its snapshot says otherwise"),
        (WHOLE.replace(prompt=f"<!-- Task: {GONE} -->\n", task=f"<!-- UID: {TWO} -->\n"), "is about another task"),
        (WHOLE.replace(state=render_state(fold([first()]))), "is out of date"),
        (WHOLE.replace(state="# mine\n"), "was not generated"),
        (WHOLE.replace(task=f"<!-- UID: {TWO} -->\n<!-- Related ADR: {GONE} -->\n"), "refers to ADR"),
    ],
)
def test_what_is_wrong_is_told(found: Evidence, told: str) -> None:
    assert [line for line in problems(found) if told in line]


def test_what_others_keep_may_be_edited() -> None:
    path = "docs/adr/0001-x.md"
    found = WHOLE.replace(sources={**WHOLE.sources, path: "# 1. X\n"}, committed={**WHOLE.committed, path: "0" * 40})
    assert problems(found) == []
