"""How often the right server is found for everyday wishes, against the document's own table and a plain BM25."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path

from benchmarks.measure import interleaved, seconds
from deedlog.core.gate.discover import ranked
from deedlog.core.gate.server import Server, Standing, Status
from deedlog.gateway.configuration.catalogue import servers
from tests.core.gate.test_discover import TABLE

SETS = Path(__file__).parent.parent / "tests/core/gate"
LANGUAGES = ("en", "fr", "ja")
WORD = re.compile(r"\w+")
MANY = 320

Find = Callable[[str], list[str]]
Rows = list[tuple[str, list[str]]]


def by_table(known: list[Server]) -> Find:
    """The document's table, then any server whose name or description contains the wish."""

    def find(intent: str) -> list[str]:
        wish = intent.lower()
        found = [name for key, names in TABLE.items() if key in wish for name in names]
        found += [server.name for server in known if wish in server.name or wish in server.description.lower()]
        return list(dict.fromkeys(found))[:5]

    return find


def by_bm25(known: list[Server]) -> Find:
    """A plain BM25 over the same texts, without stems, meanings or weights of fields."""
    texts = [
        WORD.findall(
            " ".join([server.name, server.title, server.description, *map(" ".join, server.words.values())]).lower()
        )
        for server in known
    ]
    usual = sum(map(len, texts)) / len(texts)

    def find(intent: str) -> list[str]:
        scores = [0.0] * len(texts)
        for word in set(WORD.findall(intent.lower())):
            having = sum(word in text for text in texts)
            worth = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
            for number, text in enumerate(texts):
                count = text.count(word)
                scores[number] += worth * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * len(text) / usual))
        order = sorted(range(len(texts)), key=lambda number: -scores[number])
        return [known[number].name for number in order[:5] if scores[number]]

    return find


def by_deedlog(known: list[Server]) -> Find:
    standings = [Standing(server=server, status=Status.AVAILABLE) for server in known]
    return lambda intent: [hit.standing.server.name for hit in ranked(intent, standings, 5)]


def hits(find: Find, rows: Rows) -> tuple[float, float]:
    found = [(find(intent), right) for intent, right in rows]
    first = sum(bool(names) and names[0] in right for names, right in found)
    return first / len(rows), sum(bool(set(names) & set(right)) for names, right in found) / len(rows)


def measure(_folder: Path, rounds: int) -> None:
    known = servers()
    ways = {"the document's table": by_table(known), "plain BM25": by_bm25(known), "Deedlog": by_deedlog(known)}
    sets: dict[str, Rows] = {one: json.loads((SETS / f"intents_{one}.json").read_text()) for one in LANGUAGES}
    for language, rows in sets.items():
        for way, find in ways.items():
            first, among = hits(find, rows)
            print(f"discovery {language}, {len(rows)} wishes, {way}: hit@1 {first:.2f}, hit@5 {among:.2f}")
    more = [server.replace(name=f"{server.name}-{turn}") for turn in range(MANY // len(known) + 1) for server in known]
    find, few = by_deedlog(more[:MANY]), [intent for rows in sets.values() for intent, _ in rows[:40]]
    find("ready")  # the index is made once
    plain = by_bm25(more[:MANY])
    times = interleaved(
        {
            "Deedlog": lambda: seconds(lambda: [find(intent) for intent in few]),
            "plain BM25": lambda: seconds(lambda: [plain(intent) for intent in few]),
        },
        rounds,
    )
    print(f"discovery among {MANY} servers: {times['Deedlog'] / len(few) * 1000:.2f} ms a wish")
    print(f"discovery, time against a plain BM25: x{times['Deedlog'] / times['plain BM25']:.2f}")
