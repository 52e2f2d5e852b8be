"""Requests that say nothing to do: noise, questions about the project, a language that is not read here.

None of them may become the current task as it stands: what should change is asked.
"""

from __future__ import annotations

import re

from deedlog.core.clarify.choosing import Asking, question_of
from deedlog.core.clarify.nonanswers import flattened
from deedlog.core.clarify.values import Reason, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.clarification import Clarification
    from deedlog.core.clarify.lexicon import Lexicon
    from deedlog.core.clarify.values import Facts

SCOPE = "scope"
NOISE, QUESTION, FEATURE, LANGUAGE = "none.noise", "none.question", "none.feature", "none.language"
NOTHING_TO_DO = (NOISE, QUESTION)
_GREETINGS = frozenset(
    flattened(text)
    for text in (
        *(
            "hello",
            "hi",
            "hey",
            "hello there",
            "good morning",
            "thanks",
            "thank you",
            "bye",
            "lol",
            "haha",
            "wow",
            "hmm",
        ),
        *(
            "help",
            "help me",
            "test",
            "testing",
            "ok",
            "okay",
            "yes",
            "no",
            "please",
            "start",
            "stop",
            "exit",
            "quit",
            "go",
        ),
        *("bonjour", "salut", "merci", "aide", "à l'aide", "au revoir", "coucou", "oui", "non", "d'accord", "essai"),
        *(
            "こんにちは",
            "おはよう",
            "ありがとう",
            "ありがとうございます",
            "テスト",
            "ヘルプ",
            "助けて",
            "はい",
            "いいえ",
            "どうも",
        ),
    )
)
_MASHED = frozenset(
    (
        *("asdf", "asdfg", "asdfgh", "asdfghjkl", "qwer", "qwert", "qwerty", "zxcv", "zxcvb", "hjkl", "jkl", "fdsa"),
        *("foo", "bar", "baz", "qux", "lorem", "ipsum", "blah", "bla", "xyz", "abc", "xxx", "lol", "haha"),
    )
)
_SHELL = re.compile(
    r"(?:\$\s*|sudo\s+)?(?:(?:rm|ls|cd|pwd|whoami|chmod|chown|cat|mv|cp|kill|ps|echo|curl|wget|ssh|tail|grep|sudo)"
    r"|git (?:status|log|pull|push|diff|fetch|stash|init|add|commit|checkout))"
    r"(?P<rest>(?:\s+(?:-\S+|\S*[/~.*$|>&]\S*|\d+))*)"
)
_FOREIGN = re.compile(
    r"\b(?:der|die|das|und|ein|eine|einen|einer|mit|für|fur|nicht|wir|ich|bitte|hinzu|zum|zur|auf|ist|soll|sollen|wie|"
    r"el|los|las|una|para|por|con|que|del|nuestra|nuestro|agregar|añadir|anadir|hacer|"
    r"il|gli|della|per|che|aggiungi|aggiungere|nostro|"
    r"uma|um|não|nao|os|do|da|adicionar|fazer|"
    r"het|een|voor|met|niet|wij|voeg|toevoegen)\b"
)
_OURS = re.compile(
    r"\b(?:the|an?|is|are|and|to|of|for|with|we|it|this|that|should|need|please|add|from|use|our|fix|make|can|when|by|"
    r"le|la|les|des|du|une?|est|et|pour|dans|sur|pas|avec|qui|nous|il|faut|ce|au|plus|je|notre|ajoute\w*)\b"
)
_SCRIPTS = re.compile(
    "[\u0370-\u1fff\u3100-\u312f\uac00-\ud7af\u0e00-\u0e7f]"
)  # Greek, Cyrillic, Arabic … Hangul, Thai
_KANA = re.compile("[\u3040-\u30ff]")
_CHINESE = re.compile("[们这为吗请给让应该从个说对还没]")
_LEAST_FOREIGN = 2
_MOST_KNOWN = 5
_NOT_READ = "this is neither English, French nor Japanese: only names of technologies are understood"
_NOTHING_SAID = "nothing in it says what to do"


def asked_back(session: Clarification, verdict: Verdict, facts: Facts, lexicon: Lexicon) -> Verdict:
    """The verdict on a session; where its request says nothing to do, what should change is asked before all else."""
    text = session.intention
    if is_noise(text, verdict):
        reason = Reason(rule=NOISE, about=_NOTHING_SAID, text=text, start=0, end=len(text))
        verdict = Verdict(language=verdict.language, kind="vague", adr=session.force_adr, rule=NOISE, reasons=[reason])
    elif verdict.rule == QUESTION and not verdict.adr:
        verdict = verdict.replace(reasons=[*verdict.reasons, *_known(text, facts, lexicon)])
    elif is_foreign(text):
        verdict = verdict.replace(reasons=[*verdict.reasons, Reason(rule=LANGUAGE, about=_NOT_READ)])
        if verdict.rule != FEATURE or verdict.decided:
            return verdict
    else:
        return verdict
    if SCOPE in session.answers or SCOPE in session.skipped or any(one["id"] == SCOPE for one in session.questions):
        return verdict
    asking = Asking(language=verdict.language, facts=facts, rejected=[], ecosystems=facts.ecosystems)
    return verdict.replace(questions=[question_of(SCOPE, lexicon, asking)])


def is_noise(text: str, verdict: Verdict) -> bool:
    """No letters, a greeting, keys hit at random, a shell command, or one word that nothing is known about."""
    said = flattened(text)
    words = said.split()
    if not any(char.isalnum() for char in text) or said in _GREETINGS or set(words) <= _MASHED:
        return True
    shell = _SHELL.fullmatch(text.strip())
    if shell and (shell["rest"] or len(words) <= _LEAST_FOREIGN):
        return True
    alone = len(words) == 1 and said.isascii() and said.isalpha()
    return alone and verdict.rule == FEATURE and not verdict.areas and not verdict.decided


def is_foreign(text: str) -> bool:
    """Whether a text is in a language that the gate does not read."""
    letters = [char for char in text if char.isalpha()]
    if len(_SCRIPTS.findall(text)) * 3 > len(letters):
        return True
    if _CHINESE.search(text) and not _KANA.search(text):
        return True
    plain = text.casefold()
    strange = len(_FOREIGN.findall(plain))
    return strange >= _LEAST_FOREIGN and strange > len(_OURS.findall(plain))


def _known(text: str, facts: Facts, lexicon: Lexicon) -> list[Reason]:
    """What is decided, or seen in the repository, of what a question asks about."""
    from deedlog.core.clarify.reading import NOUN, read  # its words are many, and few requests are questions

    nouns = [hit.tag.removeprefix(NOUN) for hit in read(text, lexicon).topics if hit.tag.startswith(NOUN)]
    keys = dict.fromkeys(lexicon.topics[int(place)].key for place in nouns)
    found = []
    for key in keys:
        area, _, field = key.partition(".")
        if value := facts.architecture.get(area, {}).get(field):
            found.append(f"{key} is {value} (decided in {facts.decided_by.get(key, 'an ADR')})")
            continue
        here = [one.name for one in lexicon.technologies if one.key == key and one.name in facts.technologies]
        found += [f"{key} is {name} ({facts.technologies[name]})" for name in here]
    return [Reason(rule=QUESTION, about=about) for about in found[:_MOST_KNOWN]]
