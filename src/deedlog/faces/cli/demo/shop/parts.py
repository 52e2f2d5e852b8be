"""What the demo's agents do for each task. Their work is real: files are committed, and tested before a merge."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Part = list[tuple[Any, ...]]

TOKENS = '''\
"""The providers' tokens of customers who want to pay with one click. No card number is ever here."""

from dataclasses import dataclass, field


@dataclass
class Wallet:
    tokens: dict[str, str] = field(default_factory=dict)

    def keep(self, customer: str, token: str) -> None:
        if token.replace(" ", "").isdigit():
            raise ValueError("this is a card number, not a token")
        self.tokens[customer] = token

    def forget(self, customer: str) -> None:
        self.tokens.pop(customer, None)
'''
TEST_TOKENS = """\
import unittest

from shop.payment.wallet import Wallet


class WalletTest(unittest.TestCase):
    def test_a_card_number_is_refused(self):
        with self.assertRaises(ValueError):
            Wallet().keep("mira", "4242 4242 4242 4242")

    def test_a_token_is_kept(self):
        wallet = Wallet()
        wallet.keep("mira", "tok_1")
        self.assertEqual(wallet.tokens, {"mira": "tok_1"})
"""
CONSENT = """\
<fieldset>
  <legend>Pay faster next time?</legend>
  <label><input type="checkbox" name="keep"> Remember this card. We only keep the provider's token.</label>
</fieldset>
"""
REMINDERS = '''\
"""Who is told that a card expires soon."""

DAYS_BEFORE = 30


def due(days_left: dict[str, int]) -> list[str]:
    return sorted(name for name, days in days_left.items() if 0 <= days <= DAYS_BEFORE)
'''
FOCUS = """\
:focus-visible { outline: 3px solid #0550ae; outline-offset: 2px; }
"""
CURRENCIES = '''\
"""Prices in other currencies."""

RATES = {"EUR": 1.0, "CHF": 0.94, "SEK": 11.2}


def shown(cents: int, currency: str) -> str:
    return f"{cents * RATES[currency] / 100:.2f} {currency}"
