import json
import re

import pytest

from deedlog.app import App
from tests.conftest import Call

OPERATIONS = ("start_workflow", "start_task", "log_decision", "log_issue", "log_milestone", "complete_task")


@pytest.mark.proves("track:prompt:teaches")
def test_the_guide_names_every_call_of_the_protocol_in_its_order(call: Call) -> None:
    text = call("guide_show")["text"]
    places = [text.index(f"`{name}`") for name in OPERATIONS]
    assert places == sorted(places)
    assert "at most 5" in text
    assert "`achievements` and `limitations` may be empty lists" in text
    assert "computed" in text
    assert len(text) <= 4_000


def test_the_guide_names_only_operations_arguments_and_values_that_exist(app: App, call: Call) -> None:
    schemas = json.dumps([[op.input_schema, op.output_schema] for op in app.catalog])
    for word in set(re.findall(r"`(\w+)`", call("guide_show")["text"])):
        assert word in app.catalog or f'"{word}"' in schemas or word == "auth", word
