from __future__ import annotations

import json

from deedlog.app import App
from tests.conftest import Call
from tests.recording import record


def test_it_draws_what_took_the_place_of_what(call: Call, app: App) -> None:
    old, new = record(app, "One", Database__Type="PostgreSQL"), record(app, "Two", Database__Type="MySQL")
    drawn = json.loads(call("adr_graph", format="json")["text"])
    assert [node["uid"] for node in drawn["nodes"]] == [old.uid, new.uid]
    assert drawn["edges"] == [
        {"from": new.uid, "to": old.uid, "field": "Database.Type", "was": "PostgreSQL", "is": "MySQL"}
    ]
    assert call("adr_graph")["text"].endswith('  a1 -- "Database.Type" --> a0\n')
    assert call("adr_graph", format="dot")["text"].startswith("digraph decisions {\n")


def test_without_adrs_the_drawing_is_empty(call: Call) -> None:
    assert call("adr_graph") == {"format": "mermaid", "text": "flowchart TD\n"}
