"""Questions as a form that the client shows its user (MCP elicitation), and what comes back.

A client may answer a form that nobody saw. So only what somebody filled in is an answer; everything else is
told, and the questions are returned as if there had been no form.
"""

from __future__ import annotations

from deedlog.core.clarify.answers import LONGEST_ANSWER
from deedlog.core.clarify.values import MULTI, OTHER, OTHER_SUFFIX, TEXT
from deedlog.core.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from deedlog.core.clarify.values import Question
    from deedlog.ports import Context, Json

ACCEPTED, EMPTY = "accepted", "empty"
REFUSED = {"decline": "declined", "cancel": "cancelled"}
LONGEST_TITLE = 200
WORDS = {
    "en": ("One question before the work begins: {request}", "{many} questions before the work begins: {request}",
           "Recommended: {value}.", "Other: {question}"),
    "fr": ("Une question avant de commencer : {request}", "{many} questions avant de commencer : {request}",
           "Recommandé : {value}.", "Autre : {question}"),
    "ja": ("作業の前に一つ質問があります: {request}", "作業の前に{many}つ質問があります: {request}",
           "推奨: {value}。", "その他: {question}"),
}  # fmt: skip


def filled_in(ctx: Context, key: str, intention: str, questions: Sequence[Question]) -> tuple[Json, str]:
    """What the user filled in, and what became of the form; nothing at all where the client shows none."""
    if ctx.settings["clarify_forms"] != "yes":
        return {}, ""
    replies = ctx.peer.ask({key: form(intention, questions)})
    if replies is None:
        return {}, ""
    reply = replies[key]
    if reply.get("action") != "accept":
        return {}, REFUSED.get(str(reply.get("action")), REFUSED["cancel"])
    content = reply.get("content")
    fields = fields_of(questions)
    given = content.items() if isinstance(content, dict) else ()
    found = {name: value for name, value in given if name in fields and not _is_blank(value)}
    return found, ACCEPTED if found else EMPTY


def form(intention: str, questions: Sequence[Question]) -> Json:
    one, several, _, _ = _words(questions[0])
    text = one if len(questions) == 1 else several
    message = text.format(many=len(questions), request=one_line(intention, LONGEST_TITLE))
    schema = {"type": "object", "properties": fields_of(questions)}
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def fields_of(questions: Sequence[Question]) -> Json:
    """A field for each question, and right below a choice one for what it does not offer. None has a default."""
    fields: Json = {}
    for question in questions:
        fields[question.id] = _field(question)
        if OTHER in question.options:
            fields[question.id + OTHER_SUFFIX] = {
                "type": "string",
                "title": _words(question)[3].format(question=one_line(question.question, LONGEST_TITLE)),
                "maxLength": LONGEST_ANSWER,
            }
    return fields


def _field(question: Question) -> Json:
    title = {"title": one_line(question.question, LONGEST_TITLE)}
    said = [_words(question)[2].format(value=question.recommended)] if question.recommended else []
    about = " ".join([*said, *([question.why] if question.why else [])])
    title |= {"description": about} if about else {}
    if question.type == TEXT or not question.options:
        return {"type": "string", **title, "maxLength": LONGEST_ANSWER}
    if question.type == MULTI:
        return {"type": "array", **title, "items": {"type": "string", "enum": question.options}}
    return {"type": "string", **title, "enum": question.options}


def _words(question: Question) -> tuple[str, str, str, str]:
    return WORDS.get(question.language, WORDS["en"])


def _is_blank(value: object) -> bool:
    return value is None or value == [] or (isinstance(value, str) and not value.strip())
