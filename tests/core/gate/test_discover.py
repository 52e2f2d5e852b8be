from __future__ import annotations

import json
from pathlib import Path

import pytest

from deedlog.core.gate.discover import Hit, ranked
from deedlog.core.gate.server import Server, Standing, Status
from deedlog.gateway.configuration.catalogue import servers

CATALOGUE = [Standing(server=server, status=Status.AVAILABLE) for server in servers()]
TABLE = {
    "deploy": ["vercel", "railway", "cloudflare"],
    "payment": ["stripe"],
    "database": ["supabase", "postgres", "sqlite", "clickhouse", "neo4j"],
    "email": ["resend"],
    "search": ["tavily", "exa", "firecrawl"],
    "scraping": ["firecrawl", "puppeteer", "playwright"],
    "browser": ["puppeteer", "playwright", "browserbase"],
    "mobile": ["expo", "dart-flutter"],
    "design": ["figma", "shadcn", "magic", "magic-ui"],
    "chart": ["echarts", "mermaid"],
    "translation": ["deepl"],
    "cms": ["notion", "sanity"],
    "monitoring": ["sentry"],
    "security": ["semgrep", "sonarqube"],
    "document": ["docling", "code2prompt"],
    "3d": ["blender", "unity"],
    "ai": ["ollama", "replicate"],
    "video": ["youtube"],
    "docker": ["docker-mcp"],
    "cache": ["upstash"],
    "automation": ["desktop-commander", "desktop-automation"],
}
SYNONYMS = {
    "deployment": "vercel", "hosting": "railway", "payments": "stripe", "billing": "stripe", "subscription": "stripe",
    "db": "postgres", "sql": "postgres", "graph": "neo4j", "mail": "resend", "scrape": "firecrawl",
    "crawl": "firecrawl", "flutter": "dart-flutter", "ios": "expo", "android": "expo", "ui": "shadcn",
    "component": "shadcn", "diagram": "mermaid", "visualization": "echarts", "translate": "deepl", "content": "sanity",
    "error tracking": "sentry", "audit": "semgrep", "pdf": "docling", "game": "unity", "modeling": "blender",
    "inference": "replicate", "ml": "replicate", "container": "docker-mcp", "redis": "upstash", "queue": "upstash",
    "sandbox": "e2b", "file": "filesystem", "git": "git", "documentation": "context7",
}  # fmt: skip
FLOORS = {"en": (0.88, 0.96), "fr": (0.86, 0.96), "ja": (0.88, 0.96)}


def names(intent: str, among: list[Standing] = CATALOGUE, limit: int = 5) -> list[str]:
    return [hit.standing.server.name for hit in ranked(intent, among, limit)]


def own(name: str, description: str = "", status: Status = Status.AVAILABLE) -> Standing:
    return Standing(server=Server(name=name, description=description, command="run"), status=status)


@pytest.mark.proves("gate:discover:intents")
@pytest.mark.parametrize("intent", TABLE)
def test_each_row_of_the_documents_table_comes_out_right(intent: str) -> None:
    found = names(intent)
    assert set(TABLE[intent]) <= set(found)
    assert found[0] in TABLE[intent]


@pytest.mark.proves("gate:discover:intents")
@pytest.mark.parametrize("intent", SYNONYMS)
def test_plurals_and_synonyms_of_the_table_are_understood(intent: str) -> None:
    assert SYNONYMS[intent] in names(intent)


@pytest.mark.proves("gate:discover:languages")
@pytest.mark.parametrize("language", FLOORS)
def test_everyday_wishes_are_understood(language: str) -> None:
    rows = json.loads((Path(__file__).parent / f"intents_{language}.json").read_text())
    found = [(names(intent), right) for intent, right in rows]
    first = sum(bool(few) and few[0] in right for few, right in found) / len(rows)
    among = sum(bool(set(few) & set(right)) for few, right in found) / len(rows)
    assert len(rows) >= 120
    least_first, least_among = FLOORS[language]
    assert first >= least_first
    assert among >= least_among


