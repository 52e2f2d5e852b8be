"""Whether a server can be mounted, and what it lacks."""

from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.gate.readiness import lack, missing, standing
from deedlog.core.gate.server import Server, Standing, Status


def of(server: Server, *known: str, installed: bool = True, logged_in: bool = True) -> Standing:
    return standing(server, set(known), lambda _: installed, logged_in=logged_in)


def stdio(**fields: Any) -> Server:
    return Server(**{"name": "one", "command": "run", **fields})


@pytest.mark.proves("gate:readiness:states")
def test_a_server_that_lacks_nothing_is_available() -> None:
    assert of(stdio()).status is Status.AVAILABLE


@pytest.mark.proves("gate:readiness:states")
def test_what_a_person_disabled_is_disabled_whatever_it_lacks() -> None:
    found = of(stdio(disabled=True, required=["KEY"]))
    assert found.status is Status.DISABLED
    assert "deedlog mcp enable one" in found.reason


@pytest.mark.proves("gate:readiness:states")
def test_what_a_repository_brings_is_disabled_until_it_is_approved_of() -> None:
    found = of(stdio(brought=True, trusted=False, source="/repo/.mcp.json"))
    assert found.status is Status.DISABLED
    assert "/repo/.mcp.json" in found.reason


@pytest.mark.proves("gate:readiness:states")
def test_a_server_of_the_catalogue_that_no_person_approved_is_available_and_says_so() -> None:
    found = of(stdio(trusted=False))
    assert found.status is Status.AVAILABLE
    assert "deedlog mcp enable one" in found.reason


@pytest.mark.proves("gate:readiness:states")
def test_a_server_whose_program_is_not_installed_is_disabled_and_says_which() -> None:
    found = of(stdio(command="/opt/uvx", required=["KEY"]), installed=False)
    assert found.status is Status.DISABLED
    assert "uvx" in found.reason


@pytest.mark.proves("gate:readiness:states", "gate:readiness:placeholders")
@pytest.mark.parametrize(
    ("fields", "lacks"),
    [
        ({"required": ["KEY"]}, ["KEY"]),
        ({"env": {"KEY": "${KEY}"}, "required": ["KEY"]}, ["KEY"]),
        ({"env": {"KEY": ""}}, ["KEY"]),
        ({"env": {"KEY": "YOUR_KEY"}}, ["KEY"]),
        ({"env": {"KEY": "${OTHER}"}}, ["OTHER"]),
        ({"env": {"KEY": "${A}${B}"}}, ["A", "B"]),
        ({"args": ["${KEY}"]}, ["KEY"]),
        ({"args": ["--flag=${KEY}"]}, ["KEY"]),
        ({"args": ["--header", "Authorization: Bearer ${KEY}"]}, ["KEY"]),
        ({"args": ["--api-key", "YOUR_KEY"]}, ["argument --api-key"]),
        ({"args": ["--api-key="]}, ["argument --api-key"]),
        ({"args": ["-e", "TOKEN=xxx"]}, ["argument TOKEN"]),
        ({"args": ["run", ""]}, ["argument 2"]),
        ({"transport": "http", "url": "https://h/?key=${KEY}"}, ["KEY"]),
        ({"transport": "http", "url": "https://h/?tavilyApiKey=YOUR_KEY"}, ["url parameter tavilyApiKey"]),
        ({"transport": "http", "url": "https://h/mcp?a=1&key="}, ["url parameter key"]),
        ({"transport": "http", "url": "https://h/YOUR_KEY/mcp"}, ["url"]),
        ({"transport": "http", "url": ""}, ["url"]),
        ({"transport": "sse", "url": "https://h/", "headers": {"Authorization": "Bearer ${KEY}"}}, ["KEY"]),
        ({"transport": "http", "url": "https://h/", "headers": {"Authorization": "Bearer "}}, ["header Authorization"]),
        ({"transport": "http", "url": "https://h/", "headers": {"X-Key": "<key>"}}, ["header X-Key"]),
    ],
)
def test_what_is_missing_is_named_wherever_it_stands(fields: dict[str, Any], lacks: list[str]) -> None:
    found = of(stdio(**fields))
    assert found.status is Status.MISSING
    assert found.missing == lacks


@pytest.mark.parametrize(
    "fields",
    [
        {"required": ["KEY"]},
        {"env": {"KEY": "YOUR_KEY"}},
        {"env": {"OTHER": "${KEY}"}},
        {"args": ["--flag=${KEY}"]},
        {"transport": "http", "url": "https://h/${KEY}", "headers": {"A": "Bearer ${KEY}"}},
        {"env": {"MAYBE": "${MAYBE}"}, "optional": ["MAYBE"]},
        {"env": {"MODE": "${MODE:-fast}"}},
        {"args": ["todoist-mcp", "https://h/a:b?c=d", "C:\\x"]},
        {"env": {"KEY": "given"}, "required": ["KEY"]},
    ],
)
def test_what_is_known_or_optional_is_not_missing(fields: dict[str, Any]) -> None:
    assert missing(stdio(**fields), {"KEY"}) == []


def test_a_server_over_http_to_which_nobody_logged_in_lacks_the_login() -> None:
    server = Server(name="docs", transport="http", url="https://h/mcp", auth="oauth")
    found = of(server, logged_in=False)
    assert (found.status, found.missing) == (Status.MISSING, [])
    assert lack(found) == "a login"
    assert "deedlog mcp login docs" in found.reason
    assert of(server).status is Status.AVAILABLE


def test_keys_come_before_the_login() -> None:
    server = Server(name="docs", transport="http", url="https://h/${KEY}")
    assert of(server, logged_in=False).missing == ["KEY"]
