from __future__ import annotations

from pathlib import Path

from deedlog.core.caller import Kind
from deedlog.testing import app_in, caller


def test_a_decision_in_a_form_is_an_event_of_its_own(tmp_path: Path) -> None:
    app = app_in(str(tmp_path), enable=["supervision"])
    said = {"by": "codex/1a2b3c", "question": "Run it?", "said": "always", "verdict": "approved"}
    review = app.call("approval_record", said, caller("deedlog", Kind.INTERNAL))["review_id"]
    (row,) = app.call("review_list", {"status": "closed"}, caller())["reviews"]
    assert (row["review_id"], row["reason"], row["verdict"]) == (review, "permission", "approved")
    assert row["note"] == "always"
