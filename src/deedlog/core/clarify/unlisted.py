"""Names of technologies that no list knows: written with a capital, after a word that says with what it is done."""

from __future__ import annotations

import re

from deedlog.core.clarify.acts import INTRODUCE, MIGRATE, REPLACE
from deedlog.core.clarify.moods import tells
from deedlog.core.clarify.reading import EN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.clarify.reading import Sentence, Span
    from deedlog.core.clarify.signals import Signals

_BY_MEANS = re.compile(
    r"(?<!\bcheck )(?<!\balign )(?<!\bagree )(?<!\bagreed )(?<!\bsync )(?<!\bspeak )(?<!\btogether )"
    r"(?<!\bwork )(?<!\bworks )"
    r"(?<!\btest )(?<!\bthis )(?<!\bcompatible )(?<!\bmeeting )(?<!\btalk )(?<!\bshare )(?<!\bdiscuss )"
    r"(?<!\bopen )(?<!\bvu )(?<!\bvois )(?<!\bvoir )(?<!\baccord )(?<!\bconvenu )(?<!\bvalide )"
    r"(?<!\bdiscute )(?<!\bparle )"
    r"\b(?:avec|via|sous|chez|grace a|through|using|with|abonnement|contrat|pass\w+ par|prestataire|fournisseur|"
    r"solution|outil|librairie|bibliotheque|lib|gem|crate|dependance|package|framework|service)\s+(?:chez\s+|"
    r"de\s+)?([a-z][\w.+#-]{2,})"
)
_TAKEN = re.compile(
    r"\b(?:prends?|prenons|prenez|(?:part|partons|partir|mise|misons) sur|opt\w+ pour|ret(?:iens|ient|"
    r"enons|enir)|utilis\w+|adopt\w+|"
    r"integr\w+|branch\w+|install\w+)\s+([a-z][\w.+#-]{2,})"
)
_LINKED = re.compile(
    r"\b(?:connect|reli|interfac|synchronis|branch|raccord)\w+\b[^,.;:]{0,40}\s(?:a|avec|sur|"
    r"et)\s+([a-z][\w.+#-]{2,})"
)
_FOR_DOING = re.compile(
    r"\b(?:use|adopt|try)\s+([a-z][\w.+#-]{2,})\s+for\s+\w+ing\b|\b(?:connect|hook up|link|"
    r"tie)\b[^,.;:]{0,30}\sto\s+([a-z][\w.+#-]{2,})"
)
_INSTEAD = re.compile(
    r"\b(?:sur|sous|avec|via|chez|dans|en)\s+([a-z][\w.+#-]{2,})\s+(?:au lieu d|plutot qu|a la place d)"
)
_AFTER = re.compile(r"\s+([a-z][\w.+#-]{2,})")  # right behind a topic: "paiement HelloAsso"
_SWAPPED = re.compile(r"\b(?:chang|troqu|echang)\w+\s+[a-z][\w.+#-]{2,}\s+(?:pour|contre|par)\s+([a-z][\w.+#-]{2,})")
_TO = re.compile(r"\b(?:a|vers|par|pour|to|with|into|onto|sur)\s+([a-z][\w.+#-]{2,})")
_PLAIN = frozenset(
    ("google", "apple", "microsoft", "facebook", "chrome", "firefox", "safari", "edge", "windows", "mac", "macos",
     "linux", "android", "ios", "iphone", "ipad", "excel", "word", "powerpoint", "outlook", "internet", "github",
     "france", "europe", "paris", "lyon", "markdown", "bluetooth", "wifi", "noel", "monsieur", "madame", "julie",
     "janvier", "fevrier", "mars", "avril", "mai", "juin", "juillet", "septembre", "octobre", "novembre", "decembre",
     "lundi", "mardi", "mercredi", "jeudi", "vendredi", "english", "french", "german", "monday", "friday",
     "figma", "celsius", "fahrenheit", "kelvin", "whatsapp", "telegram", "marketing", "sales", "legal",
     "support", "design",
     "product", "finance", "euro", "euros", "dollar", "dollars", "tuesday", "wednesday", "thursday",
     "saturday", "sunday",
     "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
     "december", "opera", "unicode", "utf-8", "spanish", "italian", "dutch", "japanese", "chinese",
     "christmas", "easter",
     "ctrl", "shift", "enter", "escape", "tab", "postman", "gmail", "hotmail", "jira", "confluence", "miro",
     "camelcase"),
)  # fmt: skip


def unlisted(s: Signals) -> Span | None:
    """The first such name that a sentence wants."""
    for number, sentence in enumerate(s.reading.sentences):
        if sentence.asks or sentence.has("existing", "vague", "past", "problem"):
            continue
        kinds = s.kinds_in(number)
        if kinds and not kinds <= {INTRODUCE, REPLACE, MIGRATE}:
            continue
        patterns = (
            _BY_MEANS,
            _TAKEN,
            _LINKED,
            _SWAPPED,
            _INSTEAD,
            _FOR_DOING,
            *((_TO,) if kinds & {REPLACE, MIGRATE} else ()),
        )
        for one in s.topics:
            name = _AFTER.match(s.reading.text.text, one.end)
            inside = sentence.start <= one.start < sentence.end
            if inside and name and name[1] not in _PLAIN and _is_name(s, *name.span(1)):
                return name.span(1)
        for pattern in patterns:
            found = _named(s, sentence, pattern)
            if found:
                return found
    return None


def _named(s: Signals, sentence: Sentence, pattern: re.Pattern[str]) -> Span | None:
    for match in pattern.finditer(s.reading.text.text, sentence.start, sentence.end):
        start, end = match.span(match.lastindex or 1)
        listed = any(one.start < end and start < one.end for one in s.mentions)
        inside = s.reading.within(start, s.reading.code) or s.reading.within(start, s.reading.quoted)
        told = tells(sentence, s.reading.clause_at(start))
        denied = told or any(
            b <= match.start() and match.start() - b < len("avec ") for _, b in sentence.hits.get("deny", [])
        )
        if not (listed or inside or denied or re.split("[-+]", match[match.lastindex or 1])[0] in _PLAIN) and _is_name(
            s, start, end
        ):
            return start, end
    return None


def _is_name(s: Signals, start: int, end: int) -> bool:
    a, b = s.reading.text.span(start, end)
    original = s.reading.text.original[a:b]
    return (original[0].isupper() and not original.isupper()) or ("_" in original and s.reading.language != EN)
