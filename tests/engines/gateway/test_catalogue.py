from __future__ import annotations

import re

import pytest

from deedlog.core.gate import reference
from deedlog.core.gate.naming import server_id
from deedlog.core.gate.server import CATALOGUE, CATEGORIES, Server
from deedlog.core.gate.version import package, told
from deedlog.gateway.configuration.catalogue import servers

LAUNCHERS = {"npx", "uvx", "docker", "dart"}
KEY = re.compile(r"[A-Z][A-Z0-9_]+")
SECRET = re.compile(r"(?:sk|pk|ghp|xox[bp]|pat|key|secret)[-_][A-Za-z0-9]{12,}|[A-Za-z0-9+/]{40,}")
NAMED_BY_THE_DOCUMENT = re.findall(
    r"\S+",
    """
memory sequential-thinking context7 filesystem git github fetch supabase desktop-commander tavily exa firecrawl youtube
shadcn magic magic-ui mermaid echarts e2b sqlite code2prompt docling vscode semgrep sonarqube ffmpeg railway vercel
cloudflare cloudflare-docs docker-mcp stripe sentry notion resend sanity upstash replicate deepl expo clickhouse neo4j
postgres mongodb elevenlabs slack desktop-automation puppeteer playwright browserbase figma n8n blender unity
dart-flutter ollama
""",
)
CORE = NAMED_BY_THE_DOCUMENT[:9]


@pytest.mark.proves("gate:catalogue:servers")
def test_at_least_sixty_servers_are_known_among_them_all_that_the_document_names() -> None:
    names = [server.name for server in servers()]
    assert len(names) >= 60
    assert len(set(names)) == len(names)
    assert set(NAMED_BY_THE_DOCUMENT) <= set(names)


def test_servers_come_in_the_order_of_the_documents_categories() -> None:
    places = [CATEGORIES.index(server.category) for server in servers()]
    assert places == sorted(places)
    assert set(places) == set(range(len(CATEGORIES) - 1))  # every one but `other`


def test_core_servers_are_those_of_the_category_core() -> None:
    assert [server.name for server in servers() if server.core] == CORE
    assert [server.name for server in servers() if server.category == "core"] == CORE


@pytest.mark.proves("gate:catalogue:servers")
@pytest.mark.parametrize("server", servers(), ids=lambda server: server.name)
def test_each_server_says_what_it_is_and_how_it_is_reached(server: Server) -> None:
    assert server.name == server_id(server.name)
    assert server.title
    assert 10 <= len(server.description) <= 100
    assert "\n" not in server.description
    assert server.homepage.startswith("https://")
    assert server.source == CATALOGUE
    if server.transport == "stdio":
        assert server.command in LAUNCHERS
        assert server.args
        assert not server.url
    else:
        assert server.transport == "http"
        assert server.url.startswith("https://")
        assert not server.command


@pytest.mark.parametrize("server", servers(), ids=lambda server: server.name)
def test_keys_are_named_and_never_given(server: Server) -> None:
    values = [*server.env.values(), *server.headers.values(), *server.args, server.url]
    assert all(KEY.fullmatch(key) for key in [*server.env, *server.required, *server.optional])
    assert {name for value in values for name in reference.needed(value)} <= set(server.required)
    assert all(reference.names(value) for value in server.env.values())
    assert not [value for value in values if SECRET.search(value)]
    assert not set(server.required) & set(server.optional)


@pytest.mark.parametrize("server", servers(), ids=lambda server: server.name)
def test_each_server_has_words_in_three_languages(server: Server) -> None:
    assert list(server.words) == ["en", "fr", "ja"]
    for words in server.words.values():
        assert len(words) >= 2
        assert len(set(words)) == len(words)
        assert all(word == word.strip() and word for word in words)
    assert len(set(server.tools)) == len(server.tools)


UNKNOWN = {"e2b", "vscode", "terraform"}  # `python -m scripts.pins` names those of which no registry tells a version
INSTALLED = {"docker-mcp", "dart-flutter"}  # nothing is downloaded


@pytest.mark.proves("gate:catalogue:pinned")
@pytest.mark.parametrize("server", [one for one in servers() if one.transport == "stdio"], ids=lambda one: one.name)
def test_each_package_has_a_fixed_version_or_says_that_it_has_none(server: Server) -> None:
    name, version = package(server)
    assert bool(name) == (server.name not in INSTALLED)
    assert bool(version) == (server.name not in UNKNOWN | INSTALLED)
    assert told(server) == f"{name} {version}" if version else told(server).startswith("not fixed: ")


def test_keys_are_called_as_the_document_calls_them() -> None:
    keys = {server.name: server.required for server in servers()}
    assert keys["sentry"] == ["SENTRY_AUTH_TOKEN"]
    assert keys["notion"] == ["NOTION_API_KEY"]
    assert keys["stripe"] == ["STRIPE_SECRET_KEY"]


def test_a_caller_that_changes_its_list_changes_nobody_elses() -> None:
    servers().clear()
    assert servers()
