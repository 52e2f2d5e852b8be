"""What the content policy would refuse in a browser, and what would let foreign text be markup, fails here already."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent.parent / "src/deedlog/faces/web/page"
REPORT = "report.html"  # a file of its own, opened without a server: its styles are in it
TEMPLATES = sorted(path for path in PAGE.rglob("templates/**/*.html") if path.name != REPORT)
SCRIPTS = sorted(path for path in PAGE.rglob("static/*.js"))
STYLES = sorted(path for path in PAGE.rglob("static/*.css"))
FORBIDDEN_IN_TEMPLATES = {
    "a style attribute": r"<[^>]*\sstyle\s*=",
    "a style element": r"<style\b",
    "an inline script": r"<script(?![^>]*\bsrc=)",
    "an event attribute": r"<[^>]*\son[a-z]+\s*=\s*[\"']",
    "a javascript: address": r"javascript:",
    "an address elsewhere": r"(?:href|src|action)\s*=\s*[\"']?(?:https?:)?//",
    "text that is not escaped": r"\|\s*safe\b|\bautoescape\b|\bMarkup\b",
    "an attribute without quotes around a value": r"<[^>{]*\s[\w-]+=\{\{",
    "a frame, an object or a form that leaves": r"<(?:iframe|object|embed|base)\b",
}
FORBIDDEN_IN_SCRIPTS = {
    "code made of text": r"\beval\(|\bnew Function\b|set(?:Timeout|Interval)\(\s*[\"'`]",
    "markup made of text": r"\bouterHTML\s*=|\binsertAdjacentHTML\b|\bdocument\.write|createContextualFragment",
    "an address elsewhere": r"[\"'`](?:https?:)?//(?!www\.w3\.org/)\w",
}
FILLS = re.compile(r"\binnerHTML\s*=(?!=)\s*(?!\"\")")
MAY_FILL = ("parts.js", "diff.js", "events.js", "log.js")  # with what this server rendered


def found(path: Path, forbidden: dict[str, str]) -> list[str]:
    text = path.read_text()
    return [
        f"{path.name}: {what}: {hit[0]!r}" for what, pattern in forbidden.items() for hit in re.finditer(pattern, text)
    ]


@pytest.mark.proves("page:text:escaped")
def test_templates_have_nothing_inline_and_escape_everything() -> None:
    assert TEMPLATES
    assert [line for path in TEMPLATES for line in found(path, FORBIDDEN_IN_TEMPLATES)] == []


@pytest.mark.proves("page:text:escaped")
def test_scripts_make_neither_code_nor_markup_of_text_and_ask_nobody_else() -> None:
    assert SCRIPTS
    assert [line for path in SCRIPTS for line in found(path, FORBIDDEN_IN_SCRIPTS)] == []


@pytest.mark.proves("page:text:escaped")
def test_only_what_this_server_rendered_is_put_into_a_page() -> None:
    filling = [path.name for path in SCRIPTS if path.name not in MAY_FILL and FILLS.search(path.read_text())]
    assert filling == []


def test_styles_ask_for_nothing_elsewhere() -> None:
    elsewhere = re.compile(r"@import|url\(\s*[\"']?(?:https?:)?//")
    assert [path.name for path in STYLES if elsewhere.search(path.read_text())] == []


def test_markup_is_never_made_of_a_text_with_values_in_it() -> None:
    """`Markup(f"…{value}…")` would not escape the value; `Markup("…{}…").format(value)` does."""
    made = re.compile(r"\bMarkup\(\s*(?:f|rf|fr)[\"']|\bMarkup\([^)\n]*\+|\bMarkup\([^)\n]*%")
    files = sorted(PAGE.rglob("*.py"))
    assert [f"{path.name}: {hit[0]!r}" for path in files for hit in made.finditer(path.read_text())] == []
