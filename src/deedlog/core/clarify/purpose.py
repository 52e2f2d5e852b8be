"""What a technology is taken for, where it can be used for several things: "Supabase for auth", "the backend in Go"."""

from __future__ import annotations

import re

from deedlog.core.clarify.reading import NOUN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.clarify.lexicon import Lexicon, Technology
    from deedlog.core.clarify.reading import Reading, Span

_FOR = re.compile(
    r"\s+(?:for|as|to handle|to do|handles|does|pour|comme|pour gerer|pour faire|gere)\s+(?:[\w'-]+\s+){0,3}"
)
_BEFORE = re.compile(
    r"\s+(?:with|via|using|through|by|on|in|onto|avec|via|par|sur|sous|en)\s+(?:an?\s+|une?\s+)?|\s*:\s*"
)
_LANGUAGE, _RUNTIME = "Backend.Language", "Runtime.Version"
_SESSIONS = "Authentication.Session_Storage"
_OF_SESSIONS = re.compile(r"\bsessions?\b|セッション")
_CACHING = re.compile(r"\bcach|\bmise en cache|キャッシュ")


def for_purpose(reading: Reading, technology: Technology, span: Span, lexicon: Lexicon, *, version: bool) -> Technology:
    """The technology as what it is taken for, if it can be that."""
    start, end = span
    if technology.key == _RUNTIME and not version and _LANGUAGE in technology.serves:
        return _as(technology, _LANGUAGE)
    text = reading.text.text
    clause = text[slice(*reading.clause_at(start))]
    if _SESSIONS in technology.serves and _OF_SESSIONS.search(clause) and not _CACHING.search(clause):
        return _as(technology, _SESSIONS)
    for hit in reading.topics:
        topic = lexicon.topics[int(hit.tag[len(NOUN) :])]
        key = next((one for one in technology.serves if one.partition(".")[0] == topic.area), "")
        after = hit.start >= end and _FOR.fullmatch(text, end, hit.start)
        before = hit.end <= start and _BEFORE.fullmatch(text, hit.end, start)
        if key and topic.area != technology.area and (after or before):
            return _as(technology, key)
    return technology


def _as(technology: Technology, key: str) -> Technology:
    area, _, field = key.partition(".")
    return technology.replace(area=area, field=field)
