"""References and placeholders in a server's configuration."""

from __future__ import annotations

import pytest

from deedlog.core.gate import reference
from deedlog.core.gate.server import Server

KEYS = {"TOKEN": "t-1", "GH": "g-2", "api-key": "i-3"}


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("plain", "plain"),
        ("${TOKEN}", "t-1"),
        ("${env:TOKEN}", "t-1"),
        ("${input:api-key}", "i-3"),
        ("Bearer ${TOKEN}", "Bearer t-1"),
        ("--key=${TOKEN}", "--key=t-1"),
        ("${TOKEN}:${GH}", "t-1:g-2"),
        ("${NONE:-fallback}", "fallback"),
        ("${TOKEN:-fallback}", "t-1"),
        ("${NONE}", ""),
        ("$TOKEN", "t-1"),
        ("cost $TOKEN", "cost $TOKEN"),
        ("$ecret", "$ecret"),
    ],
)
def test_a_reference_becomes_what_it_stands_for(text: str, means: str) -> None:
    assert reference.resolved(text, KEYS.get) == means


def test_what_has_a_default_is_named_but_not_needed() -> None:
    assert reference.names("${A} ${B:-b}") == ["A", "B"]
    assert reference.needed("${A} ${B:-b} ${C:-}") == ["A"]


@pytest.mark.proves("gate:readiness:placeholders")
@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "  ",
            "YOUR_API_KEY",
            "your_key",
            "your-token-here",
            "REPLACE_ME",
            "replace_with_key",
            "TODO",
            "todo: key",
        ),
        *("xxx", "XXXX-XXXX", "sk-xxxxxxxx", "changeme", "CHANGE_ME", "change-me", "<your token>", "<token>", "..."),
        *("Bearer YOUR_TOKEN", "Bearer ", "Bearer <token>", "${command:pick}", "a ${config:x} b", "/path/to/folder"),
        *("sk-...", "sk-your-key", "ghp_xxxxxxxxxxxx", "sk-ant-xxxx", "{API_KEY}", "{{API_KEY}}", "%API_KEY%"),
        *("[YOUR_KEY]", "API_KEY_HERE", "ADD_KEY_HERE", "put your key here", "YOURKEY", "YourApiKey", "my-api-key"),
        *("***", "undefined", "fill-me-in", "https://your-instance.atlassian.net", r"C:\path\to\it", "Bearer sk-..."),
    ],
)
def test_what_nobody_filled_in_is_recognised(text: str) -> None:
    assert reference.is_forgotten(text)


@pytest.mark.parametrize(
    "text",
    [
        *("${VAR}", "$VAR", "Bearer ${VAR}", "todoist", "changement", "x", "ghp_0123456789abcdef", "0", "Bearer abc"),
        *("https://example.invalid/a", "my key", "yours", "my token value", "the basic one", "$5", "a${"),
        *("be your own guide", "/srv/yourtown/data", "{}", '{"a": 1}', "{a,b}", "50%", "[1, 2]", "there", "src/**"),
        *("*", "null", "sk-axxxxb", "../..", "...and more", "my-team", "postgresql://user:password@localhost/db"),
    ],
)
def test_values_and_references_are_not_taken_for_placeholders(text: str) -> None:
    assert not reference.is_forgotten(text)


def test_a_server_gets_the_variables_it_names_and_no_others() -> None:
    server = Server(
        name="x",
        command="run",
        env={"A": "${TOKEN}", "B": "as it is", "GH": "YOUR_GH", "C": "${NONE}", "D": ""},
        required=["NEEDED"],
        optional=["MAYBE", "NEVER"],
    )
    known = {**KEYS, "NEEDED": "n", "MAYBE": "m", "OTHER": "o"}
    asked: list[str] = []

    def look_up(key: str) -> str | None:
        asked.append(key)
        return known.get(key)

    assert reference.environment(server, look_up) == {
        "A": "t-1",
        "B": "as it is",
        "GH": "g-2",
        "NEEDED": "n",
        "MAYBE": "m",
    }
    assert set(asked) <= set(reference.keys_of(server))
    assert "OTHER" not in reference.keys_of(server)


def test_the_keys_of_a_server_are_found_wherever_they_stand() -> None:
    server = Server(name="x", transport="http", url="https://h/${U}", headers={"H": "Bearer ${V}"}, required=["W"])
    assert reference.keys_of(server) == ["U", "V", "W"]
    stdio = Server(name="x", command="${C}", args=["--k=${A}"], cwd="${D}", env={"E": ""})
    assert reference.keys_of(stdio) == ["C", "A", "D", "E"]
