from __future__ import annotations

import pytest

from deedlog.core.errors import Invalid
from tests.ops.knowledge.conftest import Team, fact


@pytest.mark.proves("knowledge:facts")
def test_a_fact_is_kept_once_with_the_newer_source_and_confidence(team: Team) -> None:
    first = team.call("kg_insert", triples=[fact("api", "uses", "postgres", source="ann", confidence=0.5)])
    assert (first["created"], first["updated"], first["total"]) == (1, 0, 1)
    team.clock.turn(5)
    same = team.call("kg_insert", triples=[fact("api", "uses", " postgres ")])
    assert (same["created"], same["updated"], same["total"]) == (0, 0, 1)
    better = team.call("kg_insert", triples=[fact("api", "uses", "postgres", source="ben", confidence=0.9)])
    assert (better["created"], better["updated"], better["total"]) == (0, 1, 1)
    (known,) = team.call("kg_query")["triples"]
    assert (known["source"], known["confidence"], known["revision"], known["derived"]) == ("ben", 0.9, 2, False)
    assert known["updated_at"] == known["inserted_at"] + 5_000
    assert known["id"] == first["inserted"][0]["id"]


def test_two_hundred_and_fifty_six_facts_at_once_and_no_more(team: Team) -> None:
    many = [fact("s", "p", f"o{number}") for number in range(257)]
    with pytest.raises(Invalid, match="triples"):
        team.call("kg_insert", triples=many)
    assert team.call("kg_insert", triples=many[:256])["created"] == 256
    team.call("ledger_undo")
    assert team.facts() == []
    with pytest.raises(Invalid, match="triples"):
        team.call("kg_insert", triples=[])
    with pytest.raises(Invalid, match="limit"):
        team.call("kg_query", limit=501)
