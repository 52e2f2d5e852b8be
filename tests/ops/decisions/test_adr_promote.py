"""A logged decision becomes an ADR when somebody says so, and only once."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from deedlog.core.clarification import WrittenAdr
from deedlog.core.errors import Conflict, DeedlogError, NotFound
from deedlog.core.records.values import Adr
from deedlog.core.remark import Decision
from deedlog.ports import EventQuery
from deedlog.testing import Clock, app_in, caller
from tests.ops.track.conftest import Work
from tests.recording import current_task, record

ZOD = {
    "category": "library_choice",
    "question": "Which validation library?",
    "options_considered": ["Zod", "Yup", "Joi"],
    "chosen": "Zod",
    "reasoning": "It is typed",
    "trade_offs": "Fewer plug-ins\nA larger bundle",
}

VALIDATION = {"Backend": {"Validation": "Zod"}}


@pytest.fixture
def work(repo: Path, tmp_path: Path, clock: Clock) -> Work:
    work = Work(app_in(str(tmp_path / "store"), tree=str(repo), clock=clock), repo)
    work.start("Validate input")
    return work


def logged(work: Work, **more: object) -> str:
    return str(work.call("log_decision", task_id="task-1", **{**ZOD, **more})["decision_id"])


def only_adr(work: Work) -> Adr:
    [adr] = work.app.records.look().adrs
    return adr


@pytest.mark.proves("clarify:joined:promote")
def test_question_options_choice_reasons_and_trade_offs_are_its_sections(work: Work) -> None:
    decision = logged(work)
    answer = work.call("adr_promote", decision_id=decision)
    adr = only_adr(work)
    assert answer == {
        "decision_id": decision,
        "uid": adr.uid,
        "path": adr.path,
        "title": "Backend Validation: Zod",
        "artifacts_created": [
            {"path": adr.path, "type": "adr", "uid": adr.uid},
            {"path": "docs/ARCHITECTURE_STATE.md", "type": "projection"},
        ],
    }
    assert adr.context.startswith("Which validation library?")
    assert f"Logged as {decision} on task-1, Validate input." in adr.context
    assert adr.decision == "Zod"
    assert adr.rationale == "It is typed"
    assert adr.alternatives == ["Yup", "Joi"]
    assert adr.consequences == ["Fewer plug-ins", "A larger bundle"]
    assert work.app.records.look().architecture.plain() == {"Backend": {"Validation": "Zod"}}
    assert work.app.ledger.get(Decision, decision).adr == adr.uid
    written = work.app.ledger.get(WrittenAdr, adr.uid)
    assert (written.decision_id, written.path, written.title) == (decision, adr.path, adr.title)


@pytest.mark.proves("clarify:joined:promote")
def test_a_second_time_it_returns_the_same_and_leaves_no_trace(work: Work) -> None:
    decision = logged(work)
    first = work.call("adr_promote", decision_id=decision)
    head = work.app.ledger.head()
    assert work.call("adr_promote", decision_id=decision, title="Another title") == first
    assert work.app.ledger.head() == head
    only_adr(work)


@pytest.mark.proves("clarify:joined:promote")
def test_the_current_task_is_left_alone(work: Work) -> None:
    current_task(work.tree, allowlist=["src/**"])
    before = (work.tree / "docs/CURRENT_TASK.md").read_text()
    work.call("adr_promote", decision_id=logged(work))
    assert (work.tree / "docs/CURRENT_TASK.md").read_text() == before
    assert not (work.tree / "docs/archive").exists()


@pytest.mark.parametrize(
    ("said", "architecture"),
    [
        ({"question": "Which ORM?", "chosen": "Drizzle"}, {"Database": {"ORM": "Drizzle"}}),
        ({"question": "Prisma?", "chosen": "Drizzle instead of Prisma"}, {"Database": {"ORM": "Drizzle"}}),
        ({"question": "Which?", "chosen": "PostgreSQL and Zod"}, {"Database": {"Type": "PostgreSQL"}, **VALIDATION}),
        (
            {"question": "Which JWT library to use?", "options_considered": [], "chosen": "ours"},
            ("Other", "JWT library"),
        ),
        ({"question": "What now?", "options_considered": ["Yup", "ours"], "chosen": "ours"}, ("Backend", "Validation")),
        ({"question": "Which ORM?", "options_considered": [], "chosen": "ours"}, ("Database", "ORM")),
        (
            {"question": "Which auth library?", "options_considered": [], "chosen": "ours"},
            ("Authentication", "Library"),
        ),
        (
            {"category": "architecture", "question": "How is the cache cleared?", "chosen": "ours"},
            ("Infra", "How is the cache cleared"),
        ),
        (
            {"category": "architecture", "question": "How are modules cut?", "chosen": "ours"},
            ("Other", "How are modules cut"),
        ),
    ],
    ids=lambda value: value["question"] if isinstance(value, dict) and "question" in value else "",
)
def test_the_choice_is_filed_under_what_it_decides(work: Work, said: dict[str, object], architecture: Any) -> None:
    work.call("adr_promote", decision_id=logged(work, **said))
    found = work.app.records.look().architecture.plain()
    if isinstance(architecture, tuple):
        area, field = architecture
        architecture = {area: {field: "ours"}}
    assert found == architecture


def test_a_title_may_be_given(work: Work) -> None:
    answer = work.call("adr_promote", decision_id=logged(work), title="How input is checked")
    assert answer["title"] == only_adr(work).title == "How input is checked"


def test_it_takes_the_place_of_what_was_decided_before(work: Work) -> None:
    old = record(work.app, Database__ORM="Drizzle")
    work.call("adr_promote", decision_id=logged(work, question="Which ORM?", chosen="Prisma"))
    change = work.app.records.look().adrs[-1].changes[0]
    assert (change.value, change.was, change.was_uid) == ("Prisma", "Drizzle", old.uid)


@pytest.mark.proves("clarify:joined:promote-supersedes")
def test_whose_place_it_takes_is_told(work: Work) -> None:
    earlier = record(work.app, Backend__Validation="Joi")
    answer = work.call("adr_promote", decision_id=logged(work))
    assert answer["supersedes"] == [{"field": "Backend.Validation", "was": "Joi", "adr": earlier.uid}]
    assert answer["warnings"] == [f"Backend.Validation was Joi (ADR {earlier.uid}) and is Zod now: tell the user"]
    assert work.call("adr_promote", decision_id=answer["decision_id"]) == answer


@pytest.mark.proves("clarify:joined:promote-supersedes")
@pytest.mark.parametrize(
    "said",
    [
        {"question": "Which JWT library to use?", "options_considered": ["jsonwebtoken"], "chosen": "jose"},
        {"question": "How do services talk?", "category": "architecture", "chosen": "Events over NATS, not REST"},
        {"question": "Which ORM?", "chosen": "Drizzle instead of Prisma"},
        {"question": "Which date library?", "options_considered": ["Moment.js"], "chosen": "date-fns"},
    ],
    ids=lambda said: said["question"],
)
def test_the_field_that_is_announced_is_the_one_that_is_written(work: Work, said: dict[str, object]) -> None:
    told = work.call("log_decision", task_id="task-1", **{**ZOD, **said})
    work.call("adr_promote", decision_id=told["decision_id"])
    fields = [f"{change.area}.{change.field}" for change in only_adr(work).changes]
    announced = [warning for warning in told.get("warnings", []) if "deserves an ADR" in warning]
    assert not announced or f"deserves an ADR ({', '.join(fields)})" in announced[0]


def test_no_decision_no_file(work: Work) -> None:
    with pytest.raises(NotFound):
        work.call("adr_promote", decision_id="dec-nobody")
    assert not (work.tree / "docs").exists()


def test_what_it_refuses_to_write_leaves_nothing_behind(work: Work) -> None:
    decision = logged(work)
    work.write("docs/ARCHITECTURE_STATE.md", text="# By hand\n")
    with pytest.raises(DeedlogError) as refused:
        work.call("adr_promote", decision_id=decision)
    assert refused.value.data["code"] == "PARSE_ERROR"
    assert work.app.ledger.get(Decision, decision).adr == ""
    assert not list((work.tree / "docs").glob("adr/*"))


def test_another_tree_is_told_where_its_file_may_be(work: Work, tmp_path: Path, clock: Clock) -> None:
    decision = logged(work)
    first = work.call("adr_promote", decision_id=decision)
    other = tmp_path / "other"
    work.git("worktree", "add", "--quiet", "-b", "side", str(other))
    app = app_in(str(tmp_path / "store"), tree=str(other), clock=clock)
    answer = app.call("adr_promote", {"decision_id": decision}, caller())
    assert (answer["uid"], answer["path"]) == (first["uid"], first["path"])
    assert "not in this work tree" in answer["warnings"][0]
    assert not (other / "docs").exists()


@pytest.mark.parametrize(
    "text",
    [
        "Logged as {other} on task-1, x.",
        "x\n\nLogged as {other}.",
        "# PART 1\n<!-- UID: 20250108T143512.237Z-A001 -->\n```\n### Database\n- **ORM**: forged (ADR x)",
        "\x1b[31m\u202e" + "long " * 390,
    ],
    ids=["names another", "names another at its end", "structure", "long and odd"],
)
@pytest.mark.parametrize("field", ["question", "chosen", "reasoning", "trade_offs"])
def test_text_of_a_decision_forges_nothing(work: Work, field: str, text: str) -> None:
    other = logged(work)
    hostile = work.call("adr_promote", decision_id=logged(work, **{field: text.replace("{other}", other)}))
    [adr] = work.app.records.book().adrs
    assert adr.uid == hostile["uid"]
    assert "forged" not in str(adr.snapshot.get("Database"))
    assert work.call("adr_promote", decision_id=other)["uid"] != hostile["uid"]
    assert len(work.app.records.book().adrs) == 2
    assert work.call("adr_verify")["problems"] == []


def test_a_store_that_did_not_write_it_knows_it_by_its_file(work: Work) -> None:
    """As after a clone, or a crash that nobody noted down."""
    decision = logged(work)
    wanted = {"context": f"Logged as {decision} on task-1, Validate input."}
    adr = record(work.app, "Zod", Backend__Validation="Zod", **wanted)
    assert work.call("adr_promote", decision_id=decision)["uid"] == adr.uid
    assert work.app.ledger.get(Decision, decision).adr == adr.uid


def test_it_cannot_be_undone_because_the_file_stays(work: Work) -> None:
    decision = logged(work)
    first = work.call("adr_promote", decision_id=decision)
    with pytest.raises(Conflict):
        work.call("ledger_undo")
    assert work.app.ledger.get(Decision, decision).adr == first["uid"]


@pytest.mark.proves("clarify:joined:promote")
def test_many_at_once_write_one_adr(work: Work, tmp_path: Path, clock: Clock) -> None:
    decision = logged(work)
    uids: list[str] = []

    def promote() -> None:
        app = app_in(str(tmp_path / "store"), tree=str(work.tree), clock=clock)
        uids.append(app.call("adr_promote", {"decision_id": decision}, caller())["uid"])

    threads = [threading.Thread(target=promote) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert len(uids) == 6
    assert set(uids) == {only_adr(work).uid}
    assert len(work.app.ledger.events(EventQuery(kind="adr", limit=100))) <= 1


@pytest.mark.proves("clarify:joined:promote-crash")
def test_killed_anywhere_it_is_whole_or_not_there_and_the_next_one_finishes_it(work: Work, tmp_path: Path) -> None:
    decision = logged(work)
    work.app.close()
    words = [sys.executable, "-m", "tests.ops.decisions.killed_promotions", str(tmp_path), decision]
    done = subprocess.run(words, capture_output=True, text=True, timeout=550, check=False)
    assert done.returncode == 0, done.stderr
    rounds: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    assert {one["killed"] for one in rounds} == {True, False}
    for one in rounds:
        assert one["problems"] == [], one
