"""The shop's repository as it was before the agents came: a small web shop in Python, with tests that run."""

from __future__ import annotations

CART = '''\
"""What a customer is about to buy."""

from dataclasses import dataclass, field

from shop.prices import Price


@dataclass
class Cart:
    lines: dict[str, int] = field(default_factory=dict)

    def add(self, article: str, count: int = 1) -> None:
        self.lines[article] = self.lines.get(article, 0) + count

    def remove(self, article: str) -> None:
        self.lines.pop(article, None)

    def total(self, prices: dict[str, Price]) -> int:
        return sum(prices[article].cents * count for article, count in self.lines.items())
'''
PRICES = '''\
"""Prices, in cents: money is never a float."""

from dataclasses import dataclass

VAT = {"standard": 19, "reduced": 7}


@dataclass(frozen=True)
class Price:
    cents: int
    rate: str = "standard"

    def tax(self) -> int:
        return round(self.cents * VAT[self.rate] / (100 + VAT[self.rate]))

    def shown(self) -> str:
        return f"{self.cents // 100},{self.cents % 100:02d} €"
'''
SEARCH = '''\
"""Find articles by what people type."""


def found(text: str, names: list[str]) -> list[str]:
    return [name for name in names if text.lower() in name.lower()]
'''
CHECKOUT = '''\
"""From a cart to an order."""

from shop.cart import Cart
from shop.prices import Price


class Declined(Exception):
    """The payment did not go through."""


def order(cart: Cart, prices: dict[str, Price], pay) -> dict:
    if not cart.lines:
        raise ValueError("the cart is empty")
    receipt = pay(cart.total(prices))
    return {"lines": dict(cart.lines), "total": cart.total(prices), "receipt": receipt}
'''
MAIL = '''\
"""What customers are told by mail."""

GREETING = "Hello"


def confirmation(name: str, total: str) -> str:
    return f"{GREETING} {name},\\n\\nthank you for your order of {total}.\\n\\nYour shop\\n"
'''
PRODUCT = """\
<div class="product">
  <div class="title">{{ article.name }}</div>
  <img src="{{ article.image }}">
  <div class="price">{{ article.price }}</div>
  <div class="buy" onclick="buy('{{ article.id }}')">Add to cart</div>
</div>
"""
CSS = """\
.product { display: grid; gap: 12px; }
.product .title { font-size: 22px; color: #999; }
.product .price { color: #c33; }
.buy { background: #06c; color: #fff; padding: 8px; }
"""
TEST_CART = """\
import unittest

from shop.cart import Cart
from shop.prices import Price


class CartTest(unittest.TestCase):
    def test_the_total_is_the_sum_of_all_lines(self):
        cart = Cart()
        cart.add("tea", 2)
        cart.add("cup")
        self.assertEqual(cart.total({"tea": Price(450), "cup": Price(1200)}), 2100)

    def test_what_is_removed_is_not_paid(self):
        cart = Cart({"tea": 1})
        cart.remove("tea")
        self.assertEqual(cart.total({}), 0)


if __name__ == "__main__":
    unittest.main()
"""
FILES = {
    ".gitignore": "__pycache__/\n",
    "README.md": "# Tea & Cups\n\nA small web shop. `python3 -m unittest` runs its tests.\n",
    "pyproject.toml": '[project]\nname = "shop"\nversion = "1.4.0"\ndependencies = ["flask>=3"]\n',
    "shop/__init__.py": "",
    "shop/cart.py": CART,
    "shop/prices.py": PRICES,
    "shop/search.py": SEARCH,
    "shop/checkout.py": CHECKOUT,
    "shop/mail.py": MAIL,
    "templates/product.html": PRODUCT,
    "static/shop.css": CSS,
    "migrations/0001_orders.sql": (
        "CREATE TABLE orders (\n  id INTEGER PRIMARY KEY,\n  customer TEXT NOT NULL,\n  total INTEGER NOT NULL\n);\n"
    ),
    "tests/__init__.py": "",
    "tests/test_cart.py": TEST_CART,
}
CONFIGURATION = """\
max_workers = 8
lease = 900
clarify_idle = 1440
enable = ["plan-lifecycle", "cancellation"]

[checks]
tests = ["python3", "-m", "unittest", "--quiet"]

[areas]
payment = ["shop/checkout.py", "shop/payment/", "tests/test_payment*.py"]
search = ["shop/search/", "shop/search.py", "tests/test_search*.py"]
pages = ["templates/", "static/"]
"""
