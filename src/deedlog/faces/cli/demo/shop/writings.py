"""What the agents of the demo write into the shop's files."""

from __future__ import annotations

INDEX = '''\
"""Words of the catalogue, and where they stand."""

import re
from collections import defaultdict

WORD = re.compile(r"\\w+")


class Index:
    def __init__(self, names: list[str]) -> None:
        self._places: dict[str, set[int]] = defaultdict(set)
        self.names = names
        for number, name in enumerate(names):
            for word in WORD.findall(name.lower()):
                self._places[word].add(number)

    def words(self) -> list[str]:
        return sorted(self._places)

    def places(self, word: str) -> set[int]:
        return self._places.get(word, set())
'''
DISTANCE = '''\
"""How far one word is from another: letters to add, drop, change or swap."""


def distance(one: str, other: str, most: int = 2) -> int:
    if abs(len(one) - len(other)) > most:
        return most + 1
    before, rows = [], list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            cost = min(rows[j] + 1, row[-1] + 1, rows[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, rows = rows, row
    return rows[-1]
'''
RANKING = '''\
"""Find articles by what people type, also when they mistype it."""

from shop.search.distance import distance
from shop.search.index import WORD, Index

MOST_WRONG = 2


def found(text: str, index: Index, sold: dict[str, int] | None = None) -> list[str]:
    scores: dict[int, float] = {}
    for typed in WORD.findall(text.lower()):
        for word in index.words():
            far = distance(typed, word, MOST_WRONG)
            if far <= MOST_WRONG:
                for place in index.places(word):
                    scores[place] = scores.get(place, 0) + 1 / (1 + far)
    sales = sold or {}
    best = sorted(scores, key=lambda place: (-scores[place], -sales.get(index.names[place], 0)))
    return [index.names[place] for place in best]


def meant(text: str, index: Index) -> str | None:
    """`did you mean …`: the nearest word, if what was typed is none."""
    words = index.words()
    if not text or text.lower() in words:
        return None
    nearest = min(words, key=lambda word: distance(text.lower(), word, MOST_WRONG), default=None)
    return nearest if nearest and distance(text.lower(), nearest) <= MOST_WRONG else None
'''
TEST_SEARCH = """\
import unittest

from shop.search.index import Index
from shop.search.ranking import found, meant

NAMES = ["Green tea", "Black tea", "Tea cup", "Cake plate"]


class SearchTest(unittest.TestCase):
    def test_a_typo_is_forgiven(self):
        self.assertEqual(found("grene", Index(NAMES)), ["Green tea"])

    def test_what_sells_comes_first(self):
        self.assertEqual(found("tea", Index(NAMES), {"Black tea": 9})[0], "Black tea")

    def test_the_nearest_word_is_offered(self):
        self.assertEqual(meant("plaet", Index(NAMES)), "plate")
"""
MIGRATION = """\
CREATE TABLE orders_new (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  customer TEXT NOT NULL,
  total INTEGER NOT NULL CHECK (total >= 0),
  placed_at TIMESTAMPTZ NOT NULL DEFAULT now()
);
INSERT INTO orders_new (customer, total) SELECT customer, total FROM orders;
"""
BETTER_PRODUCT = """\
<article class="product" aria-labelledby="name">
  <h1 id="name">{{ article.name }}</h1>
  <img src="{{ article.image }}" alt="{{ article.alt }}">
  <p class="price">{{ article.price }} <small>incl. VAT</small></p>
  <form method="post" action="/cart">
    <button name="article" value="{{ article.id }}">Add to cart</button>
  </form>
</article>
"""
BASE = """\
<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>{% block title %}Tea &amp; Cups{% endblock %}</title>
  <link rel="stylesheet" href="/static/shop.css">
</head>
<body>
  <a class="skip" href="#main">Skip to the content</a>
  <header><a href="/">Tea &amp; Cups</a></header>
  <nav aria-label="Departments">{{ departments }}</nav>
  <main id="main">{% block main %}{% endblock %}</main>
  <footer><a href="/imprint">Imprint</a></footer>
</body>
</html>
"""
TEST_PAGES = """\
import pathlib
import unittest

PAGES = pathlib.Path(__file__).parent.parent / "templates"


class PagesTest(unittest.TestCase):
    def test_every_picture_has_an_alternative_text(self):
        for page in PAGES.glob("*.html"):
            text = page.read_text()
            self.assertEqual(text.count("<img"), text.count("alt="), page.name)

    def test_there_is_one_main_landmark(self):
        self.assertEqual((PAGES / "base.html").read_text().count("<main"), 1)
"""
PAYMENT = '''\
"""Payments: every provider looks the same from here."""

from typing import Protocol


class Provider(Protocol):
    def charge(self, cents: int, token: str) -> str:
        """The receipt's number; raises `Declined`."""
'''
SIGNED = '''\
"""What providers tell us later, believed only if they signed it lately."""

import hashlib
import hmac

MOST_SECONDS = 300


def is_signed(body: bytes, moment: int, signature: str, secret: bytes, now: int) -> bool:
    if not 0 <= now - moment <= MOST_SECONDS:
        return False
    expected = hmac.new(secret, b"%d." % moment + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, signature)
'''
TEST_SIGNED = """\
import hashlib
import hmac
import unittest

from shop.payment.signed import is_signed

GOOD = hmac.new(b"secret", b"100.paid", hashlib.sha256).hexdigest()


class SignedTest(unittest.TestCase):
    def test_a_good_signature_is_believed(self):
        self.assertTrue(is_signed(b"paid", 100, GOOD, b"secret", now=160))

    def test_an_old_one_is_not(self):
        self.assertFalse(is_signed(b"paid", 100, GOOD, b"secret", now=460))
"""
