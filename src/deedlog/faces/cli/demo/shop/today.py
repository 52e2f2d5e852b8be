"""What happened in the shop today: decisions, a plan, and work that waits for a person."""

from __future__ import annotations

import sys

from deedlog.faces.cli.demo.shop import hand, writings
from deedlog.faces.cli.demo.shop.people import CLAUDE, CODEX, MIRA, Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.faces.cli.demo.shop.people import Team

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


def team_is_set_up(team: Team) -> None:
    command = [sys.executable, hand.__file__, "{prompt_file}", "{task_id}", "{session_id}"]
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
        CLAUDE,
        "Checkout with saved cards",
        "Whoever bought once pays with one click, and we store no card number.",
        ("One door for all providers", "The checkout names no provider"),
        ("Keep and charge tokens", "A customer who agreed pays with one click"),
        ("Let people decide", "Cards are kept only for those who ask, and forgotten at once"),
    )
    work = Work(
        team, workflow, "Look behind one door for all providers", "Stripe and PayPal are used alike", areas=["payment"]
    )
    work.after(6).milestone("Reading the checkout", 25).write("shop/payment/__init__.py", writings.PAYMENT)
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
    team.clock.turn(1)
    signed = Work(
        team, workflow, "Believe only what is signed", "What providers tell us later is checked", areas=["payment"]
    )
    signed.after(2).milestone("Reading what Stripe signs", 30)
    signed.write("shop/payment/signed.py", writings.SIGNED).write(
        "tests/test_payment_signed.py", writings.TEST_SIGNED
    ).after(3)
    signed.meet("documentation_gap", "Stripe's signature has a moment in it", "Older than five minutes is refused")
    signed.milestone("Tests pass", 90).after(2).commit("payment: believe only what is signed")
    signed.complete("Messages of providers are checked by their signature.", metadata={"tests_status": "passed"})
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
    page.after(5).milestone("Listening to the page", 30).write("templates/product.html", writings.BETTER_PRODUCT)
    page.write("templates/base.html", writings.BASE).write("tests/test_pages.py", writings.TEST_PAGES)
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


def somebody_left_a_task(team: Team, title: str) -> None:
    """Claimed, and not heard of since."""
    number = next(row["id"] for row in team.call(MIRA, "task_list")["tasks"] if row["title"] == title)
    team.call(MIRA, "task_update", id=number, assignee=CODEX)
    team.call(CODEX, "task_next", assignee=CODEX)


def a_question_is_open(team: Team) -> None:
    team.call(MIRA, "require_clarification", user_intention="Send notifications when an order is shipped")
