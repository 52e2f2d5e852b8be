import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.gate.prompt import section
from deedlog.core.gate.server import Server, Standing, Status

MOST = 2_400  # 600 tokens
NEEDED = {Status.MISSING: ["SENTRY_AUTH_TOKEN"]}


def standing(name: str, status: Status, description: str = "What it does", **more: object) -> Standing:
    server = Server(name=name, description=description, **more)  # type: ignore[arg-type]
    return Standing(server=server, status=status, missing=NEEDED.get(status, []))


FEW = [
    standing("memory", Status.ACTIVE, "Persistent memory", core=True),
    standing("vercel", Status.AVAILABLE, "Vercel deployment", category="deployment"),
    standing("sentry", Status.MISSING),
    standing("off", Status.DISABLED),
]


@pytest.mark.proves("gate:prompt:catalogue")
def test_a_few_servers_are_told_in_the_document_s_tables() -> None:
    text = section(FEW, MOST)
    assert "## Active (1)\n| Server | Description |\n|---|---|\n| memory | Persistent memory [core] |" in text
    assert "| vercel | deployment | Vercel deployment |" in text
    assert "## Missing Credentials (1)\n| Server | Needs |\n|---|---|\n| sentry | SENTRY_AUTH_TOKEN |" in text
    assert "Disabled: 1" in text


@pytest.mark.proves("gate:prompt:instructions")
def test_the_agent_is_taught_to_discover_activate_use_and_deactivate() -> None:
    text = section(FEW, MOST)
    places = [
        text.index(word) for word in ("`mcp_environment`", "`mcp_discover`:", "`mcp_activate`", "`mcp_deactivate`")
    ]
    assert places == sorted(places)
    assert 'mcp_activate({"name": "vercel"})' in text
    assert "never deactivate core servers" in text
    assert "If credentials are missing, tell the user" in text


@pytest.mark.proves("gate:prompt:catalogue")
@pytest.mark.parametrize("number", [0, 1, 30, 88, 500, 10_000])
def test_it_fits_whatever_the_number_of_servers(number: int) -> None:
    states = [Status.ACTIVE, Status.AVAILABLE, Status.AVAILABLE, Status.MISSING]
    found = [
        standing(f"server-{n}", states[n % 4], "Does one thing or another for whoever asks", category=f"kind-{n % 7}")
        for n in range(number)
    ]
    text = section(found, MOST)
    assert len(text) <= MOST
    assert "# Dynamic MCP Orchestration" in text
    if number:
        assert "server-0" in text
        assert f"{len([one for one in found if one.status is Status.AVAILABLE])} available" in text or number == 1


def test_names_come_by_category_when_descriptions_do_not_fit() -> None:
    found = [standing(f"host-{n}", Status.AVAILABLE, "x" * 100, category="deployment") for n in range(40)]
    assert "- deployment: host-0, host-1, " in section(found, MOST)


def test_keys_of_what_people_configured_are_named_before_those_of_the_catalogue() -> None:
    found = [standing(f"known-{n}", Status.MISSING) for n in range(60)]
    text = section([*found, standing("mine", Status.MISSING, source=".mcp.json")], MOST)
    assert "mine (SENTRY_AUTH_TOKEN), known-0" in text


@given(st.integers(0, 5_000))
def test_the_limit_holds_however_small_it_is(most: int) -> None:
    assert len(section(FEW, most)) <= most


@pytest.mark.proves("gate:prompt:catalogue")
@given(st.text(max_size=300), st.text(min_size=1, max_size=80), st.text(max_size=90))
def test_nothing_from_outside_ends_a_row_or_begins_a_heading(description: str, name: str, category: str) -> None:
    hostile = Server(name=name, description=description, category=category)
    text = section([Standing(server=hostile, status=Status.AVAILABLE)], MOST)
    assert text.isascii() or all(c.isprintable() or c == "\n" for c in text)
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert len(headings) == 3
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 3
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 4 for row in rows)
