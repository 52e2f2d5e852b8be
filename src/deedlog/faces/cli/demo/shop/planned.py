"""What is planned for the shop: a backlog, and the tasks of the workflow that runs."""

from __future__ import annotations

from deedlog.faces.cli.demo.shop.people import MIRA

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.faces.cli.demo.shop.people import Team

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


class Plan:
    """Tasks that are added one after the other; their numbers by title."""

    def __init__(self, team: Team) -> None:
        self._team = team
        self.tasks: dict[str, int] = {}

    def add(self, title: str, description: str, **more: Any) -> None:
        self._team.clock.turn(0.2)
        self.tasks[title] = self._team.call(MIRA, "task_create", title=title, description=description, **more)["id"]


def backlog_was_filled(plan: Plan, pages: str) -> None:
    add = plan.add
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


def cards_were_planned(plan: Plan, workflow: str) -> None:
    add, made = plan.add, plan.tasks
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
