"""Questions that a project adds: several to choose from, and free text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.clarifier import Clarifier
from tests.e2e.test_clarify_mcp_forms import Shown, each_era, everything

OWN = """
[areas.Shipping]
fields = ["Carriers", "Label", "Limits"]

[areas.Shipping.topics.Carriers]
words.en = ["shipping labels"]
asks = ["carriers", "label", "limits"]

[questions.carriers]
type = "multi"
sets = "Shipping.Carriers"
text = { en = "Which carriers?" }
options = ["Pigeon", "Post"]
why = { en = "Our contract covers it." }

[questions.label]
sets = "Shipping.Label"
text = { en = "Which labels?" }
options = ["Paper", "Plastic"]
why = { en = "It can be recycled." }

[questions.limits]
type = "text"
optional = true
sets = "Shipping.Limits"
text = { en = "Any limits?" }
"""


@pytest.fixture
def shop(repo: Path) -> Path:
    (repo / ".deedlog").mkdir()
    (repo / ".deedlog/clarify.toml").write_text(OWN)
    return repo


@pytest.mark.proves("clarify:questions:types")
def test_each_type_has_the_document_s_shape(shop: Path) -> None:
    with Clarifier(shop) as client:
        carriers, label, limits = client.require("Add shipping labels")["questions"]
    assert {name: carriers[name] for name in ("id", "type", "question", "options")} == {
        "id": "carriers",
        "type": "multi_choice",
        "question": "Which carriers?",
        "options": ["Pigeon", "Post", "Other (specify)"],
    }
    assert carriers["min_selections"] == 1
    assert (label["type"], label["options"]) == ("single_choice", ["Paper", "Plastic", "Other (specify)"])
    assert limits == {"id": "limits", "type": "free_text", "question": "Any limits?", "optional": True}


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["Pigeon", "post"], ["Pigeon", "Post"]),
        ("pigeon, post", ["Pigeon", "Post"]),
        (["Pigeon", "Drone"], ["Pigeon", "Drone"]),
        (["Other: Drone"], ["Drone"]),
    ],
    ids=str,
)
@pytest.mark.proves("clarify:questions:types", "clarify:questions:other")
def test_several_are_recorded_and_what_is_optional_holds_nothing_up(shop: Path, given: Any, kept: list[str]) -> None:
    with Clarifier(shop) as client:
        asked = client.require("Add shipping labels")
        done = client.reply(asked, {"carriers": given, "label": "Paper"})
        assert done["status"] == "completed"
        found = client.architecture()["Shipping"]
    assert found["Label"] == "Paper"
    assert all(name in found["Carriers"] for name in kept)


@pytest.mark.proves("clarify:require:answers")
def test_too_few_are_refused_and_other_is_asked_for(shop: Path) -> None:
    with Clarifier(shop) as client:
        asked = client.require("Add shipping labels")
        for wrong in ([], {"Pigeon": True}, 5, [5]):
            assert client.refused_reply(asked, {"carriers": wrong})["details"]["id"] == "carriers"
        again = client.reply(asked, {"carriers": ["Pigeon", "Other (specify)"], "label": "Paper"})
        assert [question["id"] for question in again["questions"]] == ["carriers__other", "limits"]
        client.reply(again, {"carriers__other": "Drone"})
        assert {"Pigeon", "Drone"} <= set(client.architecture()["Shipping"]["Carriers"].split(", "))


@each_era
@pytest.mark.proves("clarify:form:one-call")
def test_a_form_has_a_list_to_choose_several_from(shop: Path, era: str) -> None:
    client = Shown(shop, era, everything)
    assert client.require("Add shipping labels")["status"] == "completed"
    fields = client.forms[0]["requestedSchema"]["properties"]
    assert list(fields) == ["carriers", "carriers__other", "label", "label__other", "limits"]
    assert fields["carriers"]["type"] == "array"
    assert fields["carriers"]["items"]["enum"] == ["Pigeon", "Post", "Other (specify)"]
    assert fields["limits"]["type"] == "string"
