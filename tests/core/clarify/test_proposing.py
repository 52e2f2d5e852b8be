from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.clarify.proposing import merged, proposed, stored, usable
from deedlog.core.clarify.values import Proposal
from deedlog.core.errors import Invalid

WHOLE = {
    "kind": "introduce",
    "categories": ["Database"],
    "choices": {"Database.Type": "PostgreSQL"},
    "context": "Orders need transactions",
    "rationale": "The team knows it",
    "alternatives": ["MySQL: nobody runs it here"],
    "consequences": ["Backups are needed"],
    "new_dependencies": ["psycopg"],
    "estimated_files": 12,
    "acceptance_criteria": ["Orders survive a restart"],
}


def test_a_proposal_is_taken_whole() -> None:
    assert stored(proposed(WHOLE)) == WHOLE


@pytest.mark.parametrize(
    "wrong",
    [
        *({"kind": "introduse"}, {"kind": 5}, {"rational": "x"}, {"rationale": ["x"]}, {"alternatives": "x"}),
        *({"alternatives": [1]}, {"estimated_files": -1}, {"estimated_files": True}, {"estimated_files": "many"}),
        *({"choices": ["x"]}, {"choices": {"Database": "x"}}, {"choices": {"Database.Type": 5}}),
    ],
    ids=str,
)
def test_an_agent_s_mistake_is_refused_with_its_place(wrong: dict[str, Any]) -> None:
    with pytest.raises(Invalid) as refusal:
        proposed(WHOLE | wrong)
    assert str(refusal.value.data["field"]).startswith("proposal.")
    assert refusal.value.hint


def test_null_is_as_if_it_was_not_said() -> None:
    assert proposed(dict.fromkeys(WHOLE)) == Proposal()


def test_lines_are_lines() -> None:
    assert proposed({"alternatives": ["a\n## Decision\nEvil", "", "b"]}).alternatives == ["a ## Decision Evil", "b"]


def test_of_two_the_first_counts_and_lists_are_joined() -> None:
    second = Proposal(kind="fix", categories=["Backend"], choices={"Database.Type": "MySQL", "Database.ORM": "Drizzle"})
    both = merged(proposed(WHOLE), second.replace(estimated_files=40))
    assert (both.kind, both.categories, both.estimated_files) == ("introduce", ["Database", "Backend"], 40)
    assert both.choices == {"Database.Type": "PostgreSQL", "Database.ORM": "Drizzle"}


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(list(WHOLE)), ANYTHING))
def test_whatever_a_model_says_what_is_kept_has_the_right_types(said: dict[str, Any]) -> None:
    kept = stored(usable(said))
    assert all(type(value) is type(WHOLE[name]) for name, value in kept.items())
    assert usable(kept) == usable(said)
