"""What a page says, as a tree: found by the simplest selectors, `main li.done a[href]`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Self

VOID = ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
STEP = re.compile(r"([\w-]+)|#([\w-]+)|\.([\w-]+)|\[([\w-]+)(?:=\"?([^\]\"]*)\"?)?\]")


class Element:
    def __init__(self, tag: str, attributes: dict[str, str], parent: Element | None = None) -> None:
        self.tag = tag
        self.attributes = attributes
        self.parent = parent
        self.children: list[Element | str] = []

    def __getitem__(self, name: str) -> str:
        return self.attributes[name]

    def __contains__(self, name: str) -> bool:
        return name in self.attributes

    @property
    def text(self) -> str:
        """Its text as people read it: one space where there are many."""
        return " ".join("".join(self._texts()).split())

    def _texts(self) -> Iterator[str]:
        for child in self.children:
            if isinstance(child, str):
                yield child
            else:
                yield from child._texts()

    def __iter__(self) -> Iterator[Element]:
        """Every element inside, in order."""
        for child in self.children:
            if isinstance(child, Element):
                yield child
                yield from child

    def all(self, selector: str) -> list[Element]:
        return [element for element in self if element.matches(selector.split())]

    def one(self, selector: str) -> Element:
        found = self.all(selector)
        assert len(found) == 1, f"{len(found)} of {selector!r}"
        return found[0]

    def matches(self, steps: list[str]) -> bool:
        *before, last = steps
        if not self._is(last):
            return False
        return not before or any(above.matches(before) for above in self._above())

    def _above(self) -> Iterator[Element]:
        above = self.parent
        while above is not None:
            yield above
            above = above.parent

    def _is(self, step: str) -> bool:
        for tag, name, style, attribute, value in STEP.findall(step):
            found = (
                (not tag or self.tag == tag)
                and (not name or self.attributes.get("id") == name)
                and (not style or style in self.attributes.get("class", "").split())
                and (not attribute or attribute in self.attributes)
                and (not value or self.attributes.get(attribute) == value)
            )
            if not found:
                return False
        return True


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = self._now = Element("", {})

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs}, self._now)
        self._now.children.append(element)
        if tag not in VOID:
            self._now = element

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._now.children.append(Element(tag, {name: value or "" for name, value in attrs}, self._now))

    def handle_endtag(self, tag: str) -> None:
        for element in (self._now, *self._now._above()):
            if element.tag == tag and element.parent is not None:
                self._now = element.parent
                return

    def handle_data(self, data: str) -> None:
        self._now.children.append(data)


class Html(Element):
    """A whole page or a part of one."""

    def __init__(self, source: str) -> None:
        super().__init__("", {})
        self.source = source
        reader = _Reader()
        reader.feed(source)
        reader.close()
        self.children = reader.root.children
        for child in self.children:
            if isinstance(child, Element):
                child.parent = self

    @classmethod
    def of(cls, body: bytes) -> Self:
        return cls(body.decode())
