import re

from deedlog.app import App
from tests.conftest import Call


def test_the_guide_names_only_operations_that_exist(app: App, call: Call) -> None:
    words = set(re.findall(r"`(\w+)`", call("guide_show")["text"]))
    assert "start_workflow" in words
    assert all(word in app.catalog for word in words)
