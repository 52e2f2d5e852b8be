"""What happened in the shop today: decisions, a plan, and work that waits for a person."""

from __future__ import annotations

import sys

from deedlog.faces.cli.demo.shop import hand
from deedlog.faces.cli.demo.shop.people import CLAUDE, CODEX, MIRA, Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.faces.cli.demo.shop.people import Team

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
MEMORY = (
    (
        "money-in-cents",
        "rule",
        "Money is counted in cents",
        "Prices and totals are integers; only `shown` makes text of them.",
    ),
    ("no-card-numbers", "rule", "Card numbers never reach us", "Only the provider's token is stored, never a number."),
    (
        "tests-beside",
        "convention",
        "Every change brings its test",
        "Tests are sentences, in tests/, run by `python3 -m unittest`.",
    ),
    ("plain-templates", "architecture", "Pages work without scripts", "Forms post; scripts only make it nicer."),
    ("one-migration", "tooling", "One migration per change", "Numbered files in migrations/, never edited afterwards."),
)
BACKLOG: tuple[tuple[str, str, str, str, str], ...] = (  # title, description, priority, type, labels
    (
        "Show delivery dates",
        "Customers want to know when it arrives, before they pay.",
        "high",
        "feature",
        "checkout,ux",
    ),
    ("Gift cards", "Buy, send and redeem them.", "low", "feature", "checkout"),
    ("Round taxes per line", "The tax office rounds per line, we round the total.", "high", "bug", "money"),
    ("Remember what was looked at", "The last ten articles, in the browser only.", "medium", "feature", "ux"),
    ("Split the style sheet", "One file per page, so that first views are light.", "low", "refactor", "pages"),
)


def team_is_set_up(team: Team, desk: str) -> None:
    command = [sys.executable, hand.__file__, "{prompt_file}", "{task_id}", "{session_id}", desk]
    for name, what, write in (
        ("builder", "Writes the shop's code", ["**/*"]),
        ("page-maker", "Makes pages and styles", ["templates/**", "static/**", "docs/**"]),
    ):
        team.call(
            MIRA,
            "agent_create",
            name=name,
            description=what,
            command=command,
            model="scripted",
            scope={"read": ["**/*"], "write": write, "exclude": []},
            promptContent=f"{what}. Keep the rules of the memory bank.",
            budget={"cost": 5, "minutes": 30},
        )
    for name, category, title, summary in MEMORY:
        team.clock.turn(1)
        team.call(
            MIRA,
            "memory_add",
            id=name,
            category=category,
            title=title,
            summary=summary,
            status="active",
            content=f"# {title}\n\n{summary}\n",
        )


def decisions_were_made(team: Team) -> None:
    """Two records, of which the second supersedes part of the first."""
    _clarified(team, "Add authentication", {"auth_strategy": "Email/Password"})
    team.clock.turn(95)
    _clarified(team, "Replace passwords by magic links for authentication", {"auth_strategy": "Magic Links"})
    team.clock.turn(30)
    _clarified(team, "Accept payments with Stripe", {})


def _clarified(team: Team, request: str, answers: dict[str, str]) -> None:
    asked = team.call(MIRA, "require_clarification", user_intention=request)
    while asked["status"] == "needs_clarification":
        team.clock.turn(3)
        said = {row["id"]: answers.get(row["id"], row.get("recommended", "skip")) for row in asked["questions"]}
        asked = team.call(
            MIRA, "require_clarification", user_intention=request, session_id=asked["session_id"], answers=said
        )
    team.commit(f"docs: {request[0].lower()}{request[1:]}", author="Mira")


def cards_were_begun(team: Team) -> str:
    """The workflow that workers go on with: its first task is done."""
    workflow = team.workflow(
        CLAUDE, "Checkout with saved cards", "Whoever bought once pays with one click, and we store no card number."
    )
    work = Work(
        team, workflow, "Look behind one door for all providers", "Stripe and PayPal are used alike", areas=["payment"]
    )
    work.after(6).milestone("Reading the checkout", 25).write("shop/payment/__init__.py", PAYMENT)
    decision = work.decide(
        "architecture",
        "How are providers told apart?",
        "One protocol, one module each",
        "A provider is a file: added and removed without touching the checkout",
        "One protocol, one module each",
        "A class hierarchy",
        "A library such as django-payments",
    )
    work.edit(
        "shop/checkout.py",
        ("receipt = pay(cart.total(prices))", "receipt = provider.charge(cart.total(prices), token)"),
        ("prices: dict[str, Price], pay)", "prices: dict[str, Price], provider: Provider, token: str)"),
        ("from shop.cart import Cart\n", "from shop.cart import Cart\nfrom shop.payment import Provider\n"),
    )
    work.after(18).milestone("The checkout knows providers only", 90).after(4).commit(
        "payment: one door for all providers"
    )
    work.complete(
        "The checkout charges any provider behind one protocol.",
        achievements=["No provider is named in the checkout"],
        metadata={"tests_status": "passed", "packages_added": ["stripe"]},
    )
    team.call(MIRA, "adr_promote", decision_id=decision, title="Providers are modules behind one protocol")
    team.commit("docs: providers are modules", author="Mira")
    return workflow


