"""Questions as a form: the official client in both eras, and what it may answer without anybody having seen it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import ElicitResult, ErrorData

from tests.e2e.clarifier import Clarifier, files, types
from tests.e2e.official import DEEDLOG, environment
from tests.e2e.test_clarify_mcp_model import configured, provider

Json = dict[str, Any]
ERAS = {"legacy": "legacy", "modern": "2026-07-28"}
each_era = pytest.mark.parametrize("era", ERAS)
Filling = Callable[[Json], Any]


class Shown:
    """A client that shows forms: `filling` says what its user does with one."""

    def __init__(self, repo: Path, era: str, filling: Filling, **variables: str) -> None:
        self.repo, self.era, self.filling = repo, era, filling
        self.variables = environment() | variables
        self.forms: list[Json] = []

    def require(self, intention: str, **more: Any) -> Json:
        found: Json = anyio.run(self._require, {"user_intention": intention, **more})
        return found

    async def _require(self, arguments: Json) -> Json:
        target = StdioServerParameters(
            command=DEEDLOG[0], args=[*DEEDLOG[1:], "mcp", "serve"], env=self.variables, cwd=str(self.repo)
        )
        with anyio.fail_after(60):
            async with Client(stdio_client(target), mode=ERAS[self.era], elicitation_callback=self._fill_in) as client:  # type: ignore[arg-type]
                await client.list_tools()
                answer = await client.call_tool("require_clarification", arguments)
                text = answer.content[0].text  # type: ignore[union-attr]
                assert not answer.is_error, text
                found: Json = json.loads(text)
                return found

    async def _fill_in(self, _context: Any, params: Any) -> Any:
        form = params.model_dump(by_alias=True, exclude_none=True)
        self.forms.append(form)
        return self.filling(form["requestedSchema"]["properties"])


def accepted(**content: Any) -> Filling:
    return lambda _fields: ElicitResult(action="accept", content=content)


def everything(fields: Json) -> ElicitResult:
    """The first option of every choice."""
    found: Json = {}
    for name, field in fields.items():
        if field["type"] == "array":
            found[name] = [field["items"]["enum"][0]]
        elif "enum" in field:
            found[name] = field["enum"][0]
    return ElicitResult(action="accept", content=found)


@each_era
@pytest.mark.proves("clarify:form:one-call")
def test_a_client_that_shows_forms_needs_one_call(repo: Path, era: str) -> None:
    client = Shown(repo, era, everything)
    answer = client.require("Add authentication")
    assert answer["status"] == "completed"
    assert answer["elicitation"] == "accepted"
    assert "adr" in types(answer)
    form = client.forms[0]
    fields = form["requestedSchema"]["properties"]
    assert "Add authentication" in form["message"]
    names = list(fields)
    assert names[names.index("auth_strategy") + 1] == "auth_strategy__other"
    assert fields["auth_strategy"]["enum"][-1] == "Other (specify)"
    assert all("default" not in field for field in fields.values())
    assert all(field["type"] in {"string", "array"} for field in fields.values())
    assert "required" not in form["requestedSchema"]


@each_era
@pytest.mark.parametrize(
    ("filling", "became"),
    [
        (lambda _: ElicitResult(action="decline"), "declined"),
        (lambda _: ElicitResult(action="cancel"), "cancelled"),
        (accepted(), "empty"),
        (accepted(auth_strategy="", auth_strategy__other="  "), "empty"),
        (accepted(nobody_asked="x"), "empty"),
    ],
    ids=["declined", "cancelled", "empty", "blank", "foreign"],
)
@pytest.mark.proves("clarify:form:never-an-answer")
def test_a_form_that_nobody_filled_in_is_no_answer(repo: Path, era: str, filling: Filling, became: str) -> None:
    client = Shown(repo, era, filling)
    answer = client.require("Add authentication")
    assert (answer["status"], answer["elicitation"]) == ("needs_clarification", became)
    assert answer["progress"]["answered"] == 0
    assert len(client.forms) == 1
    assert files(repo) == {}
    with Clarifier(repo) as plain:
        asked = plain.require("Add authentication")
        assert asked["questions"] == answer["questions"]
        skipped = {question["id"]: "skip" for question in answer["questions"]}
        assert plain.reply(answer, skipped)["status"] == "completed"


@each_era
def test_a_form_that_is_filled_in_halfway_leaves_the_rest(repo: Path, era: str) -> None:
    client = Shown(repo, era, accepted(auth_strategy="Other (specify)", auth_strategy__other="Kerberos"))
    answer = client.require("Add authentication")
    assert answer["status"] == "needs_clarification"
    assert answer["progress"]["answered"] == 1
    assert "auth_strategy" not in [question["id"] for question in answer["questions"]]
    with Clarifier(repo) as plain:
        plain.reply(answer, {question["id"]: "skip" for question in answer["questions"]})
        assert plain.architecture()["Authentication"]["Strategy"] == "Kerberos"


@each_era
def test_what_is_wrong_in_a_form_is_told_and_asked(repo: Path, era: str) -> None:
    client = Shown(repo, era, accepted(auth_strategy="OAuth", auth_strategy__other="Kerberos", auth_library="custom"))
    answer = client.require("Add authentication")
    assert answer["status"] == "needs_clarification"
    assert any(note.startswith("auth_strategy") for note in answer["notes"])
    assert "auth_strategy" in [question["id"] for question in answer["questions"]]


def test_a_client_that_fails_to_show_it_gets_the_questions(repo: Path) -> None:
    client = Shown(repo, "legacy", lambda _: ErrorData(code=-32603, message="no window"))
    answer = client.require("Add authentication")
    assert answer["status"] == "needs_clarification"
    assert "elicitation" not in answer


@each_era
def test_no_form_is_shown_where_it_is_switched_off_or_needless(repo: Path, era: str) -> None:
    client = Shown(repo, era, everything, DEEDLOG_CLARIFY_FORMS="no")
    assert client.require("Add authentication")["status"] == "needs_clarification"
    clear = Shown(repo, era, everything)
    assert clear.require("Fix typo in login button")["status"] == "completed"
    asked = client.require("Add authentication")
    again = clear.require("x", session_id=asked["session_id"], answers={"auth_strategy": "OAuth"})
    assert again["status"] == "needs_clarification"
    assert client.forms == clear.forms == []


def test_a_client_that_only_opens_addresses_is_not_shown_forms(repo: Path) -> None:
    with Clarifier(repo) as plain:
        plain.server.request(
            "initialize",
            {
                "protocolVersion": "2025-11-25",
                "capabilities": {"elicitation": {"url": {}}},
                "clientInfo": {"name": "browser", "version": "1"},
            },
        )
        assert plain.require("Add authentication")["status"] == "needs_clarification"


@each_era
@pytest.mark.parametrize("status", [200, 500])
def test_a_language_model_is_asked_once_although_a_form_may_run_the_call_again(
    repo: Path, era: str, status: int
) -> None:
    reply = {"choices": [{"message": {"content": json.dumps({"rationale": "The model says so"})}}]}
    with provider(status, json.dumps(reply)) as (url, asked):
        answer = Shown(repo, era, everything, **configured(url)).require("Add authentication")
    assert (answer["status"], answer["elicitation"]) == ("completed", "accepted")
    assert len(asked) == (1 if status == 200 else 3)  # with its retries
    assert answer.get("warning", "") == ("" if status == 200 else "llm_fallback")
