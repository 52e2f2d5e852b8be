"""Markdown as people write decisions and notes in it, as HTML. Everything is escaped, also HTML in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from markupsafe import Markup, escape

HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")
FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})\s*(.*?)\s*$")
BULLET = re.compile(r"(\s*)[-*+]\s+(.*)$")
NUMBERED = re.compile(r"(\s*)\d{1,9}[.)]\s+(.*)$")
QUOTE = re.compile(r"\s{0,3}>\s?(.*)$")
RULE = re.compile(r"\s{0,3}([-*_])(?:\s*\1){2,}\s*$")
ROW = re.compile(r"\s*\|.*\|\s*$")
INLINE = re.compile(
    r"\\(?P<literal>[!-/:-@\[-`{-~])|&(?P<entity>lt|gt|amp|quot);"
    r"|(?P<code>(?P<ticks>`{1,2})(?P<inside>.+?)(?P=ticks)(?!`))"
    r"|\*\*(?P<bold>\S(?:.*?\S)?)\*\*"
    r"|(?<![\w*])\*(?P<italic>[^\s*](?:[^*]*[^\s*])?)\*(?![\w*])"
    r"|(?<!\w)_(?P<low>[^\s_](?:[^_]*[^\s_])?)_(?!\w)"
    r"|\[(?P<named>\d{8}T\d{6}\.\d{3}Z-[0-9A-F]{4})\]\([^()\s]+\)"
    r"|\[(?P<text>[^\]\[]+)\]\((?P<address>[^()\s]+)\)"
    r"|(?P<bare>https?://[^\s<>()]+[^\s<>().,;:!?'\"])"
    r"|(?P<uid>\b\d{8}T\d{6}\.\d{3}Z-[0-9A-F]{4}\b)"
)
ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"'}
WEB = ("https://", "http://")
LONGEST = 2_000  # characters of a line; a longer one is text as it is
MOST_CHARACTERS = 200_000
MOST_DEPTH = 6  # of what is inside of what, on one line
HIGHEST = 2  # the page has its own first heading
LOWEST = 6
BR = Markup("<br>")


def rendered(text: str) -> Markup:
    shown = text[:MOST_CHARACTERS]
    blocks = [*Blocks(_without_comments(shown).splitlines()).all()]
    if len(shown) < len(text):
        blocks.append(Markup('<p class="sub">and {} more characters</p>').format(len(text) - len(shown)))
    return Markup("\n").join(blocks)


def _without_comments(text: str) -> str:
    first, *rest = text.split("<!--")
    kept = [first]
    for part in rest:
        _, end, after = part.partition("-->")
        kept.append(after if end else f"<!--{part}")
    return "".join(kept)


class Blocks:
    """The blocks of a document, one after the other."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0
        self._level = HIGHEST - 1

    def all(self) -> Iterator[Markup]:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if not line.strip():
                self._at += 1
            elif len(line) > LONGEST:
                self._at += 1
                yield Markup("<p>{}</p>").format(line)
            elif match := FENCE.match(line):
                yield self._code(match)
            elif match := HEADING.match(line):
                yield self._heading(match)
            elif RULE.match(line):
                self._at += 1
                yield Markup("<hr>")
            elif BULLET.match(line) or NUMBERED.match(line):
                yield self._list()
            elif QUOTE.match(line):
                said = self._while(QUOTE.match)
                yield Markup("<blockquote>{}</blockquote>").format(BR.join(inline(m[1]) for m in said))
            elif ROW.match(line):
                rows = self._while(ROW.match)
                yield Markup('<pre tabindex="0">{}</pre>').format("\n".join(match[0] for match in rows))
            else:
                yield self._paragraph()

    def _has_line(self) -> bool:
        return self._at < len(self._lines) and len(self._lines[self._at]) <= LONGEST

    def _while(self, matching: Callable[[str], re.Match[str] | None]) -> list[re.Match[str]]:
        found = []
        while self._has_line() and (match := matching(self._lines[self._at])):
            found.append(match)
            self._at += 1
        return found

    def _heading(self, match: re.Match[str]) -> Markup:
        """No level is left out, whatever the text does."""
        self._at += 1
        self._level = min(len(match[1]) + HIGHEST - 1, self._level + 1, LOWEST)
        tag = f"h{self._level}"
        return Markup("<{}>{}</{}>").format(tag, inline(match[2]), tag)

    def _code(self, match: re.Match[str]) -> Markup:
        mark, language = match[1], match[2]
        self._at += 1
        inside = []
        while self._at < len(self._lines) and not self._lines[self._at].strip().startswith(mark):
            inside.append(self._lines[self._at])
            self._at += 1
        self._at += 1
        code = Markup('<pre tabindex="0"><code>{}</code></pre>').format("\n".join(inside))
        if "deedlog" in language:  # for programs: people find it when they look for it
            return Markup("<details><summary>{}</summary>{}</details>").format(language, code)
        return code

    def _list(self) -> Markup:
        """Flat: how far an item is inside is a class."""
        numbered = NUMBERED.match(self._lines[self._at]) is not None
        form = NUMBERED if numbered else BULLET
        items = []
        while self._has_line() and (match := form.match(self._lines[self._at])):
            self._at += 1
            said = [match[2], *self._continued()]
            deep = min(len(match[1].expandtabs(4)) // 2, 3)
            items.append(Markup('<li class="deep{}">{}</li>').format(deep, inline(" ".join(said))))
        tag = "ol" if numbered else "ul"
        return Markup("<{}>{}</{}>").format(tag, Markup("").join(items), tag)

    def _continued(self) -> list[str]:
        said = []
        while self._has_line():
            line = self._lines[self._at]
            if not line.startswith("  ") or not line.strip() or BULLET.match(line) or NUMBERED.match(line):
                break
            said.append(line.strip())
            self._at += 1
        return said

    def _paragraph(self) -> Markup:
        said = [self._lines[self._at]]
        self._at += 1
        while self._has_line() and not self._is_other(self._lines[self._at]):
            said.append(self._lines[self._at])
            self._at += 1
        return Markup("<p>{}</p>").format(BR.join(inline(line.strip()) for line in said))

    @staticmethod
    def _is_other(line: str) -> bool:
        forms = (HEADING, FENCE, BULLET, NUMBERED, QUOTE, ROW)
        return not line.strip() or any(form.match(line) for form in forms)


def inline(text: str, depth: int = 0) -> Markup:
    """One line: code, bold, italic and links; the UID of an ADR is a link to it."""
    if depth == MOST_DEPTH or len(text) > 2 * LONGEST:
        return escape(text)
    pieces, at = [], 0
    for match in INLINE.finditer(text):
        pieces += [escape(text[at : match.start()]), _marked(match, depth + 1)]
        at = match.end()
    return Markup("").join([*pieces, escape(text[at:])])


def _marked(match: re.Match[str], depth: int) -> Markup:
    if (literal := match["literal"] or ENTITIES.get(match["entity"] or "")) is not None:
        return escape(literal)
    if match["code"] is not None:
        return Markup("<code>{}</code>").format(match["inside"].strip())
    if match["bold"] is not None:
        return Markup("<b>{}</b>").format(inline(match["bold"], depth))
    if (said := match["italic"] or match["low"]) is not None:
        return Markup("<em>{}</em>").format(inline(said, depth))
    if (uid := match["uid"] or match["named"]) is not None:
        return Markup('<a class="mono" href="/decision/{}">{}</a>').format(uid, uid)
    if match["bare"] is not None:
        return _link(match["bare"], escape(match["bare"]))
    if match["address"].startswith(WEB):
        return _link(match["address"], inline(match["text"], depth))
    return escape(match[0])


def _link(address: str, text: Markup) -> Markup:
    return Markup('<a href="{}" rel="noopener noreferrer nofollow">{}</a>').format(address, text)