def pages_wait_for_people(team: Team) -> str:
    """Work with questions: a review, a scope that was left, an issue."""
    workflow = team.workflow(
        CLAUDE, "Accessible product pages", "Everybody can buy, with a keyboard and with a screen reader."
    )
    page = Work(
        team,
        workflow,
        "Headings and landmarks",
        "A screen reader finds its way on every product page",
        areas=["pages", "tests/test_pages.py"],
    )
    page.after(5).milestone("Listening to the page", 30).write("templates/product.html", BETTER_PRODUCT)
    page.write("templates/base.html", BASE).write("tests/test_pages.py", TEST_PAGES)
    page.edit("static/shop.css", (".product .title {", ".product h1 {"), (".buy {", "button {"))
    page.decide(
        "trade_off",
        "Keep the price above the button?",
        "Yes",
        "It is read before the button, as it should be",
        "Yes",
        "No",
    )
    page.after(13).milestone("Headings, landmarks, alternative texts", 85).commit("pages: headings and landmarks")
    page.complete(
        "Product pages have headings, landmarks and alternative texts.",
        achievements=["axe finds nothing"],
        limitations=["Alternative texts are the articles' names"],
        manual_review_needed=True,
        manual_review_reason="Alternative texts repeat the name of the article: who writes better ones?",
    )
    team.clock.turn(22)
    contrast = Work(
        team,
        workflow,
        "Enough contrast",
        "Text stands out from its background everywhere",
        areas=["static/**"],
        actor=CODEX,
    )
    contrast.edit("static/shop.css", ("#999", "#555"), ("#c33", "#a11"), ("#06c", "#0550ae")).after(4)
    contrast.edit("shop/prices.py", ('{self.cents % 100:02d} €"', '{self.cents % 100:02d}\\u202f€"')).after(3)
    contrast.meet(
        "unclear_requirement", "Is the brand's red allowed to be darker?", "Darkened by a quarter", review=True
    )
    contrast.commit("pages: enough contrast").complete(
        "All text has a contrast of at least 4.5.", achievements=["WCAG AA"]
    )
    return workflow


def plan_was_made(team: Team, workflow: str, pages: str) -> dict[str, int]:
    """The tasks of the running workflow and the backlog; returns the numbers by title."""
    made: dict[str, int] = {}

    def add(title: str, description: str, **more: Any) -> None:
        team.clock.turn(0.5)
        made[title] = team.call(MIRA, "task_create", title=title, description=description, **more)["id"]

    cards: Any = {"workflowId": workflow, "assignee": "builder", "type": "feature"}
    add(
        "Store the provider's token",
        "A table for tokens, by customer; never a card number.",
        priority="critical",
        labels="money,security",
        **cards,
    )
    add("Warn about old cards", "A month before a card expires, by mail.", labels="mail", **cards)
    add(
        "Ask before a card is kept",
        "A box that is not ticked by default, and a sentence why.",
        labels="ux,privacy",
        **{**cards, "assignee": "page-maker"},
    )
    add(
        "Charge a stored card",
        "One click, with the provider's token.",
        priority="high",
        labels="money",
        dependsOn=[made["Store the provider's token"]],
        **cards,
    )
    add(
        "Forget a card",
        "Customers remove it themselves, at once.",
        labels="privacy",
        dependsOn=[made["Store the provider's token"]],
        **cards,
    )
    add(
        "Tell what was paid with",
        "In the mail and on the order's page.",
        dependsOn=[made["Charge a stored card"], made["Ask before a card is kept"]],
        **{**cards, "assignee": "page-maker"},
    )
    add(
        "Focus that can be seen",
        "Whoever uses the keyboard sees where they are.",
        workflowId=pages,
        assignee="page-maker",
        labels="ux,a11y",
    )
    add("Greet by name", "Mails greet people by their first name.", assignee="builder", labels="mail")
    add("Greet politely", "Mails greet with “Good day”.", assignee="builder", labels="mail")
    add(
        "Count in other currencies",
        "Prices in CHF and SEK.",
        assignee="builder",
        type="feature",
        labels="money",
        priority="high",
    )
    add(
        "Translate the shop",
        "Into French, with the words of our glossary.",
        assignee="builder",
        type="feature",
        labels="ux",
        budget={"cost": 0.5},
    )
    add(
        "Shrink the pictures",
        "Try two ways: which one is smaller at the same quality?",
        assignee="page-maker",
        labels="pages,speed",
    )
    add("Import the price list", "From the supplier's spreadsheet.", assignee="builder", labels="money")
    for title, description, priority, kind, labels in BACKLOG:
        add(title, description, priority=priority, type=kind, labels=labels)
    return made


def somebody_left_a_task(team: Team, title: str) -> None:
    """Claimed, and not heard of since."""
    number = next(row["id"] for row in team.call(MIRA, "task_list")["tasks"] if row["title"] == title)
    team.call(MIRA, "task_update", id=number, assignee=CODEX)
    team.call(CODEX, "task_next", assignee=CODEX)


def a_question_is_open(team: Team) -> None:
    team.call(MIRA, "require_clarification", user_intention="Send notifications when an order is shipped")
