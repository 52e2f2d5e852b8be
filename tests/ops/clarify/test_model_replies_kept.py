"""What a language model said is kept for the session that asked, while others come and go."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from deedlog.core.clarification import Clarification
from deedlog.core.clarify.values import Facts
from deedlog.survey.lexicon import read
from deedlog.work import clarify_model


class Model:
    provider = "openai"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def propose(self, question: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(question["request"])
        return {"context": "because"}


def test_a_session_that_ends_leaves_the_replies_of_others() -> None:
    model = Model()
    ctx: Any = SimpleNamespace(model=model, survey=SimpleNamespace(lexicon=read), settings={"llm_strict": "no"})
    one, other = (
        Clarification(id=f"sess-{text}", intention=text, created_at=10**15, used_at=10**15)
        for text in ("first", "second")
    )
    for session in (one, other):
        clarify_model.with_proposal(ctx, session, Facts())
    clarify_model.forget(one)
    for session in (one, other):
        clarify_model.with_proposal(ctx, session, Facts())
    assert model.asked == ["first", "second", "first"]
    clarify_model.forget(one)
    clarify_model.forget(other)