@pytest.mark.proves("gate:discover:languages")
@pytest.mark.parametrize(
    ("intent", "server"),
    [
        ("Rembourser un client", "stripe"),
        ("請求書を送る", "stripe"),
        ("TRADUIRE ce texte", "deepl"),
        ("ﾃﾞﾌﾟﾛｲ", "vercel"),
    ],
)
def test_case_accents_and_width_do_not_matter(intent: str, server: str) -> None:
    assert server in names(intent)


def test_a_misspelt_name_is_understood() -> None:
    assert names("put it into notoin")[0] == "notion"
    assert names("netlfy")[0] == "netlify"


@pytest.mark.parametrize("intent", ["greed", "reach", "a strike", "falcon"])
def test_short_words_that_differ_by_a_letter_are_no_slips(intent: str) -> None:
    among = [own("one", "Greek salads"), own("two", "React"), own("three", "Stripes"), own("four", "Façon")]
    assert names(intent, among) == []


@pytest.mark.proves("gate:discover:languages")
@pytest.mark.parametrize("intent", ["コップを洗って", "コップを洗いたい", "コップを洗う", "コップを洗わないと"])
def test_a_japanese_verb_is_found_with_any_ending(intent: str) -> None:
    assert names(intent, [own("break", "コップを割ります"), own("wash", "コップを洗います")])[0] == "wash"


def test_what_a_server_only_mentions_is_searched_on_the_web_too() -> None:
    words = {"en": ["photos taken in the rain"]}
    camera = Standing(server=Server(name="camera", command="run", words=words), status=Status.AVAILABLE)
    assert {"duckduckgo", "tavily"} & set(names("will it rain", [*CATALOGUE, camera]))


def test_nothing_is_found_inside_other_words() -> None:
    among = [own("painter", "Paints"), own("ai", "An assistant")]
    assert names("container email maintain", among) == []
    assert "docker-mcp" not in names("what is contained in this sentence about ice cream")


def test_whether_a_server_is_ready_only_decides_between_equals() -> None:
    same = "Sells cakes"
    among = [own("one", same, Status.DISABLED), own("two", same, Status.MISSING), own("three", same, Status.ACTIVE)]
    assert names("cakes", among) == ["three", "two", "one"]
    better = [own("cakes", "Cakes and more cakes", Status.DISABLED), own("other", "Bread, some cakes", Status.ACTIVE)]
    assert names("cakes", better)[0] == "cakes"


def test_servers_with_nothing_but_a_name_and_a_description_are_found_in_every_language() -> None:
    among = [*CATALOGUE, own("meteo", "Weather forecasts for any city"), own("kabu", "株価と為替を調べます")]
    assert names("quelle est la météo à Lyon", among)[0] == "meteo"
    assert names("明日の天気", among)[0] == "meteo"
    assert names("株価を知りたい", among)[0] == "kabu"


def test_what_no_server_does_is_searched_on_the_web() -> None:
    assert set(names("what will the weather be like at the weekend")) & {"tavily", "exa", "brave-search", "duckduckgo"}


def test_the_reason_names_words_of_the_wish_and_where_they_were_found() -> None:
    best: Hit = ranked("deploy on vercel", CATALOGUE, 1)[0]
    assert best.standing.server.name == "vercel"
    assert "vercel: name" in best.reason
    assert "deploy: " in best.reason


@pytest.mark.parametrize("intent", ["", " ", "???", "the of and", "\U0001f984", "zzzzqqqq", "\ud7ff" * 400])
def test_what_says_nothing_finds_nothing(intent: str) -> None:
    assert names(intent) == []


def test_other_servers_are_looked_for_when_the_servers_change() -> None:
    assert names("cakes", [own("bakery", "Cakes")]) == ["bakery"]
    assert names("cakes", [own("butcher", "Meat")]) == []
    assert names("cakes", []) == []