'''
TEST_CURRENCIES = """\
import unittest

from shop.currency import shown


class CurrencyTest(unittest.TestCase):
    def test_francs_are_rounded_to_five_cents(self):
        self.assertEqual(shown(1999, "CHF"), "18.80 CHF")
"""
OK, DIM, BOLD, END = "\x1b[32m✓\x1b[0m", "\x1b[2m", "\x1b[1m", "\x1b[0m"
THOUGHTS = (
    "Reading shop/checkout.py and its tests.",
    "The provider's protocol has charge(cents, token): the token comes from the wallet.",
    f"{DIM}grep -rn 'charge' shop tests{END}",
    "shop/checkout.py:15:    receipt = provider.charge(cart.total(prices), token)",
    "What if the token was revoked at the provider's? Declined, and the customer is asked again.",
    f"{DIM}python3 -m unittest --quiet{END}",
    f"{OK} all tests pass",
    "Looking at what else calls order(): nothing but the web page.",
    f"{BOLD}Next:{END} the message that tells why a payment was declined.",
)
LIVE_ROUNDS = 30
PAUSE_SECONDS = 1.6
MILESTONE_EVERY = 6


def part(title: str, session: int, prompt: str) -> Part:
    steps = PICTURES[session % 2] if title == "Shrink the pictures" else PARTS.get(title) or again(title, session)
    heard = [("say", f"{BOLD}Heard:{END} {line}") for line in said_back(prompt)]
    return [("say", f"{BOLD}{title}{END}"), *heard, *(steps if steps is not None else plain(title))]


def said_back(prompt: str) -> list[str]:
    """What a person said about the last attempt, as far as the prompt has it."""
    _, _, rest = prompt.partition("## Feedback")
    return [line.strip("- ") for line in rest.partition("\n## ")[0].splitlines() if line.startswith("- ")]


def again(title: str, session: int) -> Part | None:
    """Work that comes back in each round, so each adds something of its own."""
    if title not in AGAIN:
        return None
    path, line, message = AGAIN[title]
    return long(("add", path, line.format(session=session)), ("commit", message))


def plain(title: str) -> Part:
    """For tasks that people add while they watch."""
    name = "".join(letter if letter.isalnum() else "-" for letter in title.lower()).strip("-")[:40] or "note"
    return [
        ("milestone", "Looking around", 20),
        ("wait", 2),
        ("write", f"docs/{name}.md", f"# {title}\n\nThis is how it will be done.\n"),
        ("commit", f"docs: {title}"),
        ("milestone", "Written down", 100),
        ("usage", 8_200, 640, 0.04),
    ]


def long(*work: tuple[Any, ...], rounds: int = LIVE_ROUNDS) -> Part:
    """Work that takes a while, so that there is something to watch."""
    steps: Part = [("milestone", "Reading what is there", 5)]
    for number in range(1, rounds + 1):
        steps += [("say", THOUGHTS[number % len(THOUGHTS)]), ("wait", PAUSE_SECONDS)]
        if number % MILESTONE_EVERY == 0:
            percent = 10 + 80 * number // rounds
            steps.append(
                (
                    "milestone",
                    ("Writing the code", "Running the tests", "Reading it again")[number // MILESTONE_EVERY % 3],
                    percent,
                )
            )
    return [*steps, *work, ("milestone", "All tests pass", 100), ("usage", 61_400, 5_230, 0.42)]


PICTURES: tuple[Part, Part] = (  # two attempts to choose from
    [
        ("write", "docs/pictures.md", "# Pictures\n\nAVIF at quality 50: 61 % smaller, slow to make.\n"),
        ("commit", "docs: pictures as AVIF"),
        ("usage", 7_400, 380, 0.03),
    ],
    [
        ("write", "docs/pictures.md", "# Pictures\n\nWebP at quality 80: 44 % smaller, everywhere.\n"),
        ("write", "static/pictures.css", "img { content-visibility: auto; }\n"),
        ("commit", "pages: pictures as WebP"),
        ("usage", 8_900, 610, 0.04),
    ],
)
AGAIN = {  # by title: the file, what is added to it, what the commit says
    "Measure first views": (
        "README.md",
        "\nMeasured by session {session}: first views in 0.6 s.\n",
        "docs: first views",
    ),
    "Load pictures late": ("templates/product.html", "<!-- late: picture {session} -->\n", "pages: pictures late"),
    "Fewer requests": ("static/shop.css", "/* in one file: part {session} */\n", "pages: one style sheet"),
}
PARTS: dict[str, Part] = {
    "Store the provider's token": long(
        ("decision", "Where is the token kept?", "In a table of its own", "It can be deleted without touching orders"),
        ("write", "shop/payment/wallet.py", TOKENS),
        ("write", "tests/test_payment_wallet.py", TEST_TOKENS),
        ("commit", "payment: the provider's token is kept, no card number ever is"),
        rounds=60,
    ),
    "Ask before a card is kept": long(
        ("write", "templates/consent.html", CONSENT), ("commit", "pages: ask before a card is kept"), rounds=90
    ),
    "Warn about old cards": long(
        ("write", "shop/reminders.py", REMINDERS),
        ("commit", "mail: warn about old cards"),
        rounds=75,
    ),
    "Charge a stored card": long(
        ("edit", "shop/checkout.py", "the cart is empty", "there is nothing in the cart"),
        ("commit", "payment: one click"),
    ),
    "Forget a card": long(
        ("write", "docs/forget-a-card.md", "# Forget a card\n\nOn the page of the account.\n"),
        ("commit", "docs: forget a card"),
    ),
    "Tell what was paid with": long(
        ("write", "templates/paid.html", "<p>Paid with {{ order.provider }}.</p>\n"),
        ("commit", "pages: what was paid with"),
    ),
    "Focus that can be seen": [
        ("say", "Adding an outline that both themes can bear."),
        ("write", "static/focus.css", FOCUS),
        ("commit", "pages: focus can be seen"),
        ("milestone", "Seen with the keyboard", 100),
        ("usage", 12_300, 910, 0.07),
    ],
    "Greet by name": [
        ("edit", "shop/mail.py", 'GREETING = "Hello"', 'GREETING = "Hi"'),
        ("commit", "mail: greet by name"),
        ("usage", 9_100, 420, 0.05),
    ],
    "Greet politely": [
        ("edit", "shop/mail.py", 'GREETING = "Hello"', 'GREETING = "Good day"'),
        ("commit", "mail: greet politely"),
        ("usage", 9_800, 515, 0.05),
    ],
    "Count in other currencies": [
        ("write", "shop/currency.py", CURRENCIES),
        ("write", "tests/test_currency.py", TEST_CURRENCIES),
        ("commit", "prices: other currencies"),
        ("usage", 18_700, 2_050, 0.14),
    ],
    "Translate the shop": [
        ("say", "Collecting all sentences of templates/."),
        ("write", "locale/fr.po", 'msgid "Add to cart"\nmsgstr "Ajouter au panier"\n'),
        ("milestone", "1 of 212 sentences", 1),
        ("usage", 96_000, 22_400, 0.61),
        ("wait", 120),
    ],
    "Import the price list": [
        ("say", "Looking for the supplier's spreadsheet."),
        ("say", "\x1b[31mTraceback (most recent call last):\x1b[0m"),
        ("say", '  File "shop/imports.py", line 4, in <module>'),
        ("say", "    import openpyxl"),
        ("say", "\x1b[31mModuleNotFoundError: No module named 'openpyxl'\x1b[0m"),
        ("end", 1),
    ],
}
