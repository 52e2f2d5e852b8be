"""Which servers serve a wish, best first: a search over what they are called, what they say they do, what people say
who need them, and the names of their tools. It knows what means the same in three languages and needs no network.
"""

from __future__ import annotations

from math import log

from deedlog.core.gate.common_words import EMPTY, LIGHT
from deedlog.core.gate.lexicon import Lexicon, is_close
from deedlog.core.gate.server import Server, Standing, Status
from deedlog.core.gate.stems import ENDING, has_japanese, near, plain, runs, stem, words
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FIELDS = {"name": 6.0, "title": 3.0, "keywords": 2.0, "description": 2.5, "tools": 1.5}
EVEN = 0.05  # how much a long field counts less
FULL = 1.2  # how soon more of the same word counts no more
SAME_MEANING = 1.0  # what a word counts that only means the same
SPREAD = 0.5  # how much less a word of a long phrase counts
AGAIN = 0.3  # what it adds that a word is found and its meaning as well
LITTLE = 0.6  # what a word counts that says little
PAIR = 0.6  # what two letters count that may be a word
VERB = 0.3  # what the one kanji of a verb counts
SLIP = 0.6  # what a word counts that was misspelt
NAMED = 4.0  # a server called by its name
WHOLE = 6.0  # somebody who needs it says exactly this
PART = 0.35  # a phrase of theirs is in the wish
LEAST, FAR = 0.8, 0.12  # worse than this, or than this share of the best, is no answer
SHORTEST_SLIP = 5
FEWEST = 50  # among fewer servers than this a word tells as much as among so many
ANYWHERE = 0.8  # what a meaning counts for the web search that no server has
REASONS = 3
ORDINARY = frozenset(("magic", "linear", "fetch", "time", "memory", "unity", "everything", "desktop", "search"))
NOISE = frozenset(("mcp", "server", "the", "by"))
READY = {Status.ACTIVE: 0, Status.AVAILABLE: 1, Status.MISSING: 2, Status.DISABLED: 3}


class Hit(Value):
    """A server that serves a wish: how well, and because of which words of the wish, found where."""

    standing: Standing
    score: float
    reason: str


def ranked(intent: str, standings: Sequence[Standing], limit: int) -> list[Hit]:
    """The servers that serve `intent`, best first. Whether one is ready only decides between equals."""
    index = _index([standing.server for standing in standings])
    scores = index.scores(intent)
    best = max(scores.values(), default=0.0)
    found = [number for number, score in scores.items() if score >= max(LEAST, FAR * best)]
    found.sort(key=lambda number: (-round(scores[number], 2), READY[standings[number].status], number))
    return [
        Hit(standing=standings[number], score=round(scores[number], 2), reason=index.reason(intent, number))
        for number in found[:limit]
    ]


_made: list[tuple[list[Server], Index]] = []  # the last one


def _index(servers: list[Server]) -> Index:
    """The index of these servers, made once: every call asks about the same ones."""
    if not _made or _made[0][0] != servers:
        _made[:] = [(servers, Index(servers))]
    return _made[0][1]


