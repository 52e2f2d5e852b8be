"""The language model's proposal, where one is configured."""

from __future__ import annotations

from _thread import allocate_lock

from deedlog.core.clarify.proposing import merged, stored, usable
from deedlog.core.clarify.values import Proposal
from deedlog.core.entry import digest
from deedlog.core.errors import Unavailable
from deedlog.core.moment import SECOND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.clarification import Clarification
    from deedlog.core.clarify.values import Facts
    from deedlog.ports import Context, Json, Model

FALLBACK = {"warning": "llm_fallback", "message": "LLM unavailable, using deterministic mode"}
LONGEST_FORM = 600 * SECOND  # for as long as somebody may look at a form
MOST_KEPT = 16
_kept: dict[str, tuple[int, str, Proposal | str]] = {}  # since when, for whom; a text: why the model failed
_changing = allocate_lock()  # `threading` would cost a start that needs none of this


def with_proposal(ctx: Context, session: Clarification, facts: Facts) -> tuple[Clarification, Json, list[str]]:
    """The session with what the model proposes; or what the answer says when the model fails, and why it did."""
    model = ctx.model
    if model is None:
        return session, {}, []
    try:
        fields = sorted({topic.key for topic in ctx.survey.lexicon().topics})
        found = _asked(model, session, facts, fields)
    except Unavailable as error:
        if ctx.settings["llm_strict"] == "yes":
            forget(session)
            raise Unavailable(
                f"no usable proposal: {error.message}",
                hint="repeat the call, or set llm_strict to no: then the rules decide alone",
                data={"code": "PATCH_EXTRACTION_FAILED", "provider": model.provider},
            ) from error
        return session, dict(FALLBACK), [error.message]
    given = usable(session.proposal)
    return session.replace(proposal=stored(merged(given, found)), provider=model.provider), {}, []


def _asked(model: Model, session: Clarification, facts: Facts, fields: list[str]) -> Proposal:
    question: Json = {
        "request": session.intention,
        "context": session.context,
        "facts": {
            "ecosystems": facts.ecosystems,
            "technologies": facts.technologies,
            "architecture": facts.architecture,
        },
        "fields": fields,
    }
    key = digest([model.provider, session.tree, session.actor, question])
    with _changing:
        since, _, found = _kept.get(key, (0, "", ""))
    if not session.created_at - LONGEST_FORM < since <= session.created_at:
        found = _reply(model, question)
        with _changing:
            _kept.pop(key, None)
            while len(_kept) >= MOST_KEPT:
                _kept.pop(next(iter(_kept)))
            _kept[key] = (session.created_at, _whose(session), found)
    if isinstance(found, str):
        raise Unavailable(found)
    return found


def _reply(model: Model, question: Json) -> Proposal | str:
    """What the model proposes, or why it does not."""
    try:
        found = usable(model.propose(question))
    except Unavailable as error:
        return error.message
    return found if stored(found) else "the language model proposed nothing"


def forget(session: Clarification) -> None:
    """Let the same request ask anew. Until then a call that shows a form, and so runs again, has what was said."""
    with _changing:
        for key in [key for key, (_, whose, _) in _kept.items() if whose == _whose(session)]:
            del _kept[key]


def _whose(session: Clarification) -> str:
    return digest([session.actor, session.intention, session.context])
