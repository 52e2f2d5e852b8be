from __future__ import annotations

import pytest

from deedlog.core.errors import Invalid
from tests.ops.track.conftest import Work

ISSUE = {
    "type": "documentation_gap",
    "description": "La doc NextAuth v5 sur les callbacks est obsolète",
    "resolution": "J'ai utilisé les exemples GitHub officiels",
}


@pytest.mark.proves("track:log-issue:recorded")
def test_an_issue_is_read_back_and_needs_no_review_unless_it_says_so(work: Work) -> None:
    task_id = work.start()
    answer = work.call("log_issue", task_id=task_id, **ISSUE)
    assert set(answer) == {"issue_id", "created_at"}
    (read,) = work.call("task_report", task_id=task_id)["issues"]
    assert read == {**ISSUE, **answer, "actor": "tester", "requires_human_review": False}
    assert work.call("review_list")["reviews"] == []


@pytest.mark.proves("track:review:queue")
def test_an_issue_that_needs_a_person_waits_in_the_queue(work: Work) -> None:
    task_id = work.start("Callbacks")
    issue = work.call("log_issue", task_id=task_id, **ISSUE, requires_human_review=True)
    (review,) = work.call("review_list")["reviews"]
    assert (review["reason"], review["question"]) == ("issue", ISSUE["description"])
    assert (review["task_id"], review["task_name"]) == (task_id, "Callbacks")
    assert review["about"] == f"issue://{issue['issue_id']}"


@pytest.mark.proves("track:log:undone")
def test_undoing_an_issue_takes_its_review_back_too(work: Work) -> None:
    work.call("log_issue", task_id=work.start(), **ISSUE, requires_human_review=True)
    assert work.call("ledger_undo")["count"] == 2
    assert work.call("review_list", status="all")["reviews"] == []
    assert work.call("ledger_search", query="callbacks")["hits"] == []


@pytest.mark.parametrize("missing", ["type", "description", "resolution"])
def test_what_the_document_requires_is_required(work: Work, missing: str) -> None:
    said = {name: value for name, value in ISSUE.items() if name != missing}
    with pytest.raises(Invalid, match=f"{missing}: is required"):
        work.call("log_issue", task_id=work.start(), **said)
