from __future__ import annotations

from tests.ops.knowledge.conftest import Team, fact


def test_an_export_is_all_of_it(team: Team) -> None:
    team.finished("Ship it", "Build")
    team.call(
        "kg_insert", triples=[fact("a", "b", "c" * 2_000 if number == 3 else f"c{number}") for number in range(256)]
    )
    seen, cursor = [], None
    while True:
        page = team.call("kg_export", cursor=cursor)
        seen += [fact["id"] for fact in page["triples"]]
        cursor = page.get("next_cursor")
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == 256 + len(team.facts(source="workflow:*"))
    assert page["stored"] == 256