class Index:
    def __init__(self, servers: Sequence[Server]) -> None:
        self.servers = servers
        self.lexicon = Lexicon()
        keywords = [_keywords(server) for server in servers]
        for text in {text for texts in keywords for text in texts if has_japanese(text)}:
            self.lexicon.know(text)
        self.meant: set[str] = set()  # the meanings that some server is for, not only mentions
        self.sayings: dict[frozenset[str], set[int]] = {}  # what people say who need the servers
        self.places: list[dict[str, dict[str, float]]] = [
            {"keywords": self._heard(number, texts), **self._places(servers[number])}
            for number, texts in enumerate(keywords)
        ]
        self.worth = self._worth()
        self.found_in: dict[str, list[tuple[int, float]]] = {}
        self._weigh()
        self.searching = f"#{self.lexicon.single['websearch'][0]}"
        self.names = [_name_of(server) for server in servers]
        self.telling: dict[str, list[frozenset[str]]] = {}  # sayings of several words, by the one that tells most
        for said in self.sayings:
            if len(said) > 1:
                self.telling.setdefault(max(said, key=lambda key: self.worth.get(key, 0.0)), []).append(said)
        self.known = {key for key in self.found_in if key[0] != "#"} | self.lexicon.single.keys()
        self.by_letter: dict[str, list[str]] = {}
        for word in self.known:
            if len(word) >= SHORTEST_SLIP and word.isascii():
                self.by_letter.setdefault(word[0], []).append(word)

    def _places(self, server: Server) -> dict[str, dict[str, float]]:
        """By field, how often each word and each meaning is in it."""
        texts = {
            "name": [server.name],
            "title": [server.title],
            "description": [server.description],
            "tools": server.tools,
        }
        return {field: self._counted(parts) for field, parts in texts.items() if any(parts)}

    def _counted(self, texts: Iterable[str]) -> dict[str, float]:
        counts: dict[str, float] = {}
        for text in texts:
            for key, (_, share) in self._read(plain(text)).items():
                counts[key] = counts.get(key, 0.0) + share
                if key[0] == "#":
                    self.meant.add(key)
        return counts

    def _heard(self, number: int, phrases: list[str]) -> dict[str, float]:
        """As `_counted`, of what people say who need a server: a word of a long phrase counts less."""
        counts: dict[str, float] = {}
        for phrase in phrases:
            read = self._read(phrase)
            telling = [key for key in read if key[0] != "#" and key.isascii()]
            few = max(1, len(telling)) ** -SPREAD
            for key, (said, share) in read.items():
                whole = key[0] == "#" and (said == phrase or said.count(" ") + 1 >= len(telling))
                counts[key] = counts.get(key, 0.0) + (share if whole else share * few)
                if whole:
                    self.meant.add(key)
            if saying := frozenset((phrase,) if has_japanese(phrase) else telling):
                self.sayings.setdefault(saying, set()).add(number)
        return counts

    def _read(self, text: str) -> dict[str, tuple[str, float]]:
        """The words and meanings of a folded text, each with how it stands there and what it counts."""
        found: dict[str, tuple[str, float]] = {}
        order = words(text)
        for word in order:
            if word not in EMPTY:
                found.setdefault(stem(word), (word, LITTLE if word in LIGHT else 1.0))
        phrases: dict[str, None] = {}
        if not text.isascii():
            for pair in runs(text):
                found.setdefault(pair, (pair, VERB if pair[-1] == ENDING else PAIR))
            phrases = self.lexicon.phrases(text)
        for phrase in phrases:
            part = any(phrase in other and phrase != other for other in phrases)
            found[phrase] = (phrase, PAIR if part or phrase in LIGHT else 1.0)
        for group, said in self.lexicon.groups_of(order, phrases).items():
            found[f"#{group}"] = (said, SAME_MEANING * (LITTLE if said in LIGHT else 1.0))
        return found

    def _worth(self) -> dict[str, float]:
        """What each word tells: the fewer servers have it, the more."""
        having: dict[str, int] = {}
        for places in self.places:
            for key in {key for counts in places.values() for key in counts}:
                having[key] = having.get(key, 0) + 1
        among = max(len(self.places), FEWEST)
        return {key: log(1 + (among - count + 0.5) / (count + 0.5)) for key, count in having.items()}

    def _weigh(self) -> None:
        usual = {
            field: sum(sum(places.get(field, {}).values()) for places in self.places) / max(1, len(self.places))
            for field in FIELDS
        }
        for number, places in enumerate(self.places):
            total: dict[str, float] = {}
            for field, counts in places.items():
                length = 1 - EVEN + EVEN * sum(counts.values()) / (usual[field] or 1)
                for key, count in counts.items():
                    total[key] = total.get(key, 0.0) + FIELDS[field] * min(count, 2.0) / length
            for key, weight in total.items():
                self.found_in.setdefault(key, []).append((number, self.worth[key] * weight / (FULL + weight)))

    def asked(self, intent: str) -> dict[str, tuple[str, float]]:
        """What is asked for: as `_read`, words nobody knows taken for the known ones that they are a slip of."""
        found: dict[str, tuple[str, float]] = {}
        for key, (said, share) in self._read(plain(intent)).items():
            known = key in self.known or key[0] == "#" or said in LIGHT
            for meant in [key] if known else self._meant(key):
                found[meant] = (said, share if meant == key else share * SLIP)
                if meant != key:
                    for group in self.lexicon.single.get(meant, ()):
                        found.setdefault(f"#{group}", (said, share * SLIP * SAME_MEANING))
        for key in [key for key in found if key[0] == "#" and key not in self.meant]:
            said, share = found[key]
            found.setdefault(self.searching, (said, share * ANYWHERE))  # the web knows what no server does
        return found

    def _meant(self, word: str) -> list[str]:
        if len(word) < SHORTEST_SLIP or not word.isascii():
            return []
        return [known for known in self.by_letter.get(word[0], ()) if near(word, known)]

    def scores(self, intent: str) -> dict[int, float]:
        asked = self.asked(intent)
        by_word: dict[str, dict[int, float]] = {}
        for key, (word, share) in asked.items():
            best = by_word.setdefault(word, {})
            for number, weight in self.found_in.get(key, ()):
                more, less = max(best.get(number, 0.0), share * weight), min(best.get(number, 0.0), share * weight)
                best[number] = more + AGAIN * less
        scores: dict[int, float] = {}
        for best in by_word.values():
            for number, weight in best.items():
                scores[number] = scores.get(number, 0.0) + weight
        said = {key: place for place, key in enumerate(asked) if key[0] != "#"}
        for place, word in enumerate(words(plain(intent))):
            if (key := stem(word)) in said:
                said[key] = place
        for number in scores:
            scores[number] += self._called(number, said)
        for number, bonus in self._said(said, _stems(intent)):
            if number in scores:
                scores[number] += bonus
        return scores

    def _called(self, number: int, said: dict[str, int]) -> float:
        name = self.names[number]
        return NAMED if name and name <= said.keys() else 0.0

    def _said(self, said: dict[str, int], whole: frozenset[str]) -> Iterable[tuple[int, float]]:
        """The servers whose people say this wish, or say a part of it."""
        for number in self.sayings.get(whole, ()):
            yield number, WHOLE
        for key in said:
            for phrase in self.telling.get(key, ()):
                if phrase != whole and phrase <= said.keys() and is_close(phrase, said):
                    for number in self.sayings[phrase]:
                        yield number, PART * sum(self.worth.get(key, 0.0) for key in phrase)

    def reason(self, intent: str, number: int) -> str:
        """The words of the wish that count most for a server, and where each was found."""
        told: dict[str, tuple[float, str]] = {}
        for key, (said, share) in self.asked(intent).items():
            weight = next((weight for found, weight in self.found_in.get(key, ()) if found == number), 0.0)
            field = next((field for field in FIELDS if key in self.places[number].get(field, {})), "")
            if weight * share > told.get(said, (0.0, ""))[0]:
                told[said] = (weight * share, field)
        best = sorted(told.items(), key=lambda item: -item[1][0])[:REASONS]
        return "; ".join(f"{said}: {field}" for said, (_, field) in best)


def _keywords(server: Server) -> list[str]:
    return [plain(phrase) for phrases in server.words.values() for phrase in phrases]


def _stems(phrase: str) -> frozenset[str]:
    """The words of a phrase, or the phrase itself where it is Japanese."""
    text = plain(phrase)
    if has_japanese(text):
        return frozenset((text,))
    return frozenset(stem(word) for word in words(text) if word not in EMPTY)


def _name_of(server: Server) -> frozenset[str]:
    """The words of a server's name, where these are not ordinary ones."""
    parts = [word for word in words(plain(server.name.replace("-", " "))) if word not in NOISE]
    return frozenset(map(stem, parts)) if not ORDINARY & set(parts) or len(parts) > 1 else frozenset()
